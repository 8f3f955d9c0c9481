// Package policy says what is strict: what executes a saved program as it is,
// or fails with its error, and never writes one. It is one pure table.
package policy

// Kind is on whose behalf something is done.
type Kind string

// The kinds.
const (
	// Builder is a person, or an agent on a person's behalf, who writes programs.
	Builder Kind = "builder"
	// Run is a run of one program.
	Run Kind = "run"
	// Schedule is a run at its time.
	Schedule Kind = "schedule"
	// Webhook is a run that another system asked for.
	Webhook Kind = "webhook"
	// Eval is a run of a suite.
	Eval Kind = "eval"
)

// Kinds lists every kind.
var Kinds = []Kind{Builder, Run, Schedule, Webhook, Eval}

// Work is what is done with a program.
type Work string

// The works.
const (
	// Execute runs a program.
	Execute Work = "execute"
	// Step runs single steps in a session that stays.
	Step Work = "step"
	// Patch changes steps of a program.
	Patch Work = "patch"
	// Compile writes a program out of its text, or out of a recording.
	Compile Work = "compile"
)

// Works lists every work.
var Works = []Work{Execute, Step, Patch, Compile}

// lifted are the works for which a kind is not strict. Kinds and works that are
// not in it are strict.
var lifted = map[Kind]map[Work]bool{
	Builder: {Step: true, Patch: true, Compile: true},
}

// Strict says whether the program may only be executed as it is. wanted is the
// program's own "strict": it binds builders as well.
func Strict(k Kind, w Work, wanted bool) bool { return wanted || !lifted[k][w] }
