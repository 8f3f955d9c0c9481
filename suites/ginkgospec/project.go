package ginkgospec

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/suites"
)

// suite is the suite whose programs become specs.
const suite = "learn-regression"

// Project registers the programs of the project in dir (the folder that holds
// .opendesk; relative paths are relative to the package under test) as specs
// in a container that is called after the folder. Call it where containers are
// declared: at the top level or within a Describe. It returns true.
func Project(dir string, opts ...Option) bool {
	ginkgo.GinkgoHelper()
	o := &options{}
	for _, option := range opts {
		option(o)
	}
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	return ginkgo.Describe(plain(name), func() {
		p, plan, err := open(dir, o)
		if err != nil {
			ginkgo.It("can be run", func() { ginkgo.Fail(err.Error()) })
			return
		}
		for _, item := range plan.Items {
			register(p, item, o)
		}
	})
}

// open finds the programs. The error has one line for each problem.
func open(dir string, o *options) (*project.Project, harness.Plan, error) {
	p, problems := project.Open(dir)
	if p == nil {
		errs := make([]error, len(problems))
		for i, problem := range problems {
			errs[i] = errors.New(plain(problem.Error()))
		}
		return nil, harness.Plan{}, errors.Join(errs...)
	}
	s, ok := suites.Find(suite)
	if !ok {
		return nil, harness.Plan{}, fmt.Errorf("there is no suite %q", suite)
	}
	plan, err := s.Plan(p.Dir, suites.Filter{Programs: o.programs})
	switch {
	case err != nil:
		return nil, harness.Plan{}, errors.New(plain(err.Error()))
	case len(plan.Items) == 0 && len(o.programs) > 0:
		return nil, harness.Plan{}, fmt.Errorf("no program of %s matches %s", plain(p.Dir), plain(strings.Join(o.programs, ", ")))
	case len(plan.Items) == 0:
		return nil, harness.Plan{}, fmt.Errorf("no programs in %s: record or write one (*%s)", plain(p.LearnedDir()), program.Suffix)
	}
	return p, plan, nil
}

// register makes the spec of one program.
func register(p *project.Project, item harness.Item, o *options) {
	name := program.TaskName(item.Path)
	s := &spec{
		project: p.Dir, path: item.Path, file: filepath.Join(p.Dir, filepath.FromSlash(item.Path)),
		name: cmp.Or(name, item.Path), options: o,
	}
	args := []any{s.location(), folderLabels(name)}
	args = append(args, o.decorators...)
	if item.Program == nil {
		message := s.invalid(item.Problems)
		args = append(args, func() { ginkgo.Fail(message) })
	} else {
		args = append(args, s.run)
	}
	ginkgo.It(plain(s.name), args...)
}

// folderLabels are the names of the folders below the learned folder that the
// program is in, as far as Ginkgo takes them for labels.
func folderLabels(name string) ginkgo.Labels {
	labels := ginkgo.Labels{}
	for _, folder := range strings.Split(path.Dir(name), "/") {
		label, err := types.ValidateAndCleanupLabel(folder, types.CodeLocation{})
		if err == nil && label != "." {
			labels = append(labels, label)
		}
	}
	return labels
}
