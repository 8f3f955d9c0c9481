package inventory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// System gives the package manager of this machine. The error says that there
// is none that is known.
func System() (Source, error) {
	if path, err := exec.LookPath("dpkg-query"); err == nil {
		return dpkg{path}, nil
	}
	if path, err := exec.LookPath("rpm"); err == nil {
		return rpm{path}, nil
	}
	return nil, errors.New("the versions of packages are not known: neither dpkg-query nor rpm is on PATH")
}

// run gives what a program prints. That it ends with an error counts only
// where partial is false: queries for several things end so when one of them
// is not known.
func run(ctx context.Context, partial bool, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && (!partial || !errors.As(err, &ended) || ctx.Err() != nil) {
		first, _, _ := strings.Cut(strings.TrimSpace(problem.String()), "\n")
		return nil, fmt.Errorf("%s %s: %w: %s", name, args[0], err, first)
	}
	return out, nil
}

// dpkg asks dpkg-query.
type dpkg struct{ path string }

func (d dpkg) Installed(ctx context.Context) ([]Installed, error) {
	out, err := run(ctx, false, d.path, "-W", "-f", "${db:Status-Status}\t${Package}\t${Version}\t${Depends}\n")
	if err != nil {
		return nil, err
	}
	return parseDpkg(string(out)), nil
}

func parseDpkg(out string) []Installed {
	var list []Installed
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 4)
		if len(fields) < 4 || fields[0] != "installed" {
			continue
		}
		p := Installed{Name: fields[1], Version: fields[2]}
		for needed := range strings.FieldsFuncSeq(fields[3], func(r rune) bool { return r == ',' || r == '|' }) {
			needed = strings.TrimSpace(needed)
			if end := strings.IndexAny(needed, " :("); end >= 0 {
				needed = needed[:end]
			}
			if needed != "" {
				p.Depends = append(p.Depends, needed)
			}
		}
		list = append(list, p)
	}
	return list
}

// Owners asks for each file under the name that it has since /usr was merged,
// and under the one that it had before: packages can list either.
func (d dpkg) Owners(ctx context.Context, files []string) ([]string, error) {
	args := []string{"-S", "--"}
	for _, file := range files {
		args = append(args, file)
		for _, merged := range []string{"/usr/bin/", "/usr/sbin/", "/usr/lib/"} {
			if strings.HasPrefix(file, merged) {
				args = append(args, strings.TrimPrefix(file, "/usr"))
			}
		}
	}
	out, err := run(ctx, true, d.path, args...)
	if err != nil {
		return nil, err
	}
	return parseOwners(string(out)), nil
}

// parseOwners reads lines such as "libc6:amd64, libc6:i386: /lib/x".
func parseOwners(out string) []string {
	var names []string
	for line := range strings.Lines(out) {
		owners, file, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		if !ok || !strings.HasPrefix(file, "/") || strings.HasPrefix(owners, "diversion by ") {
			continue
		}
		for owner := range strings.SplitSeq(owners, ", ") {
			name, _, _ := strings.Cut(owner, ":")
			names = append(names, name)
		}
	}
	return names
}

// rpm asks rpm.
type rpm struct{ path string }

func (r rpm) Installed(ctx context.Context) ([]Installed, error) {
	out, err := run(ctx, false, r.path, "-qa", "--qf", "%{NAME}\t%{VERSION}-%{RELEASE}\n")
	if err != nil {
		return nil, err
	}
	var list []Installed
	for line := range strings.Lines(string(out)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			list = append(list, Installed{Name: name, Version: version})
		}
	}
	return list, nil
}

func (r rpm) Owners(ctx context.Context, files []string) ([]string, error) {
	out, err := run(ctx, true, r.path, append([]string{"-qf", "--qf", "package\t%{NAME}\n", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "package\t"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
