//go:build linux

package main

import (
	"errors"
	"fmt"
)

// ratio is something of ours as a part of a peer's, both of the same run: the
// machine's speed and most of its noise are in both.
type ratio struct {
	what, who, peerWhat, peer string
	// tolerance is how many times the committed ratio is still no regression.
	tolerance float64
}

// ratios are what `make bench-check` looks at.
func ratios() (list []ratio) {
	for _, f := range flows {
		list = append(list,
			ratio{"flow/" + f.name, us, "flow/" + f.name, blind, 1.4},
			ratio{"flow/" + f.name, us, "flow/" + f.name, own, 1.4},
			ratio{"tree/" + f.app, us, "tree/" + f.app, "pyatspi", 1.8},
			ratio{"element/" + f.app, us, "element/" + f.app, "pyatspi", 1.8})
	}
	list = append(list, ratio{"title", us, "title", "pyatspi, events", 5})
	for _, theme := range []string{"light", "dark"} {
		list = append(list, ratio{"ocr/" + theme + ", CPU", us, "ocr/" + theme + ", CPU", "tesseract, one thread", 1.25})
	}
	return append(list, ratio{"programs a minute", "1", "programs a minute", "2", 1.5})
}

// compare holds a run's ratios against those of the committed run.
func compare(committed string, now *Report) error {
	before, err := readReport(committed)
	if err != nil {
		return fmt.Errorf("the committed figures: %w", err)
	}
	var worse []error
	for _, r := range ratios() {
		was, known := r.of(before)
		if !known {
			continue
		}
		is, measured := r.of(now)
		line := fmt.Sprintf("%s: %s takes %.2f × %s (committed: %.2f ×, tolerated: %.2f ×)", r.what, r.who, is, r.peer, was, was*r.tolerance)
		switch {
		case !measured:
			worse = append(worse, fmt.Errorf("%s: %s was not measured", r.what, r.who))
		case is > was*r.tolerance:
			worse = append(worse, errors.New("slower: "+line))
		default:
			fmt.Println("ok: " + line)
		}
	}
	return errors.Join(worse...)
}

// of is the ratio in a run.
func (r ratio) of(report *Report) (float64, bool) {
	ours, ok := report.median(r.what, r.who)
	theirs, ok2 := report.median(r.peerWhat, r.peer)
	if !ok || !ok2 || theirs == 0 {
		return 0, false
	}
	return ours / theirs, true
}
