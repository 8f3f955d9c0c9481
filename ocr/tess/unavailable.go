//go:build !cgo

// Package tess reads text with Tesseract, in builds with cgo.
package tess

import (
	"errors"

	"github.com/opendesk/opendesk/ocr"
)

var errNoCgo = errors.New("this build has no OCR: it was built without cgo (CGO_ENABLED=0)")

// Version is "" in a build without Tesseract.
func Version() string { return "" }

// Check reports that this build cannot read text.
func Check(languages []string) error {
	_, err := Open(languages)
	return err
}

// Open reports that this build cannot read text.
func Open([]string) (ocr.Engine, error) {
	return nil, &ocr.UnavailableError{What: "Tesseract in this build", Err: errNoCgo}
}
