// Package results is the model of what a run found: plain structs that every
// report is a function of, the events that a run emits, and the accumulator
// that turns events into results. It imports nothing else of opendesk.
//
// Times in JSON are RFC 3339 in UTC; durations are whole milliseconds in
// fields that end in _ms. Fields tagged volatile:"true" differ from run to run
// of the same thing; comparisons leave out those and nothing else.
package results

import (
	"encoding/json"
	"time"
)

// SchemaVersion is the version of results.json's shape.
const SchemaVersion = 1

// Run is one run of one suite over one project: the content of results.json.
type Run struct {
	// SchemaVersion is SchemaVersion.
	SchemaVersion int `json:"schema_version"`
	// ID names the run and its folder.
	ID string `json:"id" volatile:"true"`
	// Suite is the suite's name ("learn-regression").
	Suite string `json:"suite"`
	// Kind is on whose behalf it was run: "eval" for a command that runs a suite,
	// "run" for one that runs a program, "builder" for single steps in a session,
	// "schedule" for a run at its time, "webhook" for one that another system
	// asked for; "" in results from before there were kinds.
	Kind string `json:"kind,omitempty" enum:"eval,run,builder,schedule,webhook"`
	// Project is the project's folder, absolute.
	Project string `json:"project" volatile:"true"`
	// Tool is what produced the results.
	Tool Tool `json:"tool"`
	// Environment is where the run took place.
	Environment Environment `json:"environment"`
	// Plan is what was to be run, and which part of it this run is.
	Plan *Plan `json:"plan,omitempty"`
	// StartedAt is when the run began, in UTC.
	StartedAt time.Time `json:"started_at" volatile:"true"`
	// DurationMS is how long the run took, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
	// Status is the worst of the programs' statuses; programs that were left
	// out on purpose do not count (see RunStatus).
	Status Status `json:"status"`
	// ExitCode is what the command exited with.
	ExitCode int `json:"exit_code"`
	// Interrupted says that the run was stopped before its end.
	Interrupted bool `json:"interrupted,omitempty"`
	// Counts is how many programs and postconditions ended how.
	Counts Counts `json:"counts"`
	// Programs are in the plan's order.
	Programs []Program `json:"programs"`
	// News is one line on what is new against the project's history, "" where
	// none is kept.
	News string `json:"news,omitempty" volatile:"true"`
	// Notes are remarks on the run as a whole.
	Notes []string `json:"notes,omitempty"`
}

// Plan is what was to be run, and which part of it a run is.
type Plan struct {
	// Digest identifies what was to be run before it was divided into shards:
	// programs with their contents, and the options that matter. It is the
	// same in all shards, in any order, and with any number of workers.
	Digest string `json:"digest"`
	// Programs is how many there were before the division; repetitions count.
	Programs int `json:"programs"`
	// Selection is what was selected from the suite ("--tag smoke"), "" for
	// everything.
	Selection string `json:"selection,omitempty"`
	// Shard is the part that this run is ("2/3"), "" for the whole.
	Shard string `json:"shard,omitempty"`
	// Order is "file" or "random".
	Order string `json:"order" enum:"file,random"`
	// Seed gives the random order again.
	Seed int64 `json:"seed,omitempty"`
	// Repeat is how often each program is run, from 1.
	Repeat int `json:"repeat"`
	// FailOn are the remarks that make the exit code that of a failure.
	FailOn []Remark `json:"fail_on,omitempty"`
}

// Tool identifies the build of opendesk.
type Tool struct {
	// Name is "opendesk".
	Name string `json:"name"`
	// Version is the release, or "devel".
	Version string `json:"version"`
	// Commit is the revision of the source, "" where the build has none.
	Commit string `json:"commit,omitempty"`
}

// Environment is where and how a run took place.
type Environment struct {
	// OS is the operating system ("linux").
	OS string `json:"os"`
	// Arch is the machine's architecture ("amd64").
	Arch string `json:"arch"`
	// Distribution is the operating system with its release, as it calls itself
	// ("Debian GNU/Linux 12 (bookworm)"), "" where it does not say.
	Distribution string `json:"distribution,omitempty"`
	// Kernel is the kernel's release ("6.1.0-18-amd64"), "" where it is unknown.
	Kernel string `json:"kernel,omitempty"`
	// Hostname is the machine's name.
	Hostname string `json:"hostname,omitempty" volatile:"true"`
	// UID is the user id that the programs ran as.
	UID int `json:"uid" volatile:"true"`
	// Display is "virtual" or the real display's name.
	Display string `json:"display"`
	// Geometry is the display's size and depth ("1280x800x24").
	Geometry string `json:"geometry"`
	// Isolation is the mode that was asked for ("auto", "bwrap" or "none"); the
	// one in effect stands in each attempt's session.
	Isolation string `json:"isolation,omitempty"`
	// Locale is the LANG of the sessions.
	Locale string `json:"locale"`
	// Timezone is the TZ of the sessions.
	Timezone string `json:"timezone"`
	// TimeoutScale multiplied every timeout; 1 unless asked for.
	TimeoutScale float64 `json:"timeout_scale"`
	// Network is what the applications reached, "host" or "none".
	Network string `json:"network,omitempty"`
	// Workers is how many programs could run at the same time.
	Workers int `json:"workers,omitempty" volatile:"true"`
	// Packages are the installed packages that the outcome can depend on, sorted
	// by name: those of the applications under test, and of the toolkits and the
	// platform below them. They are known a moment after the run has begun.
	Packages []Package `json:"packages,omitempty"`
	// Commit is the git commit that the project's work tree was at, "" where it
	// is in none.
	Commit string `json:"git_commit,omitempty"`
	// Dirty says that there were changes to files of the work tree that are in
	// no commit; files that git does not know do not count.
	Dirty bool `json:"git_dirty,omitempty"`
}

// Package is an installed package.
type Package struct {
	// Name is the package's name in its package manager ("libgtk-3-0").
	Name string `json:"name"`
	// Version is what of it is installed, as the package manager writes it.
	Version string `json:"version"`
}

// Counts is how many programs and postconditions ended how.
type Counts struct {
	// Programs counts all of them.
	Programs int `json:"programs"`
	// Passed counts the programs that passed at once.
	Passed int `json:"passed"`
	// Flaky counts the programs that failed, then passed on a retry.
	Flaky int `json:"flaky"`
	// Failed counts the programs that failed.
	Failed int `json:"failed"`
	// Broken counts the programs that the environment broke.
	Broken int `json:"broken"`
	// Invalid counts the files that do not load or validate.
	Invalid int `json:"invalid"`
	// Skipped counts the programs that were not run, or not to an end.
	Skipped int `json:"skipped"`
	// Steps counts the steps of every program's deciding attempt.
	Steps int `json:"steps"`
	// Postconditions counts those steps' postconditions.
	Postconditions int `json:"postconditions"`
	// PostconditionsMet counts the postconditions that held.
	PostconditionsMet int `json:"postconditions_met"`
}

// Program is one program's result.
type Program struct {
	// Path is the identity: relative to the project, forward slashes.
	Path string `json:"path"`
	// File is the path relative to the git root (or to the project where
	// there is none), for annotations.
	File string `json:"file"`
	// Repeat is the number of the repetition, from 1, where programs are
	// repeated; together with Path it is the identity then.
	Repeat int `json:"repeat,omitempty"`
	// Name is the file's "name".
	Name string `json:"name,omitempty"`
	// SHA256 is of the file's content as it was read, in lower-case hexadecimal,
	// "" where it could not be read.
	SHA256 string `json:"sha256,omitempty"`
	// CodeSHA256 is of the names and contents of its scripts' code, "" for a
	// program without scripts.
	CodeSHA256 string `json:"code_sha256,omitempty"`
	// Description is the file's "description".
	Description string `json:"description,omitempty"`
	// Tags are those that eval.yaml gives it.
	Tags []string `json:"tags,omitempty"`
	// Quarantine is what eval.yaml excuses it by; nil for none.
	Quarantine *Quarantine `json:"quarantine,omitempty"`
	// Status follows from the attempts (see FinalStatus); one that failed in
	// quarantine is skipped.
	Status Status `json:"status"`
	// Reason is one line that says why, "" for passed.
	Reason string `json:"reason,omitempty"`
	// DurationMS is how long all attempts took, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
	// Problems are the loader's findings, errors and warnings.
	Problems []Problem `json:"problems,omitempty"`
	// Warnings never change a status.
	Warnings []Warning `json:"warnings,omitempty"`
	// Attempts are in the order in which they were made; together they decide
	// (see FinalStatus). Empty for what was not run.
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Final is the attempt that decided: the last one that ended as the program
// did (a failed program's last failed attempt, also where a later one broke),
// nil where none was made.
func (p *Program) Final() *Attempt {
	if len(p.Attempts) == 0 {
		return nil
	}
	want := p.Status
	if want == Flaky {
		want = Passed
	}
	for i := len(p.Attempts) - 1; i >= 0; i-- {
		if p.Attempts[i].Status == want {
			return &p.Attempts[i]
		}
	}
	return &p.Attempts[len(p.Attempts)-1]
}

// Quarantine excuses a program that is known to fail.
type Quarantine struct {
	// Issue is the link to what is known about the failure.
	Issue string `json:"issue"`
	// Until is the last day on which it counts ("2027-01-31"), in UTC.
	Until string `json:"until"`
	// Expired says that this day was over when the run began: a failure counts.
	Expired bool `json:"expired,omitempty"`
}

// Excused says whether the program failed and its quarantine was in force:
// the failure is shown and counts for nothing.
func (p *Program) Excused() bool {
	return p.Status == Skipped && p.Quarantine != nil && len(p.Attempts) > 0 && p.Final().Status == Failed
}

// Problem is a finding of the program loader.
type Problem struct {
	// Severity is "error", which keeps the file from being run, or "warning".
	Severity string `json:"severity" enum:"error,warning"`
	// Code is a stable short name of the kind of problem ("unknown-tool").
	Code string `json:"code"`
	// File is the path as it is shown to people.
	File string `json:"file"`
	// Line counts from 1; 0 where the problem has no place.
	Line int `json:"line,omitempty"`
	// Column counts bytes from 1; 0 where the problem has no place.
	Column int `json:"column,omitempty"`
	// JSONPath is the place inside the document ("steps[2].target.role").
	JSONPath string `json:"json_path,omitempty"`
	// Message says what is wrong and what to do, without the place.
	Message string `json:"message"`
}

// Warning is a remark that does not change a status.
type Warning struct {
	// Kind is "weak", "vacuous", "unchecked", "brittle", "drift", "slow",
	// "known" or "note".
	Kind WarningKind `json:"kind"`
	// Step is the id of the step it is about, "" for the program.
	Step string `json:"step,omitempty"`
	// Message is one line for people.
	Message string `json:"message"`
}

// Attempt is one execution of a program in a session of its own.
type Attempt struct {
	// Number counts from 1.
	Number int `json:"number"`
	// Status is passed, failed, broken or skipped (interrupted).
	Status Status `json:"status"`
	// Reason is one line that says why, "" for passed.
	Reason string `json:"reason,omitempty"`
	// StartedAt is when the attempt began, in UTC.
	StartedAt time.Time `json:"started_at" volatile:"true"`
	// DurationMS is how long it took, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
	// Session is where it ran.
	Session *Session `json:"session,omitempty"`
	// Steps has every step of the program, those that were not reached as
	// blocked.
	Steps []Step `json:"steps"`
	// Fault is what broke outside any step (the session did not start, the
	// worker crashed).
	Fault *Failure `json:"fault,omitempty"`
	// Artifacts that belong to no step.
	Artifacts []Artifact `json:"artifacts,omitempty"`
}

// Session describes the display session of an attempt.
type Session struct {
	// Display is the X display (":3").
	Display string `json:"display" volatile:"true"`
	// Geometry is its size and depth ("1280x800x24").
	Geometry string `json:"geometry"`
	// Isolation is the mode in effect, "bwrap" or "none".
	Isolation string `json:"isolation"`
	// IsolationReason says why auto did not take "bwrap".
	IsolationReason string `json:"isolation_reason,omitempty"`
	// Limits say what the session could use at most, and what kept it to that.
	Limits []Limit `json:"limits,omitempty"`
	// UID is the user id that the session ran as.
	UID int `json:"uid" volatile:"true"`
	// StartMS is how long the session took to start, in milliseconds.
	StartMS int64 `json:"start_ms" volatile:"true"`
	// Warm says that it was started ahead and was there when it was needed.
	Warm bool `json:"warm,omitempty" volatile:"true"`
}

// Limit is one limit of a session.
type Limit struct {
	// Name is "memory", "processes" or "home".
	Name string `json:"name"`
	// Max is the limit: bytes of memory of all processes together, processes and
	// threads at a time, or bytes in the private home; 0 for no limit.
	Max int64 `json:"max"`
	// By is what kept it: "cgroup v2", "cgroup v1" or "tmpfs".
	By string `json:"by,omitempty"`
	// Unavailable says why nothing could keep it.
	Unavailable string `json:"unavailable,omitempty"`
}

// Step is one step's result.
type Step struct {
	// ID is the step's stable id ("s3"), unique in its program.
	ID string `json:"id"`
	// Index is the step's place in the file, from 0.
	Index int `json:"index"`
	// Line says where the step begins in the file, from 1.
	Line int `json:"line"`
	// Column says where in that line it begins, from 1.
	Column int `json:"column"`
	// Tool is ui, keyboard, app, mouse, clipboard, script or wait.
	Tool string `json:"tool"`
	// Action is the tool's action, "" for a tool without actions (wait, script).
	Action string `json:"action,omitempty"`
	// Summary is one line for people: `click [AXButton] 'PDF' in Numbers`.
	Summary string `json:"summary"`
	// Note is the file's free text on the step.
	Note string `json:"note,omitempty"`
	// Status is passed, failed, broken or blocked.
	Status StepStatus `json:"status"`
	// BlockedBy is the id of the step that ended the program.
	BlockedBy string `json:"blocked_by,omitempty"`
	// StartedAt is when the step began, in UTC; absent for what never began.
	StartedAt time.Time `json:"started_at,omitzero" volatile:"true"`
	// Timing is where the step's time went.
	Timing Timing `json:"timing" volatile:"true"`
	// Resolution says how the target was found; nil where none was looked up.
	Resolution *Resolution `json:"resolution,omitempty"`
	// ActedBy is "native", "pointer", "keyboard", … ("" where nothing acted).
	ActedBy string `json:"acted_by,omitempty"`
	// Value is what ui get_value or clipboard read gave.
	Value string `json:"value,omitempty"`
	// Script is what a script did and left; nil for other tools.
	Script *Script `json:"script,omitempty"`
	// Postcondition is what the check found, absent where the step has none.
	Postcondition *PostconditionResult `json:"postcondition,omitempty"`
	// Failure is why the step failed or broke.
	Failure *Failure `json:"failure,omitempty"`
	// Notes are remarks for people ("not running, was opened").
	Notes []string `json:"notes,omitempty"`
	// Artifacts belong to this step.
	Artifacts []Artifact `json:"artifacts,omitempty"`
}

// Timing is where a step's time went.
type Timing struct {
	// ResolveMS is the search for the target, in milliseconds.
	ResolveMS int64 `json:"resolve_ms"`
	// ActMS is the action, in milliseconds.
	ActMS int64 `json:"act_ms"`
	// WaitMS is the step's own wait_ms, in milliseconds.
	WaitMS int64 `json:"wait_ms"`
	// CheckMS is the check of the postcondition, in milliseconds.
	CheckMS int64 `json:"check_ms"`
	// TotalMS is the whole step, in milliseconds.
	TotalMS int64 `json:"total_ms"`
}

// Resolution says how a target was found.
type Resolution struct {
	// Means is "ref", "identifier", "exact title", "substring title", "role"
	// or "app".
	Means Means `json:"means"`
	// Rule says by which rule one of several matches was taken ("" for one).
	Rule string `json:"rule,omitempty"`
	// Matched is how many elements matched by that means.
	Matched int `json:"matched"`
	// Element is what was found.
	Element ElementInfo `json:"element"`
}

// ElementInfo is an element in results.
type ElementInfo struct {
	// App is the application's name.
	App string `json:"app,omitempty"`
	// Window is the title of the window it is in.
	Window string `json:"window,omitempty"`
	// Role is the toolkit's own name of the role ("push button").
	Role string `json:"role"`
	// Title is the accessible name.
	Title string `json:"title,omitempty"`
	// Identifier is the accessibility identifier.
	Identifier string `json:"identifier,omitempty"`
	// Ref is the structural path (frame[0]/panel[1]/push button[2]).
	Ref string `json:"ref,omitempty"`
	// Bounds is its place on the screen, absent where it is unknown.
	Bounds *Box `json:"bounds,omitempty" volatile:"true"`
	// Showing tells whether it could be seen at that moment; toolkits can tell
	// it later than that the element is there.
	Showing bool `json:"showing" volatile:"true"`
	// Sensitive tells whether it can be used.
	Sensitive bool `json:"sensitive"`
}

// Box is a rectangle in screen pixels.
type Box struct {
	// X is the left edge.
	X int `json:"x"`
	// Y is the top edge.
	Y int `json:"y"`
	// Width is in pixels.
	Width int `json:"width"`
	// Height is in pixels.
	Height int `json:"height"`
}

// PostconditionResult is what a check found.
type PostconditionResult struct {
	// Kind is the format's name ("text_visible").
	Kind string `json:"kind"`
	// Value is what was expected, as one line.
	Value string `json:"value"`
	// TimeoutMS is the effective timeout, in milliseconds.
	TimeoutMS int64 `json:"timeout_ms"`
	// Met says whether it held within its time.
	Met bool `json:"met"`
	// Checked is false where the step ended before its check.
	Checked bool `json:"checked"`
	// Means is by what it held: "tree", "window", "identifier", "ocr", ….
	Means Means `json:"means,omitempty"`
	// Observed is what was last seen, in words: "window title is 'Report'".
	Observed string `json:"observed,omitempty"`
	// Element is what element_exists found.
	Element *ElementInfo `json:"element,omitempty"`
	// Matched is how many elements element_exists found by that means.
	Matched int `json:"matched,omitempty"`
	// Rule says by which rule Element is the one of several ("" for one).
	Rule string `json:"rule,omitempty"`
	// Vacuous says that it held before the action already.
	Vacuous bool `json:"vacuous,omitempty"`
	// Looks counts how often it was evaluated.
	Looks int `json:"looks" volatile:"true"`
	// OCR is what was read, where OCR was asked.
	OCR *OCRResult `json:"ocr,omitempty"`
}

// OCRResult is one OCR attempt.
type OCRResult struct {
	// Found says whether the wanted text was read.
	Found bool `json:"found"`
	// Text is the closest text that was read.
	Text string `json:"text,omitempty"`
	// Distance is its edit distance to the wanted text, 0 where it is found.
	Distance int `json:"distance"`
	// Confidence is the reader's, from 0 to 100.
	Confidence float64 `json:"confidence"`
	// Box is the text's place on the screen.
	Box *Box `json:"box,omitempty" volatile:"true"`
	// DurationMS is how long reading took, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
	// Area is what was read: "windows of xterm" or "screen".
	Area string `json:"area"`
}

// Failure is why a step or attempt did not pass.
type Failure struct {
	// Kind is what sort of thing went wrong.
	Kind FailureKind `json:"kind"`
	// Reason is the first line, in the fixed wording of the format.
	Reason string `json:"reason"`
	// Details are further lines for people.
	Details []string `json:"details,omitempty"`
	// Evidence is what the system knew of the app at that moment: what was
	// started, what its processes do and wait for, and the end of its output.
	Evidence []string `json:"evidence,omitempty" volatile:"true"`
	// Probes are the environment's answers at that moment; Blame follows
	// from them.
	Probes []Probe `json:"probes,omitempty"`
	// Reached says how far a target got ("app", "window", "hidden match",
	// "insensitive match"), "" where there was none.
	Reached string `json:"reached,omitempty"`
	// Lookup is the same in figures; nil where there was no target.
	Lookup *Lookup `json:"lookup,omitempty"`
	// Candidates are the closest elements, best first, at most 5.
	Candidates []Candidate `json:"candidates,omitempty"`
	// SelfHeal is what somebody who repairs the program needs.
	SelfHeal *SelfHeal `json:"self_heal,omitempty"`
}

// Lookup says how far a target got when it was looked for last.
type Lookup struct {
	// AppFound says whether the target's app had a tree.
	AppFound bool `json:"app_found"`
	// Windows are the titles of the windows that were looked at, at most 10.
	Windows []string `json:"windows,omitempty"`
	// Hidden counts the elements that match but are hidden.
	Hidden int `json:"hidden"`
	// Insensitive counts the elements that match but are greyed out.
	Insensitive int `json:"insensitive"`
}

// Probe is one part of the environment's answer.
type Probe struct {
	// Part is what was asked ("X server", "session bus").
	Part string `json:"part"`
	// OK says whether it answered as it should.
	OK bool `json:"ok"`
	// Detail is the answer or the error, in words.
	Detail string `json:"detail,omitempty" volatile:"true"`
	// DurationMS is how long the answer took, in milliseconds.
	DurationMS int64 `json:"duration_ms" volatile:"true"`
}

// Candidate is an element that is close to the target.
type Candidate struct {
	// Element is what is there.
	Element ElementInfo `json:"element"`
	// Differs lists in words what differs ("title is 'Export…'").
	Differs []string `json:"differs"`
}

// SelfHeal is the context for a repair: data only, nothing is applied.
type SelfHeal struct {
	// FailedStep is the full JSON of the step.
	FailedStep json.RawMessage `json:"failed_step"`
	// Reason is the failure's first line.
	Reason string `json:"reason"`
	// Screenshot is the artifact's name, "" where none could be taken.
	Screenshot string `json:"screenshot,omitempty"`
	// RemainingSteps are the steps after the failed one.
	RemainingSteps []json.RawMessage `json:"remaining_steps"`
	// Procedure is the natural-language procedure, verbatim, null for none.
	Procedure json.RawMessage `json:"procedure,omitempty"`
	// Patch is a command line for a POSIX shell that makes the step look for
	// the closest element instead; "" where none is close enough.
	Patch string `json:"patch,omitempty"`
}

// KindTrace is the kind of the pictures of the screen that are taken after
// each step where a trace is asked for; they belong to the attempt.
const KindTrace = "trace"

// KindVideo is the kind of the film of an attempt.
const KindVideo = "video"

// Artifact is a file that belongs to a result.
type Artifact struct {
	// Name is the path below the run's folder, forward slashes.
	Name string `json:"name"`
	// Kind is "screenshot", "trace", "video", "ocr-text", "app-log",
	// "worker-log", "tree", or of what a script left "output" and
	// "result".
	Kind string `json:"kind"`
	// Step is the id of the step that it shows the end of, where it is of the
	// kind KindTrace; "" otherwise.
	Step string `json:"step,omitempty"`
	// Size is in bytes.
	Size int64 `json:"size" volatile:"true"`
	// SHA256 is the content's hash, in lower-case hexadecimal.
	SHA256 string `json:"sha256" volatile:"true"`
	// MediaType is the content type ("image/png").
	MediaType string `json:"media_type"`
}
