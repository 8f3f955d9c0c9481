package script

import (
	"encoding/json"
	"slices"

	"golang.org/x/sys/unix"
)

// reports collects what the starter tells over its pipe. The script can write
// there as well: what it says is about itself only, and is bounded here.
type reports struct {
	attempts []Attempt
	left     int
	failure  *failure
	memory   int64 // the most that a process had, in bytes
}

// failure is an error that the script did not catch.
type failure struct {
	Type      string `json:"type"`
	Line      string `json:"line"`
	Traceback string `json:"traceback"`
	Number    int    `json:"number"`
}

// maxReport bounds one report and maxAttempts their number, as the starter does.
const (
	maxReport   = 64 << 10
	maxAttempts = 200
)

// add takes one report. What is none is left out.
func (r *reports) add(data []byte) {
	var report struct {
		Attempt *struct {
			Attempt
			Name   string `json:"name"`
			Number int    `json:"number"`
		} `json:"attempt"`
		Error *failure `json:"error"`
		Usage *struct {
			Memory int64 `json:"memory"`
		} `json:"usage"`
		Overflow *struct {
			Times int `json:"times"`
		} `json:"overflow"`
	}
	if json.Unmarshal(data, &report) != nil {
		return
	}
	switch {
	case report.Error != nil:
		r.failure = report.Error
	case report.Usage != nil:
		r.memory = report.Usage.Memory
	case report.Overflow != nil:
		r.left = max(r.left, report.Overflow.Times)
	case report.Attempt != nil:
		a := report.Attempt.Attempt
		a.Errno, a.Number = "", 0
		if a.Outcome == AttemptRefused {
			a.Errno, a.Number = errnoName(report.Attempt.Number), report.Attempt.Number
			if a.Errno == "" {
				a.Errno = report.Attempt.Name // an error without a number of the system
			}
		}
		r.count(a)
	}
}

// count adds an attempt, or raises the number of times of one that is known.
func (r *reports) count(a Attempt) {
	same := func(b Attempt) bool { b.Times = a.Times; return a == b }
	if i := slices.IndexFunc(r.attempts, same); i >= 0 {
		r.attempts[i].Times = max(r.attempts[i].Times, a.Times)
		return
	}
	if len(r.attempts) >= maxAttempts {
		r.left++
		return
	}
	r.attempts = append(r.attempts, a)
}

// seen is the attempts without those that were told of before they had an
// outcome, and have one now.
func (r *reports) seen() []Attempt {
	return slices.DeleteFunc(slices.Clone(r.attempts), func(a Attempt) bool {
		return a.Outcome == AttemptUnseen && slices.ContainsFunc(r.attempts, func(b Attempt) bool {
			return b.Outcome != AttemptUnseen && b.Event == a.Event && b.Target == a.Target && b.Place == a.Place
		})
	})
}

// errnoName is the name of an error number of the system, "" for none.
func errnoName(number int) string {
	if number <= 0 {
		return ""
	}
	return unix.ErrnoName(unix.Errno(number))
}
