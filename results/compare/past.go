package compare

import (
	"iter"

	"github.com/opendesk/opendesk/results"
)

// Past is what is known of the runs before one. It is for concurrent use.
type Past interface {
	// Runs gives the earlier runs of the suite, the newest first.
	Runs() iter.Seq2[RunInfo, error]
	// Paths are the programs of one of these runs, by path.
	Paths(run RunInfo) ([]string, error)
	// Outcomes gives what came of the program in these runs, the newest first.
	// Whoever has enough stops.
	Outcomes(path string) iter.Seq2[Outcome, error]
	// Some is the same past with what it knows of these programs at hand: whoever
	// asks for many programs has it sooner so.
	Some(paths []string) (Past, error)
	// Steps are the steps of the outcome's deciding attempt, in their order.
	Steps(o Outcome) ([]StepOutcome, error)
	// Content is a program's file by the SHA-256 of what is in it, in
	// hexadecimal; nil where it is not known.
	Content(sha256 string) ([]byte, error)
}

// Contents gives a program's file as it was run by the SHA-256 of what is in it,
// in hexadecimal; nil where it is not known.
type Contents func(sha256 string) ([]byte, error)

// ContentsOf are these, in any order.
func ContentsOf(contents ...[]byte) Contents {
	known := make(map[string][]byte, len(contents))
	for _, content := range contents {
		known[SHA256(content)] = content
	}
	return func(sha256 string) ([]byte, error) { return known[sha256], nil }
}

// Outcome is what came of a program in one run. Repetitions are one outcome.
type Outcome struct {
	// Run is the run.
	Run RunRef
	// Environment is where it took place: the run's, which its outcomes share.
	Environment *results.Environment
	// Tool is what ran it, shared as well.
	Tool *results.Tool
	// Path is the program.
	Path string
	// Repeat is the repetition that the outcome is taken from, 0 for none.
	Repeat int
	// Status is the worst of the repetitions'.
	Status results.Status
	// Excused says that it failed in quarantine: Status is skipped then.
	Excused bool
	// Mixed says that some repetitions passed and others failed.
	Mixed bool
	// Reason is one line that says why, "" for passed.
	Reason string
	// DurationMS is how long the deciding attempt took, in milliseconds.
	DurationMS int64
	// Isolation is the mode in effect, "" where it had no session.
	Isolation string
	// SHA256 is of the program's file, in hexadecimal, "" where unknown.
	SHA256 string
	// CodeSHA256 is of the code of its scripts, "" for none.
	CodeSHA256 string
}

// StepOutcome is what came of a step.
type StepOutcome struct {
	// StepRef names it.
	StepRef
	// Status is the step's.
	Status results.StepStatus
	// DurationMS is how long the whole step took, in milliseconds.
	DurationMS int64
	// Target is by what the target was found, "" where none was looked up.
	Target results.Means
	// ActedBy is what acted, "" for nothing.
	ActedBy string
	// Held is by what the postcondition held, "" where it did not or is none.
	Held results.Means
}
