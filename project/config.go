package project

import (
	"strings"
	"time"
)

// Config is what .opendesk/eval.yaml says about running a project's programs.
type Config struct {
	// Display is the virtual screen (display).
	Display Display
	// Locale is LANG in the session (locale).
	Locale string
	// Timezone is TZ in the session (timezone).
	Timezone string
	// Network says what the applications reach (network).
	Network Network
	// Limits bound what each session may use (limits).
	Limits Limits
	// Scripts is the most that scripts may ask for, and what they do not see
	// (scripts).
	Scripts Scripts
	// Apps maps names of applications to the command that starts each (apps).
	// The first word is a command's name, or an absolute path.
	Apps map[string][]string
	// Environment is added to that of the session (environment).
	Environment map[string]string
	// OCR says how texts are read off the screen (ocr).
	OCR OCR
	// Retries is how often a failed program is tried again (retries).
	Retries int
	// EnvRetries is how often a broken program is tried again (env_retries).
	EnvRetries int
	// TimeoutScale multiplies every timeout (timeout_scale).
	TimeoutScale float64
	// Budget bounds the time of a run and of its programs (budget).
	Budget Budget
	// Setup is what there is to be before each program's first step (setup).
	Setup Setup
	// Programs are the settings of single programs (programs), in the order of
	// the file.
	Programs []Rule
}

// Budget bounds time; 0 is no limit.
type Budget struct {
	// Program is how long an attempt at a program may take.
	Program time.Duration
	// Run is how long the run may take.
	Run time.Duration
}

// Display is the virtual screen.
type Display struct {
	Geometry Geometry
}

// OCR says how texts are read off the screen.
type OCR struct {
	// Languages are the names of Tesseract's language data, the first first.
	Languages []string
}

// Network says what the applications of a session reach.
type Network string

// The applications use the host's network, or have none.
const (
	NetworkHost Network = "host"
	NetworkNone Network = "none"
)

// Bounds of the numbers in eval.yaml.
const (
	maxRetries      = 100
	maxTimeoutScale = 100
)

// DefaultConfig is the configuration of a project without eval.yaml.
func DefaultConfig() Config {
	return Config{
		Display:      Display{Geometry: DefaultGeometry},
		Locale:       "C.UTF-8",
		Timezone:     "UTC",
		Network:      NetworkHost,
		Apps:         map[string][]string{},
		Environment:  map[string]string{},
		OCR:          OCR{Languages: []string{"eng"}},
		EnvRetries:   1,
		TimeoutScale: 1,
	}
}

// App gives the command of an application by its name in eval.yaml: exactly as
// written there, or without regard to case.
func (c *Config) App(name string) ([]string, bool) {
	if argv, ok := c.Apps[name]; ok {
		return argv, true
	}
	for known, argv := range c.Apps {
		if strings.EqualFold(known, name) {
			return argv, true
		}
	}
	return nil, false
}
