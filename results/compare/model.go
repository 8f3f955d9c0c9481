package compare

import (
	"time"

	"github.com/opendesk/opendesk/results"
)

// SchemaVersion is the version of a comparison's JSON.
const SchemaVersion = 1

// LastGood is the With of a comparison in which each program is held against
// its own last good run.
const LastGood = "last-good"

// Comparison is what is new in a run. A program is in each list that applies
// to it; within a list they are in the order of their paths.
type Comparison struct {
	// SchemaVersion is SchemaVersion.
	SchemaVersion int `json:"schema_version"`
	// Run is the run that is looked at.
	Run RunInfo `json:"run"`
	// With is LastGood, or the id of the one run that it is held against.
	With string `json:"with"`
	// Earlier is the newest earlier run that is known, or the one that With
	// names; nil where there is none.
	Earlier *RunInfo `json:"earlier,omitempty"`
	// Programs counts the programs of the run; repetitions count once.
	Programs int `json:"programs"`
	// Part says which part of the project the run was ("shard 2/3",
	// "--program 'export-*'"), "" for the whole. Of a part nobody can tell what
	// was removed.
	Part string `json:"part,omitempty"`

	// NewlyFailing failed or are invalid and were not before, or were never
	// run to a verdict before.
	NewlyFailing []ProgramChange `json:"newly_failing"`
	// StillFailing failed or are invalid, as in the run before.
	StillFailing []ProgramChange `json:"still_failing"`
	// Broken are those that the environment broke: neither news nor good.
	Broken []ProgramChange `json:"broken"`
	// Fixed passed and were failing before.
	Fixed []ProgramChange `json:"fixed"`
	// Flaky passed on a retry only, or in some repetitions only.
	Flaky []ProgramChange `json:"flaky"`
	// Drifting passed, with a step by a weaker means than in their last good
	// run.
	Drifting []ProgramChange `json:"drifting"`
	// Slower passed and took longer than their history lets expect.
	Slower []ProgramChange `json:"slower"`
	// Added are in this run and in none before.
	Added []ProgramChange `json:"added"`
	// Removed are in the newest earlier whole run and not in this one.
	Removed []ProgramChange `json:"removed"`
	// Quarantined failed and are excused.
	Quarantined []ProgramChange `json:"quarantined"`

	// Notes are remarks for people on the comparison as a whole.
	Notes []string `json:"notes,omitempty"`
}

// RunInfo is a run without its programs.
type RunInfo struct {
	// ID names the run and its folder.
	ID string `json:"id"`
	// Suite is the suite's name.
	Suite string `json:"suite"`
	// Kind is on whose behalf it was run (see results.Run), "" where unknown.
	Kind string `json:"kind,omitempty"`
	// StartedAt is when it began, in UTC.
	StartedAt time.Time `json:"started_at"`
	// DurationMS is how long it took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Status is the run's.
	Status results.Status `json:"status"`
	// Interrupted says that it was stopped before its end.
	Interrupted bool `json:"interrupted,omitempty"`
	// Part is as in Comparison.
	Part string `json:"part,omitempty"`
	// Tool is what produced it.
	Tool results.Tool `json:"tool"`
	// Environment is where it took place.
	Environment results.Environment `json:"environment"`
	// Counts is how many programs and postconditions ended how.
	Counts results.Counts `json:"counts"`
}

// RunRef points at an earlier run.
type RunRef struct {
	// ID names the run.
	ID string `json:"id"`
	// StartedAt is when it began, in UTC.
	StartedAt time.Time `json:"started_at"`
	// Commit is the git commit of the project then, "" where unknown.
	Commit string `json:"git_commit,omitempty"`
}

// Kind says in which list of a comparison a program is.
type Kind string

// The kinds, in the order in which reports show them.
const (
	NewlyFailing Kind = "newly_failing"
	StillFailing Kind = "still_failing"
	Broken       Kind = "broken"
	Fixed        Kind = "fixed"
	Flaky        Kind = "flaky"
	Drifting     Kind = "drifting"
	Slower       Kind = "slower"
	Added        Kind = "added"
	Removed      Kind = "removed"
	Quarantined  Kind = "quarantined"
)

// ProgramChange is a program of which there is something to tell.
type ProgramChange struct {
	// Path is the program's identity.
	Path string `json:"path"`
	// Name is the short name for people: the path without the learned folder
	// and its ending.
	Name string `json:"name"`
	// File is the path from the git root, for links; "" for removed.
	File string `json:"file,omitempty"`
	// Repeat is the repetition that is told of, 0 where programs are not
	// repeated.
	Repeat int `json:"repeat,omitempty"`
	// Status is that in this run, of all repetitions the worst; "" for removed.
	Status results.Status `json:"status,omitempty"`
	// Reason is one line that says why, "" for passed.
	Reason string `json:"reason,omitempty"`
	// Step is the step that ended it, nil where none did.
	Step *StepRef `json:"step,omitempty"`
	// Screenshot is the failing step's, below the run's folder, "" for none.
	Screenshot string `json:"screenshot,omitempty"`
	// Before is the state before this run: passed, flaky, failed or invalid,
	// "" where there was none.
	Before results.Status `json:"before,omitempty"`
	// LastGood is the program's own last good run before this one (with --with
	// RUN that run, where it was good), nil for none.
	LastGood *RunRef `json:"last_good,omitempty"`
	// Since is the first run that it has been failing in without a good one in
	// between (for Fixed: had been); nil for what was not failing before.
	Since *RunRef `json:"since,omitempty"`
	// FailingRuns counts the runs that it has been failing in since then, this
	// one among them where it fails.
	FailingRuns int `json:"failing_runs,omitempty"`
	// Flakiness is how steadily its runs come out, nil where it never had a
	// verdict before.
	Flakiness *Flakiness `json:"flakiness,omitempty"`
	// Changed is what changed since LastGood; set for what fails, drifts or is
	// slower, and has a last good run.
	Changed *Differences `json:"changed,omitempty"`
	// Drift are the steps that passed by weaker means, in their order.
	Drift []StepDrift `json:"drift,omitempty"`
	// Slowdown is what is slower, nil for nothing.
	Slowdown *Slowdown `json:"slowdown,omitempty"`
	// Quarantine is what excuses it, nil for nothing.
	Quarantine *results.Quarantine `json:"quarantine,omitempty"`
}

// StepRef names a step.
type StepRef struct {
	// ID is the step's id ("s3").
	ID string `json:"id"`
	// Index is its place in the file, from 0.
	Index int `json:"index"`
	// Line is where it begins in the file, from 1; 0 where unknown.
	Line int `json:"line,omitempty"`
	// Summary is one line for people, "" where unknown.
	Summary string `json:"summary,omitempty"`
}

// Differences is what changed between a program's last good run and this one.
type Differences struct {
	// Since is the last good run.
	Since RunRef `json:"since"`
	// Packages are those that were added, removed or came in another version,
	// by name.
	Packages []PackageChange `json:"packages,omitempty"`
	// PackagesUnknown says that one of the two runs did not note its packages,
	// so that nothing can be said of them.
	PackagesUnknown bool `json:"packages_unknown,omitempty"`
	// Program is what changed in the program's file; nil for nothing.
	Program *FileChange `json:"program,omitempty"`
	// ProgramUnknown says that the file of one of the two runs is not known.
	ProgramUnknown bool `json:"program_unknown,omitempty"`
	// Environment are the properties of the environment that differ.
	Environment []ValueChange `json:"environment,omitempty"`
	// Commits is the range of git commits, nil where the commit is the same or
	// one of them is not known.
	Commits *CommitRange `json:"commits,omitempty"`
}

// PackageChange is a package that differs. Before is "" for one that was
// added, After for one that was removed.
type PackageChange struct {
	// Name is the package's.
	Name string `json:"name"`
	// Before is the version in the last good run.
	Before string `json:"before,omitempty"`
	// After is the version in this run.
	After string `json:"after,omitempty"`
}

// ValueChange is something with a name that has another value.
type ValueChange struct {
	// Name is what has the value: "locale", "display", "target.title".
	Name string `json:"name"`
	// Before is the value in the last good run, "" for none.
	Before string `json:"before,omitempty"`
	// After is the value in this run, "" for none.
	After string `json:"after,omitempty"`
}

// CommitRange is a range of git commits.
type CommitRange struct {
	// From is the commit of the last good run.
	From string `json:"from"`
	// FromDirty says that there were changes outside of it.
	FromDirty bool `json:"from_dirty,omitempty"`
	// To is the commit of this run.
	To string `json:"to"`
	// ToDirty says that there were changes outside of it.
	ToDirty bool `json:"to_dirty,omitempty"`
}

// FileChange is what changed in a program's file.
type FileChange struct {
	// Before is the SHA-256 of the content in the last good run, in hexadecimal.
	Before string `json:"before"`
	// After is that of the content in this run.
	After string `json:"after"`
	// ContentUnknown says that the contents differ, but are not at hand.
	ContentUnknown bool `json:"content_unknown,omitempty"`
	// TooLarge says that one of the contents cannot be read step by step, and
	// that one is too large to be compared line by line.
	TooLarge bool `json:"too_large,omitempty"`
	// Lines are those that differ, in the order of this run's file, where one of
	// the contents cannot be read step by step; at most maxLines. MoreLines
	// counts the rest.
	Lines     []LineChange `json:"lines,omitempty"`
	MoreLines int          `json:"more_lines,omitempty"`
	// Steps are those that differ, in the order of this run's file; removed
	// ones stand where they were.
	Steps []StepChange `json:"steps,omitempty"`
	// Fields are what differs outside of the steps ("description").
	Fields []ValueChange `json:"fields,omitempty"`
}

// LineChange is a line of a program's file that only one of the contents has.
type LineChange struct {
	// How is added or removed.
	How How `json:"how"`
	// Line is its number in the content that has it, from 1.
	Line int `json:"line"`
	// Text is the line, at most maxLine bytes of it.
	Text string `json:"text"`
}

// How says how a step changed.
type How string

// The ways in which a step can have changed.
const (
	StepAdded   How = "added"
	StepRemoved How = "removed"
	StepChanged How = "changed"
	StepMoved   How = "moved" // the same, at another place among the others
)

// StepChange is a step that differs.
type StepChange struct {
	// How is how it changed.
	How How `json:"how" enum:"added,removed,changed,moved"`
	// ID is the step's id.
	ID string `json:"id"`
	// Before is its place in the file before, from 0; -1 where it was not in it.
	Before int `json:"before"`
	// After is its place in the file now, from 0; -1 where it is not in it.
	After int `json:"after"`
	// Text is the step as compact JSON, for added and removed ones.
	Text string `json:"text,omitempty"`
	// Fields are what differs in it ("target.title", "postcondition.value").
	Fields []ValueChange `json:"fields,omitempty"`
}

// StepDrift is a step that passed by a weaker means than before.
type StepDrift struct {
	// Step is the step.
	Step StepRef `json:"step"`
	// What is what became weaker: "target" (how it was found), "action" (what
	// acted) or "postcondition" (by what it held).
	What string `json:"what" enum:"target,action,postcondition"`
	// Before is the means in the last good run ("identifier", "native", "tree").
	Before string `json:"before"`
	// After is the means in this run ("exact title", "pointer", "ocr").
	After string `json:"after"`
	// Message is one line for people.
	Message string `json:"message"`
}

// Slowdown is a program that took longer than its history lets expect: longer
// than LimitMS, see Limit.
type Slowdown struct {
	// DurationMS is how long the deciding attempt took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// MedianMS is the median of the earlier ones, in milliseconds.
	MedianMS int64 `json:"median_ms"`
	// MADMS is their median absolute deviation from it, in milliseconds.
	MADMS int64 `json:"mad_ms"`
	// LimitMS is the longest that is not slower, in milliseconds.
	LimitMS int64 `json:"limit_ms"`
	// Samples is how many earlier durations there are.
	Samples int `json:"samples"`
	// Step is the step that grew most, nil where none stands out.
	Step *StepSlowdown `json:"step,omitempty"`
}

// StepSlowdown is a step that took longer than before.
type StepSlowdown struct {
	// Step is the step.
	Step StepRef `json:"step"`
	// DurationMS is how long it took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// BeforeMS is how long it took in the last good run, in milliseconds.
	BeforeMS int64 `json:"before_ms"`
}

// Flakiness is how steadily a program's runs come out.
type Flakiness struct {
	// Runs is how many runs with a verdict are looked at, the newest ones, at
	// most FlakinessRuns.
	Runs int `json:"runs"`
	// Flaky counts those in which it passed on a retry only, or in some
	// repetitions only.
	Flaky int `json:"flaky"`
	// Flips counts those that came out otherwise than the run before although
	// the program's file, the packages and the commit were the same.
	Flips int `json:"flips"`
	// Percent is the share of runs that are either, from 0 to 100.
	Percent float64 `json:"percent"`
}
