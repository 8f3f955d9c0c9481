package project

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"
)

// maxBudget is the longest time budget.
const maxBudget = 30 * 24 * time.Hour

// tagForm is the form of tags; they stand on command lines.
var tagForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// dayForm is how a day is written.
const dayForm = "2006-01-02"

// rule reads one entry of programs.
func (c *loader) rule(key ast.Node, glob string, n ast.Node, path string) {
	if glob == "" || !doublestar.ValidatePattern(glob) {
		c.add(key, path, "is no glob of programs: use a name such as reports/export, or a pattern such as reports/**")
		return
	}
	line, column := place(key)
	r := Rule{Glob: glob, at: Problem{File: c.reader.file, Line: line, Column: column, Path: path}}
	s := &r.Settings
	c.mapping(n, path, fields{
		"tags":       func(n ast.Node, path string) { s.Tags = c.tags(n, path) },
		"quarantine": func(n ast.Node, path string) { s.Quarantine = c.quarantine(n, path) },
		"budget":     func(n ast.Node, path string) { c.duration(n, path, &s.Budget) },
		"display": func(n ast.Node, path string) {
			s.Geometry = &Geometry{}
			c.display(n, path, s.Geometry)
		},
		"setup": func(n ast.Node, path string) { c.setup(n, path, &s.Setup) },
	})
	if s.Geometry != nil && *s.Geometry == (Geometry{}) {
		s.Geometry = nil // it names none
	}
	c.config.Programs = append(c.config.Programs, r)
}

func (c *loader) tags(n ast.Node, path string) []string {
	seq, isList := n.(*ast.SequenceNode)
	if !isList {
		c.add(n, path, "must be a list such as [smoke], not %s", kindName(n))
		return nil
	}
	tags, _ := c.texts(seq, path)
	for i, tag := range tags {
		switch {
		case !tagForm.MatchString(tag):
			c.add(seq.Values[i], joinIndex(path, i), "%q is no tag: use letters, digits, _, - and .", tag)
		case slices.Index(tags, tag) != i:
			c.add(seq.Values[i], joinIndex(path, i), "%q stands twice", tag)
		}
	}
	return tags
}

// quarantine reads why and how long a program is excused; both are needed, so
// that nothing is excused for ever.
func (c *loader) quarantine(n ast.Node, path string) *Quarantine {
	q := &Quarantine{}
	before := len(c.problems)
	c.mapping(n, path, fields{
		"issue": func(n ast.Node, path string) {
			s, ok := c.text(n, path)
			link, err := url.Parse(s)
			if ok && (err != nil || link.Host == "" || link.Scheme != "https" && link.Scheme != "http") {
				c.add(n, path, "%q is no link: use the issue's address, https://…", s)
			}
			q.Issue = s
		},
		"until": func(n ast.Node, path string) {
			s, ok := c.text(n, path)
			day, err := time.Parse(dayForm, s)
			if ok && err != nil {
				c.add(n, path, "%q is no day: write it as 2027-01-31", s)
			}
			q.Until = day
		},
	})
	if len(c.problems) > before {
		return q
	}
	if q.Issue == "" {
		c.add(n, path, "lacks issue: the link to what is known about the failure")
	}
	if q.Until.IsZero() {
		c.add(n, path, "lacks until: the last day on which it counts, such as 2027-01-31")
	}
	return q
}

// setup reads what there is to be before the first step.
func (c *loader) setup(n ast.Node, path string, to *Setup) {
	to.Files, to.Environment = map[string]string{}, map[string]string{}
	c.mapping(n, path, fields{
		"apps": func(n ast.Node, path string) {
			seq, isList := n.(*ast.SequenceNode)
			if !isList {
				c.add(n, path, "must be a list such as [mousepad], not %s", kindName(n))
				return
			}
			to.Apps, _ = c.texts(seq, path)
			for i, app := range to.Apps {
				if strings.TrimSpace(app) == "" {
					c.add(seq.Values[i], joinIndex(path, i), "names no application")
				}
			}
		},
		"files": func(n ast.Node, path string) {
			c.entries(n, path, func(key ast.Node, name string, n ast.Node, path string) {
				c.homeFile(key, name, n, path, to.Files)
			})
		},
		"environment": func(n ast.Node, path string) { c.variables(n, path, to.Environment) },
	})
}

// homeFile reads one entry of setup.files.
func (c *loader) homeFile(key ast.Node, place string, n ast.Node, path string, to map[string]string) {
	if clean := filepath.Clean(filepath.FromSlash(place)); !filepath.IsLocal(clean) || clean == "." {
		c.add(key, path, "is no place inside of the home: use a relative path such as .config/app/settings.ini")
		return
	}
	from, ok := c.text(n, path)
	if !ok {
		return
	}
	if from == "" {
		c.add(n, path, "names no file")
		return
	}
	from = filepath.FromSlash(from)
	if !filepath.IsAbs(from) {
		from = filepath.Join(c.dir, from)
	}
	if _, err := os.Stat(from); err != nil {
		c.add(n, path, "%s cannot be copied: %s (relative paths are relative to the project)", from, cause(err))
		return
	}
	to[filepath.Clean(filepath.FromSlash(place))] = from
}

// duration reads a time budget.
func (c *loader) duration(n ast.Node, path string, to *time.Duration) {
	s, ok := c.text(n, path)
	if !ok {
		return
	}
	d, err := ParseBudget(s)
	if err != nil {
		c.add(n, path, "%v", err)
		return
	}
	*to = d
}
