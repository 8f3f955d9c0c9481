package results

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
)

// WarningKind is the kind of a warning.
type WarningKind string

// The kinds of warnings.
const (
	WarnWeak      WarningKind = "weak"
	WarnVacuous   WarningKind = "vacuous"
	WarnUnchecked WarningKind = "unchecked"
	WarnBrittle   WarningKind = "brittle"
	WarnNote      WarningKind = "note"
)

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
	PostconditionNotMet FailureKind = "postcondition_not_met"
	AppNotFound         FailureKind = "app_not_found"
	AppNotOpened        FailureKind = "app_not_opened"
	AppDied             FailureKind = "app_died"
	AppHung             FailureKind = "app_hung"
	AppNoTree           FailureKind = "app_no_tree"

	SessionNotStarted FailureKind = "session_not_started"
	EnvironmentFault  FailureKind = "environment_fault"
	OCRUnavailable    FailureKind = "ocr_unavailable"
	WorkerCrashed     FailureKind = "worker_crashed"
	HostCrashed       FailureKind = "host_crashed"
	BudgetExceeded    FailureKind = "budget_exceeded"
	InternalFault     FailureKind = "internal_fault"
	VariableUnset     FailureKind = "variable_unset"
)
