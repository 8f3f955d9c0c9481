//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ratio is something of ours as a part of a peer's, both of the same run: the
// machine's speed and most of its noise are in both. The larger, the worse.
type ratio struct {
	part                      string // of the benchmark: what to measure again
	what, who, peerWhat, peer string
	// tolerance is how many times the committed ratio is still no regression.
	tolerance float64
	// quiet says that the ratio means something on a quiet machine only: the peer
	// sleeps more than it works, or waits for the application to be quiet.
	quiet bool
}

func (r ratio) String() string {
	return fmt.Sprintf("%s: %s against %s", strings.ReplaceAll(r.what, "/", " "), r.who, r.peer)
}

// ratios are what `make bench-check` looks at.
func ratios() (list []ratio) {
	for _, f := range flows {
		list = append(list,
			ratio{"flows", "flow/" + f.name, us, "flow/" + f.name, pyatspiF, 2, false},
			ratio{"flows", "flow/" + f.name, us, "flow/" + f.name, blind, 1.4, true},
			ratio{"flows", "flow/" + f.name, us, "flow/" + f.name, own, 1.5, true})
	}
	for _, l := range late {
		list = append(list,
			ratio{"reads", "tree/" + l.app, us, "tree/" + l.app, "pyatspi", 1.8, false},
			ratio{"reads", "element/" + l.app, us, "element/" + l.app, "pyatspi", 1.8, false})
	}
	list = append(list, ratio{"titles", "title", us, "title", "pyatspi, events", 4, false})
	for _, theme := range []string{"light", "dark"} {
		list = append(list, ratio{"ocr", "ocr/" + theme + ", CPU", us, "ocr/" + theme + ", CPU", oneThread, 1.25, false})
	}
	// What a second worker is good for: the programs a minute of one, by those of two.
	return append(list, ratio{"workers", perMinutePausing, "1", perMinutePausing, "2", 1.4, false})
}

// comparison is what became of one ratio.
type comparison struct {
	ratio
	line string
	// worse says that it has grown by more than is tolerated, missing that it
	// could not be told.
	worse, missing bool
}

// compare holds a run's ratios against those of the committed run. A ratio has
// grown only where those of the medians and of the best values both say so: few
// rounds on a machine that does other things give a bad one now and then. Only
// ratios of parts that were measured are compared.
func compare(before, now *Report, measured func(part string) bool) (list []comparison) {
	for _, r := range ratios() {
		if !measured(r.part) {
			continue
		}
		was, known := r.of(before, median)
		if !known {
			continue
		}
		wasBest, _ := r.of(before, best)
		is, told := r.of(now, median)
		isBest, _ := r.of(now, best)
		c := comparison{ratio: r}
		switch {
		case r.quiet && now.busy():
			c.line = fmt.Sprintf("not compared  %s: the machine is busy (load average %s)", r, now.Load)
		case !told:
			c.missing = true
			c.line = fmt.Sprintf("NOT MEASURED  %s: %s", r, r.why(now))
		case is > was*r.tolerance && isBest > wasBest*r.tolerance:
			c.worse = true
			c.line = fmt.Sprintf("SLOWER        %s: %.2f ×, committed %.2f ×, tolerated %.2f ×", r, is, was, was*r.tolerance)
		default:
			c.line = fmt.Sprintf("ok            %s: %.2f ×, committed %.2f ×, tolerated %.2f ×", r, is, was, was*r.tolerance)
		}
		list = append(list, c)
	}
	return list
}

// busy reports whether the machine had other work to do than it has processors.
func (r *Report) busy() bool {
	load, err := strconv.ParseFloat(r.Load, 64)
	return err == nil && load > float64(r.Cores)
}

// doubtful are the parts in which something is worse, or missing.
func doubtful(list []comparison) (parts []string) {
	for _, c := range list {
		if (c.worse || c.missing) && !slices.Contains(parts, c.part) {
			parts = append(parts, c.part)
		}
	}
	return parts
}

// verdict is the error that a check ends with, nil where all is well.
func verdict(list []comparison) error {
	if len(list) == 0 {
		return errors.New("the committed figures have nothing that could be compared")
	}
	worse, missing := 0, 0
	for _, c := range list {
		if c.worse {
			worse++
		}
		if c.missing {
			missing++
		}
	}
	if worse+missing > 0 {
		return fmt.Errorf("of %d ratios to peers, %d have grown by more than is tolerated and %d could not be measured (see above, and docs/performance.md)",
			len(list), worse, missing)
	}
	return nil
}

func median(f *Figure) float64 { return f.Median }
func best(f *Figure) float64 {
	if strings.HasSuffix(f.Unit, "a minute") {
		return f.Max
	}
	return f.Min
}

// of is the ratio in a run, by one of its values.
func (r ratio) of(report *Report, value func(*Figure) float64) (float64, bool) {
	ours, theirs := report.figure(r.what, r.who), report.figure(r.peerWhat, r.peer)
	if ours == nil || theirs == nil || value(theirs) == 0 {
		return 0, false
	}
	return value(ours) / value(theirs), true
}

// why says whose figure is missing.
func (r ratio) why(report *Report) string {
	var missing []string
	for _, side := range [][2]string{{r.what, r.who}, {r.peerWhat, r.peer}} {
		if report.figure(side[0], side[1]) == nil {
			missing = append(missing, side[1]+" has no figure for "+side[0])
		}
	}
	return strings.Join(missing, ", ")
}
