package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"html/template"
	"image"
	_ "image/jpeg" // formats of pictures
	_ "image/png"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/results"
)

// Bounds of what a page holds, in bytes before encoding: beyond them, pictures
// are linked to. A picture is read at all only up to maxPicture.
const (
	maxPictures = 24 << 20
	maxPicture  = 4 << 20
)

// pictures reads pictures from the run's folder, and nothing outside of it.
type pictures struct {
	opts Options
	root *os.Root // nil where there is none
	used int
}

func newPictures(opts Options) *pictures {
	p := &pictures{opts: opts}
	if opts.RunDir != "" {
		p.root, _ = os.OpenRoot(opts.RunDir) // without it, no picture is found
	}
	return p
}

func (p *pictures) close() {
	if p.root != nil {
		_ = p.root.Close() // read only
	}
}

// picture is a picture that stands in the page.
type picture struct {
	data          string // its address, "" where Missing says why there is none
	Width, Height int
	Alt           string
	Href          string // of the file
	Missing       string
	Boxes         []box
}

// get reads the picture of an artifact.
func (p *pictures) get(a results.Artifact, alt string) *picture {
	pic := &picture{Alt: alt, Href: p.opts.link(a.Name)}
	data, err := p.read(a.Name)
	config, _, decoding := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, errTooMuch):
		pic.Missing = "The picture is too large to stand in this page."
	case err != nil:
		pic.Missing = "The picture is not in the run's folder."
	case decoding != nil || a.MediaType != "image/png" && a.MediaType != "image/jpeg":
		pic.Missing = "The file is not a picture that can be shown."
	case p.used+len(data) > maxPictures:
		pic.Missing = "This page has as many pictures as it can hold."
	default:
		p.used += len(data)
		pic.Width, pic.Height = config.Width, config.Height
		pic.data = "data:" + a.MediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	return pic
}

// Shown says whether the picture stands in the page.
func (p *picture) Shown() bool { return p.data != "" }

// Attribute is the picture as an attribute of that name. It holds base64 and
// one of two media types, which needs no escaping; that of html/template takes
// longer than all the rest.
func (p *picture) Attribute(name string) template.HTMLAttr {
	return template.HTMLAttr(name + `="` + p.data + `"`)
}

var errTooMuch = errors.New("too large")

func (p *pictures) read(name string) ([]byte, error) {
	if p.root == nil {
		return nil, os.ErrNotExist
	}
	name = filepath.FromSlash(name)
	if info, err := p.root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrNotExist // a pipe would never answer
	}
	f, err := p.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	if err == nil && len(data) > maxPicture {
		return nil, errTooMuch
	}
	return data, err
}

// link is the address of an artifact from the report's folder.
func (o Options) link(name string) string {
	path := filepath.FromSlash(name)
	if o.RunDir != "" && o.ReportDir != "" {
		full := filepath.Join(o.RunDir, path)
		if rel, err := filepath.Rel(o.ReportDir, full); err == nil {
			path = rel
		} else {
			path = full // on another volume
		}
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
