package project

import (
	"math"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Scripts is the most that scripts may ask for, and what they do not see. 0 is
// what a script has by itself.
type Scripts struct {
	// CPU is the processor's time.
	CPU time.Duration
	// Memory and Disk are in bytes.
	Memory, Disk int64
	// Processes is how many processes and threads there may be at a time.
	Processes int64
	// Hidden are files and folders of the project, relative to it, that scripts
	// do not see.
	Hidden []string
}

// Bounds of what scripts may ask for.
const (
	minScriptMemory    = 32 << 20
	minScriptDisk      = 1 << 20
	maxScriptBytes     = 64 << 30
	maxScriptProcesses = 4_096
	maxScriptCPU       = time.Hour
)

// Caps are the most that scripts may ask for, by the parameter of the tool
// script; what the project is silent about is not in it.
func (s Scripts) Caps() map[string]int {
	caps := map[string]int{}
	for param, most := range map[string]int64{
		"cpu_seconds": int64(s.CPU / time.Second), "memory_mib": s.Memory >> 20, "processes": s.Processes, "disk_mib": s.Disk >> 20,
	} {
		if most > 0 {
			caps[param] = int(most)
		}
	}
	return caps
}

func (c *loader) scripts(n ast.Node, path string) {
	s := &c.config.Scripts
	c.mapping(n, path, fields{
		"cpu": func(n ast.Node, path string) {
			before := len(c.problems)
			c.duration(n, path, &s.CPU)
			if len(c.problems) == before && (s.CPU < time.Second || s.CPU > maxScriptCPU) {
				c.add(n, path, "%v is too short or too long: use 1s to %v", s.CPU, maxScriptCPU)
			}
		},
		"memory": func(n ast.Node, path string) { c.scriptSize(n, path, minScriptMemory, &s.Memory) },
		"disk":   func(n ast.Node, path string) { c.scriptSize(n, path, minScriptDisk, &s.Disk) },
		"processes": func(n ast.Node, path string) {
			f, ok := c.number(n, path)
			if !ok {
				return
			}
			if f != math.Trunc(f) || f < 1 || f > maxScriptProcesses {
				c.add(n, path, "must be a whole number from 1 to %d, not %v", maxScriptProcesses, f)
				return
			}
			s.Processes = int64(f)
		},
		"hidden": func(n ast.Node, path string) { s.Hidden = c.hidden(n, path) },
	})
}

func (c *loader) scriptSize(n ast.Node, path string, least int64, to *int64) {
	before := len(c.problems)
	c.size(n, path, least, to)
	if len(c.problems) == before && *to > maxScriptBytes {
		c.add(n, path, "is too large: use at most %d GiB", maxScriptBytes>>30)
	}
}

// hidden reads the paths that scripts do not see.
func (c *loader) hidden(n ast.Node, path string) []string {
	seq, isList := n.(*ast.SequenceNode)
	if !isList {
		c.add(n, path, "must be a list such as [keys], not %s", kindName(n))
		return nil
	}
	paths, _ := c.texts(seq, path)
	for i, p := range paths {
		clean := filepath.Clean(filepath.FromSlash(p))
		if !filepath.IsLocal(clean) || clean == "." {
			c.add(seq.Values[i], joinIndex(path, i), "%q is no place inside of the project: use a relative path such as keys", p)
			continue
		}
		paths[i] = filepath.ToSlash(clean)
	}
	return paths
}
