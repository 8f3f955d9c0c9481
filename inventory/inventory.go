// Package inventory finds out what of a machine a run's outcome can depend on:
// the versions of the installed packages that the applications under test, and
// the toolkits and the platform below them, are from; the state of the
// project's repository; the system's name and kernel.
package inventory

import (
	"context"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// Installed is an installed package.
type Installed struct {
	Name, Version string
	// Depends are the names of what it needs, without versions; alternatives
	// are all in it.
	Depends []string
}

// Source knows the installed packages. It is for concurrent use.
type Source interface {
	// Installed lists all of them.
	Installed(ctx context.Context) ([]Installed, error)
	// Owners gives the names of the packages that the files are from, one or
	// more of each file; files of no package are passed over.
	Owners(ctx context.Context, files []string) ([]string, error)
}

// Packages gives the packages that the files are from (the executables of the
// applications under test) with what these need directly, and those of the
// toolkits and the platform that are installed, sorted by name.
func Packages(ctx context.Context, source Source, files []string) ([]results.Package, error) {
	type owners struct {
		names []string
		err   error
	}
	owned := make(chan owners, 1)
	go func() {
		var o owners
		if len(files) > 0 {
			o.names, o.err = source.Owners(ctx, files)
		}
		owned <- o
	}()
	installed, err := source.Installed(ctx)
	o := <-owned
	if err != nil {
		return nil, err
	}
	if o.err != nil {
		return nil, o.err
	}
	wanted := map[string]bool{}
	for _, name := range o.names {
		wanted[name] = true
	}
	for _, p := range installed {
		if !slices.Contains(o.names, p.Name) {
			continue
		}
		for _, needed := range p.Depends {
			wanted[needed] = true
		}
	}
	var packages []results.Package
	for _, p := range installed {
		if wanted[p.Name] || isPlatform(p.Name) {
			packages = append(packages, results.Package{Name: p.Name, Version: p.Version})
		}
	}
	slices.SortFunc(packages, func(a, b results.Package) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Version, b.Version)
	})
	return slices.Compact(packages), nil // of several architectures
}
