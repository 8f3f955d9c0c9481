package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed assets
var assets embed.FS

// The page's own style and script.
var (
	style  = template.CSS(asset("report.css"))
	script = template.JS(asset("report.js"))
)

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is part of the binary
	}
	return string(data)
}

// protect gives the page the policy that it is held to: its own style and
// script, pictures that it holds itself, and the files of its data folder
// where there are any.
func (v *view) protect() {
	v.Style, v.Script = style, script
	scripts := source(string(script))
	if v.Data != nil {
		scripts += " 'self' file:"
	}
	v.Policy = strings.Join([]string{
		"default-src 'none'", "img-src data:", "style-src " + source(string(style)), "script-src " + scripts,
		"base-uri 'none'", "form-action 'none'",
	}, "; ")
}

// source names a text in a content security policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
