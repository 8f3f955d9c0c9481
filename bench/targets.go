//go:build linux

package main

import (
	"fmt"
	"strings"
)

// target is something that opendesk is to be as fast as, or as small as.
type target struct {
	what, limit string
	// why is the number of the paragraph in the document that says why it may be
	// missed.
	why int
	// measured is the figure in words, and whether the target is met; known is
	// false where it was not measured.
	measured func(*Report) (words string, met, known bool)
}

// targets are what the table of the document goes through.
func targets() (list []target) {
	add := func(why int, what, limit string, measured func(*Report) (string, bool, bool)) {
		list = append(list, target{what, limit, why, measured})
	}
	for _, f := range flows {
		what := "flow/" + f.name
		add(1, "flow "+f.name+" against blind xdotool", "at most 1.10 ×", atMostTimes(what, us, what, blind, 1.10))
		add(1, "flow "+f.name+" against the application itself", "at most 1.15 ×", atMostTimes(what, us, what, own, 1.15))
		add(1, "overhead per action, "+f.name, "at most 20 ms", below("overhead/"+f.name, us, 20))
	}
	add(0, "title change → verdict", "under 8 ms", below("title", us, 8))
	for _, l := range late {
		least := 25.0
		if l.app == "kcalc" {
			least = 4 // no cache
		}
		add(2, "whole tree, "+l.app, fmt.Sprintf("%.0f × as fast as pyatspi", least), atLeastTimes("tree/"+l.app, "pyatspi", us, least))
		add(2, "one element late in the tree, "+l.app, "under 15 ms", below("element/"+l.app, us, 15))
	}
	for _, theme := range []struct {
		name string
		most float64
	}{{"light", 0.9}, {"dark", 0.5}} {
		what := "ocr/" + theme.name
		add(3, "OCR, "+theme.name, fmt.Sprintf("at most %.1f × the one-thread command line", theme.most), atMostTimes(what, us, what, oneThread, theme.most))
		for _, part := range screenParts {
			add(3, fmt.Sprintf("OCR, %s, %s of the screen", theme.name, part.name), "in proportion",
				atMostTimes(what+", "+part.name, us, what, us, 1.2/float64(part.of)))
		}
	}
	for _, isolation := range []string{"none", "bwrap"} {
		add(4, "session, isolation "+isolation+", cold", "under 250 ms", below("session/cold", isolation, 250))
		add(4, "session, isolation "+isolation+", handed out warm", "under 10 ms", below("session/warm", isolation, 10))
	}
	add(5, "programs a minute, 2 workers against 1", "at least 1.7 ×", atLeastTimes(perMinute, "2", "1", 1.7))
	add(5, "the same, of programs that pause for a second", "at least 1.7 ×", atLeastTimes(perMinutePausing, "2", "1", 1.7))
	add(0, "harness's share of the CPU time", "under 5 %", below(harnessShare, "1", 5))
	add(0, "memory of a worker", "under 60 MiB", below("memory", us+", worker", 60))
	return list
}

// below holds a figure under a limit in its own unit.
func below(what, who string, limit float64) func(*Report) (string, bool, bool) {
	return func(r *Report) (string, bool, bool) {
		f := r.figure(what, who)
		if f == nil {
			return "", false, false
		}
		return digits(f.Median) + " " + f.Unit, f.Median <= limit, true
	}
}

// atMostTimes holds a figure under so many times another one.
func atMostTimes(what, who, otherWhat, other string, limit float64) func(*Report) (string, bool, bool) {
	return func(r *Report) (string, bool, bool) {
		a, b := r.figure(what, who), r.figure(otherWhat, other)
		if a == nil || b == nil || b.Median == 0 {
			return "", false, false
		}
		times := a.Median / b.Median
		return fmt.Sprintf("%.2f ×", times), times <= limit, true
	}
}

// atLeastTimes holds a contestant's figure above so many times another one's.
func atLeastTimes(what, who, other string, least float64) func(*Report) (string, bool, bool) {
	return func(r *Report) (string, bool, bool) {
		a, b := r.figure(what, who), r.figure(what, other)
		if a == nil || b == nil || b.Median == 0 {
			return "", false, false
		}
		times := a.Median / b.Median
		return fmt.Sprintf("%.2f ×", times), times >= least, true
	}
}

// targetTable is the table of the targets.
func targetTable(r *Report) string {
	var out strings.Builder
	fmt.Fprint(&out, "| what | target | measured | |\n|---|---|---:|---|\n")
	for _, t := range targets() {
		words, met, known := t.measured(r)
		verdict := "met"
		switch {
		case !known:
			words, verdict = "–", "not measured"
		case !met && t.why > 0:
			verdict = fmt.Sprintf("**missed**, see %d", t.why)
		case !met:
			verdict = "**missed**"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", t.what, t.limit, words, verdict)
	}
	return out.String()
}
