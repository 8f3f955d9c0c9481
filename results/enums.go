package results

import (
	"fmt"
	"slices"
	"strings"
)

// Status is the outcome of a program, an attempt or a run.
type Status string

// The statuses. Whose fault each is stands in ARCHITECTURE.md.
const (
	Passed  Status = "passed"
	Flaky   Status = "flaky"
	Failed  Status = "failed"
	Broken  Status = "broken"
	Invalid Status = "invalid"
	Skipped Status = "skipped"
)

// Statuses lists every status, best first.
var Statuses = []Status{Passed, Flaky, Skipped, Invalid, Broken, Failed}

// StepStatus is the outcome of a step.
type StepStatus string

// The statuses of steps.
const (
	StepPassed  StepStatus = "passed"
	StepFailed  StepStatus = "failed"
	StepBroken  StepStatus = "broken"
	StepBlocked StepStatus = "blocked"
)

// StepStatuses lists every status of a step.
var StepStatuses = []StepStatus{StepPassed, StepFailed, StepBroken, StepBlocked}

// Means says by what a target was found or a postcondition held, strongest
// first within targets.
type Means string

// The means.
const (
	MeansRef            Means = "ref"
	MeansIdentifier     Means = "identifier"
	MeansExactTitle     Means = "exact title"
	MeansSubstringTitle Means = "substring title"
	MeansRole           Means = "role"
	MeansApp            Means = "app"
	MeansWindow         Means = "window" // the focused window
	MeansTree           Means = "tree"   // names, values and texts in the tree
	MeansOCR            Means = "ocr"    // text read from pixels
	MeansScript         Means = "script" // what a script has left
)

// AllMeans lists every means.
var AllMeans = []Means{
	MeansRef, MeansIdentifier, MeansExactTitle, MeansSubstringTitle, MeansRole,
	MeansApp, MeansWindow, MeansTree, MeansOCR, MeansScript,
}

// WarningKind is the kind of a warning.
type WarningKind string

// The kinds of warnings.
const (
	WarnWeak      WarningKind = "weak"
	WarnVacuous   WarningKind = "vacuous"
	WarnUnchecked WarningKind = "unchecked"
	WarnBrittle   WarningKind = "brittle"
	WarnDrift     WarningKind = "drift" // against the history: a step passed by a weaker means than before
	WarnSlow      WarningKind = "slow"  // against the history: it took longer than before
	WarnKnown     WarningKind = "known" // against the history: it failed before already
	WarnNote      WarningKind = "note"
)

// WarningKinds lists every kind of warning.
var WarningKinds = []WarningKind{WarnWeak, WarnVacuous, WarnUnchecked, WarnBrittle, WarnDrift, WarnSlow, WarnKnown, WarnNote}

// ofHistory says whether a warning of this kind depends on earlier runs, so
// that it is not a property of the run alone.
func (k WarningKind) ofHistory() bool { return k == WarnDrift || k == WarnSlow || k == WarnKnown }

// FailureKind says what sort of thing went wrong.
type FailureKind string

// The kinds of failures. The first group is the program's or the app's, the
// second the environment's.
const (
	TargetNotFound      FailureKind = "target_not_found"
	TargetInsensitive   FailureKind = "target_insensitive"
	TargetHidden        FailureKind = "target_hidden"
	MenuItemNotFound    FailureKind = "menu_item_not_found"
	ActionRefused       FailureKind = "action_refused"
	TextMistyped        FailureKind = "text_mistyped"
	PostconditionNotMet FailureKind = "postcondition_not_met"
	AppNotFound         FailureKind = "app_not_found"
	AppNotOpened        FailureKind = "app_not_opened"
	AppDied             FailureKind = "app_died"
	AppHung             FailureKind = "app_hung"
	AppNoTree           FailureKind = "app_no_tree"
	TimeBudgetExceeded  FailureKind = "time_budget_exceeded" // the program's own
	LimitReached        FailureKind = "limit_reached"        // of the session's processes
	ScriptFailed        FailureKind = "script_failed"        // it ended with another exit code than it should
	ScriptTimedOut      FailureKind = "script_timed_out"
	ScriptOverLimit     FailureKind = "script_over_limit" // it failed at a limit of its sandbox

	SessionNotStarted FailureKind = "session_not_started"
	EnvironmentFault  FailureKind = "environment_fault"
	OCRUnavailable    FailureKind = "ocr_unavailable"
	WorkerCrashed     FailureKind = "worker_crashed"
	HostCrashed       FailureKind = "host_crashed"
	BudgetExceeded    FailureKind = "budget_exceeded"
	InternalFault     FailureKind = "internal_fault"
	VariableUnset     FailureKind = "variable_unset"

	SandboxUnavailable FailureKind = "sandbox_unavailable" // scripts are not run unconfined
)

// FailureKinds lists every kind of failure.
var FailureKinds = []FailureKind{
	TargetNotFound, TargetInsensitive, TargetHidden, MenuItemNotFound,
	ActionRefused, TextMistyped, PostconditionNotMet, AppNotFound, AppNotOpened, AppDied,
	AppHung, AppNoTree, TimeBudgetExceeded, LimitReached,
	ScriptFailed, ScriptTimedOut, ScriptOverLimit,
	SessionNotStarted, EnvironmentFault, OCRUnavailable, WorkerCrashed,
	HostCrashed, BudgetExceeded, InternalFault, VariableUnset, SandboxUnavailable,
}

// Valid reports whether s is one of Statuses.
func (s Status) Valid() bool { return slices.Contains(Statuses, s) }

// Valid reports whether s is one of StepStatuses.
func (s StepStatus) Valid() bool { return slices.Contains(StepStatuses, s) }

// Valid reports whether m is one of AllMeans.
func (m Means) Valid() bool { return slices.Contains(AllMeans, m) }

// Valid reports whether k is one of WarningKinds.
func (k WarningKind) Valid() bool { return slices.Contains(WarningKinds, k) }

// Valid reports whether k is one of FailureKinds.
func (k FailureKind) Valid() bool { return slices.Contains(FailureKinds, k) }

// Valid reports whether t is one of EventTypes.
func (t EventType) Valid() bool { return slices.Contains(EventTypes, t) }

// UnmarshalText refuses what is not a status. The empty text stands for "not
// known yet", as events about unfinished things have it.
func (s *Status) UnmarshalText(text []byte) error {
	return decodeEnum(s, text, "status", Statuses)
}

// UnmarshalText refuses what is not a step's status; empty is "not known yet".
func (s *StepStatus) UnmarshalText(text []byte) error {
	return decodeEnum(s, text, "step status", StepStatuses)
}

// UnmarshalText refuses what is not a means; empty is "none".
func (m *Means) UnmarshalText(text []byte) error {
	return decodeEnum(m, text, "means", AllMeans)
}

// UnmarshalText refuses what is not a kind of warning.
func (k *WarningKind) UnmarshalText(text []byte) error {
	return decodeEnum(k, text, "kind of warning", WarningKinds)
}

// UnmarshalText refuses what is not a kind of failure.
func (k *FailureKind) UnmarshalText(text []byte) error {
	return decodeEnum(k, text, "kind of failure", FailureKinds)
}

// UnmarshalText refuses what is not a type of event.
func (t *EventType) UnmarshalText(text []byte) error {
	return decodeEnum(t, text, "type of event", EventTypes)
}

// decodeEnum sets *to to text where it is "" or one of all.
func decodeEnum[T ~string](to *T, text []byte, what string, all []T) error {
	value := T(text)
	if value != "" && !slices.Contains(all, value) {
		names := make([]string, len(all))
		for i, v := range all {
			names[i] = string(v)
		}
		return fmt.Errorf("%q is not a %s (known: %s)", text, what, strings.Join(names, ", "))
	}
	*to = value
	return nil
}
