package ctrf

// The types below are those parts of CTRF that are written. Its schema allows
// no other fields than its own, except within "extra".

type report struct {
	ReportFormat string      `json:"reportFormat"`
	SpecVersion  string      `json:"specVersion"`
	RunID        string      `json:"runId,omitempty"`
	Timestamp    string      `json:"timestamp,omitempty"`
	GeneratedBy  string      `json:"generatedBy"`
	Results      runResults  `json:"results"`
	Extra        *extraOfRun `json:"extra,omitempty"`
}

type runResults struct {
	Tool        tool        `json:"tool"`
	Summary     summary     `json:"summary"`
	Tests       []test      `json:"tests"`
	Environment environment `json:"environment"`
}

type tool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// summary counts programs: failed ones as failed; broken, and invalid files, as
// other.
type summary struct {
	Tests    int   `json:"tests"`
	Passed   int   `json:"passed"`
	Failed   int   `json:"failed"`
	Skipped  int   `json:"skipped"`
	Pending  int   `json:"pending"`
	Other    int   `json:"other"`
	Flaky    int   `json:"flaky"`
	Start    int64 `json:"start"` // milliseconds since 1970
	Stop     int64 `json:"stop"`
	Duration int64 `json:"duration"`
}

type test struct {
	TestID      string       `json:"testId,omitempty"`
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	Duration    int64        `json:"duration"` // in milliseconds
	Start       int64        `json:"start,omitempty"`
	Stop        int64        `json:"stop,omitempty"`
	Suite       []string     `json:"suite"`
	Message     string       `json:"message,omitempty"`
	Trace       string       `json:"trace,omitempty"`
	Line        int          `json:"line,omitempty"`
	RawStatus   string       `json:"rawStatus"`
	Tags        []string     `json:"tags,omitempty"`
	Type        string       `json:"type"`
	FilePath    string       `json:"filePath,omitempty"`
	Retries     int          `json:"retries"`
	Earlier     []attempt    `json:"retryAttempts,omitempty"`
	Flaky       bool         `json:"flaky"`
	Attachments []attachment `json:"attachments,omitempty"`
	Steps       []step       `json:"steps,omitempty"`
	Extra       extraOfTest  `json:"extra"`
}

type attempt struct {
	Number      int          `json:"attempt"`
	Status      string       `json:"status"`
	Duration    int64        `json:"duration"`
	Message     string       `json:"message,omitempty"`
	Trace       string       `json:"trace,omitempty"`
	Line        int          `json:"line,omitempty"`
	Start       int64        `json:"start,omitempty"`
	Stop        int64        `json:"stop,omitempty"`
	Attachments []attachment `json:"attachments,omitempty"`
}

type attachment struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Path        string `json:"path"`
}

type step struct {
	Name   string      `json:"name"`
	Status string      `json:"status"`
	Extra  extraOfStep `json:"extra"`
}

type environment struct {
	ReportName      string `json:"reportName,omitempty"`
	Commit          string `json:"commit,omitempty"`
	OSPlatform      string `json:"osPlatform,omitempty"`
	TestEnvironment string `json:"testEnvironment,omitempty"`
	ShardID         string `json:"shardId,omitempty"`
	Healthy         bool   `json:"healthy"`
}

// extraOfRun is what CTRF has no field for.
type extraOfRun struct {
	ExitCode          int      `json:"exitCode"`
	Interrupted       bool     `json:"interrupted,omitempty"`
	Postconditions    int      `json:"postconditions"`
	PostconditionsMet int      `json:"postconditionsMet"`
	Notes             []string `json:"notes,omitempty"`
}

type extraOfTest struct {
	Path        string   `json:"path"`
	Description string   `json:"description,omitempty"`
	Warnings    []string `json:"warnings,omitempty"`
	Quarantine  string   `json:"quarantine,omitempty"`
}

type extraOfStep struct {
	ID            string `json:"id"`
	Line          int    `json:"line"`
	RawStatus     string `json:"rawStatus"`
	Duration      int64  `json:"duration"` // in milliseconds
	Reason        string `json:"reason,omitempty"`
	BlockedBy     string `json:"blockedBy,omitempty"`
	TargetMeans   string `json:"targetMeans,omitempty"`
	ActedBy       string `json:"actedBy,omitempty"`
	Postcondition string `json:"postcondition,omitempty"`
	Met           *bool  `json:"met,omitempty"`
	Means         string `json:"means,omitempty"`
	Vacuous       bool   `json:"vacuous,omitempty"`
	OCR           string `json:"ocr,omitempty"`
}
