// Package deps keeps modules in go.mod until the packages that use them land.
package deps

import (
	_ "github.com/agnivade/levenshtein"
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/go-json-experiment/json/jsontext"
	_ "github.com/go-vgo/robotgo"
	_ "github.com/goccy/go-yaml"
	_ "github.com/godbus/dbus/v5"
	_ "github.com/google/renameio/v2"
	_ "github.com/jezek/xgb"
	_ "github.com/jstemmer/go-junit-report/v2/junit"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/otiai10/gosseract/v2"
	_ "github.com/robotn/xgbutil/ewmh"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "golang.org/x/text/unicode/norm"
)
