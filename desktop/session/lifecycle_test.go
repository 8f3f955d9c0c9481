//go:build linux

package session

import (
	"context"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("a session", func() {
	for _, isolation := range []Isolation{Bwrap, None} {
		It("starts and stops with isolation "+string(isolation), func() {
			for range 5 {
				s, err := Start(context.Background(), optionsForTest(isolation, os.TempDir()))
				if err != nil {
					GinkgoWriter.Println(err.(*StartError).Output)
				}
				Expect(err).NotTo(HaveOccurred())
				GinkgoWriter.Println(s.Info())
				println(s.Info().StartTook.String())
				t := time.Now()
				Expect(s.Close(context.Background())).To(Succeed())
				println("close", time.Since(t).String())
			}
		})
	}
})
