//go:build linux

package atspi

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestAtspi(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "atspi")
}
