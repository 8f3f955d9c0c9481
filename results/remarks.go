package results

import (
	"fmt"
	"slices"
	"strings"
)

// Remark is what can be said of a program beside its status, or a status that
// by itself is no failure: what an exit code can be made to depend on.
type Remark string

// statusRemarks are the statuses among the remarks.
var statusRemarks = []Status{Flaky, Broken, Invalid, Skipped}

// NewFailures is the remark on a program that failed or is invalid and was not
// before. With it, programs that were failing before do not count for the exit
// code (see ExitCode).
const NewFailures Remark = "new-failures"

// OfHistory says whether the remark is about earlier runs.
func (r Remark) OfHistory() bool {
	return r == NewFailures || WarningKind(r).ofHistory()
}

// OnlyNewFailures says whether programs that are known to fail do not make the
// run fail (NewFailures in its plan).
func (r *Run) OnlyNewFailures() bool {
	return r.Plan != nil && slices.Contains(r.Plan.FailOn, NewFailures)
}

// Known says whether the history knows the program as failing.
func (p *Program) Known() bool {
	return slices.ContainsFunc(p.Warnings, func(w Warning) bool { return w.Kind == WarnKnown })
}

// Excepted says whether the program failed and does not count for that: it is
// known to fail, and only new failures count.
func (r *Run) Excepted(p *Program) bool { return r.OnlyNewFailures() && p.failing() && p.Known() }

// failing says whether the program counts as a failure.
func (p *Program) failing() bool { return p.Status == Failed || p.Status == Invalid }

// Remarks lists every remark: new failures, statuses, then kinds of warnings.
func Remarks() []Remark {
	all := []Remark{NewFailures}
	for _, s := range statusRemarks {
		all = append(all, Remark(s))
	}
	for _, k := range WarningKinds {
		if k != WarnNote && k != WarnKnown {
			all = append(all, Remark(k))
		}
	}
	return all
}

// ParseRemarks reads a list such as "flaky,vacuous".
func ParseRemarks(list string) ([]Remark, error) {
	var remarks []Remark
	for name := range strings.SplitSeq(list, ",") {
		r := Remark(strings.TrimSpace(name))
		if !slices.Contains(Remarks(), r) {
			var known []string
			for _, k := range Remarks() {
				known = append(known, string(k))
			}
			return nil, fmt.Errorf("%q is unknown: there are %s", r, strings.Join(known, ", "))
		}
		if !slices.Contains(remarks, r) {
			remarks = append(remarks, r)
		}
	}
	return remarks, nil
}

// applies says whether the remark can be made on the program.
func (r Remark) applies(p *Program) bool {
	if r == NewFailures {
		return p.failing() && !p.Known()
	}
	if string(p.Status) == string(r) {
		return true
	}
	return slices.ContainsFunc(p.Warnings, func(w Warning) bool { return string(w.Kind) == string(r) })
}

// maxNamed is how many programs a note names.
const maxNamed = 5

// FailOn says for each of the remarks of which programs it can be made, in one
// line each; nothing where there are none.
func FailOn(programs []Program, remarks []Remark) []string {
	var notes []string
	for _, r := range remarks {
		var names []string
		for i := range programs {
			if p := &programs[i]; r.applies(p) {
				names = append(names, key{p.Path, p.Repeat}.String())
			}
		}
		if len(names) == 0 {
			continue
		}
		more := ""
		if n := len(names); n > maxNamed {
			names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n-maxNamed)
		}
		notes = append(notes, fmt.Sprintf("--fail-on %s: %s%s", r, strings.Join(names, ", "), more))
	}
	return notes
}
