package project

import (
	"math"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Limits bound what each session may use; 0 is what a session has by itself.
type Limits struct {
	// Memory is for all processes of a session together, in bytes.
	Memory int64
	// Processes is how many processes and threads there may be at a time.
	Processes int64
	// Home is how much may be in the private home, in bytes.
	Home int64
}

// Bounds of limits: below the first ones a session has no room for itself.
const (
	minMemory    = 128 << 20
	minHome      = 1 << 20
	maxBytes     = 1 << 40
	minProcesses = 64
	maxProcesses = 1 << 20
)

func (c *loader) limits(n ast.Node, path string) {
	l := &c.config.Limits
	c.mapping(n, path, fields{
		"memory": func(n ast.Node, path string) { c.size(n, path, minMemory, &l.Memory) },
		"home":   func(n ast.Node, path string) { c.size(n, path, minHome, &l.Home) },
		"processes": func(n ast.Node, path string) {
			f, ok := c.number(n, path)
			if !ok {
				return
			}
			if f != math.Trunc(f) || f < minProcesses || f > maxProcesses {
				c.add(n, path, "must be a whole number from %d to %d, not %v", minProcesses, maxProcesses, f)
				return
			}
			l.Processes = int64(f)
		},
	})
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,3})?) ?([KMG])iB$`)

// size reads a number of bytes with its unit.
func (c *loader) size(n ast.Node, path string, least int64, to *int64) {
	s, ok := c.scalar(n, path)
	if !ok {
		return
	}
	parts := sizeForm.FindStringSubmatch(s)
	if parts == nil {
		c.add(n, path, "%q is no size: use a number with KiB, MiB or GiB, such as 512MiB", s)
		return
	}
	f, err := strconv.ParseFloat(parts[1], 64)
	f *= map[string]float64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[parts[2]]
	if err != nil || f < float64(least) || f > maxBytes {
		c.add(n, path, "%s is too small or too large: use at least %d MiB", s, least>>20)
		return
	}
	*to = int64(f)
}
