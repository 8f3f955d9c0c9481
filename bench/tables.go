//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// print writes every figure, for a terminal.
func print(w io.Writer, r *Report) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\twho\tmin\tp25\tmedian\tp75\tunit\tn\tfailed")
	for _, f := range r.Figures {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", f.What, f.Who, digits(f.Min), digits(f.P25), digits(f.Median), digits(f.P75), f.Unit, f.N, f.Failed)
	}
	_ = t.Flush()
}

// digits is a value with as many digits as mean anything.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Marks of the tables in the document.
const (
	tablesBegin = "<!-- tables: written by make bench -->"
	tablesEnd   = "<!-- end of the tables -->"
)

// writeTables puts the tables into the document.
func writeTables(document string, r *Report) error {
	data, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), tablesBegin)
	_, after, ok2 := strings.Cut(rest, tablesEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s: the marks of the tables are missing", document)
	}
	return os.WriteFile(document, []byte(before+tablesBegin+"\n\n"+tables(r)+"\n"+tablesEnd+after), 0o644)
}

// topics are the tables: the figures whose name begins so.
var topics = []struct{ prefix, title string }{
	{"flow/", "Whole flow, in a warm session, from the start of the app to the last verification"},
	{"start/", "Of that, until the app is there"},
	{"action/", "Each action, its verification included"},
	{"overhead/", "Overhead per action: what the flow took beyond the app's own time, divided by the number of its actions with opening the app"},
	{"flow and process/", "Whole flow with the start and the end of the process that drives it"},
	{"title", "From the change of a title to the verdict"},
	{"tree/", "Whole tree"},
	{"element/", "One element late in the tree"},
	{"nodes/", "Size of these trees"},
	{"ocr/", "OCR: looking for a phrase that is not there on a full screen of 1280×800, half of it, an eighth of it"},
	{"session/", "Session"},
	{"programs", "Programs a minute, by workers"},
	{"processors", "Processors that a run keeps busy, by workers"},
	{"CPU", "CPU time a program, session included, by workers"},
	{"harness", "The harness's share of the CPU time of a run, by workers"},
	{"memory", "Memory, at most"},
}

func tables(r *Report) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Measured at commit `%s` on %d cores in %.0f s; load average before: %s.\n\n### Targets\n\n%s",
		r.Commit, r.Cores, r.TookS, r.Load, targetTable(r))
	for _, t := range topics {
		var rows []Figure
		for _, f := range r.Figures {
			if strings.HasPrefix(f.What, t.prefix) && (f.N > 0 || f.Failed > 0) {
				rows = append(rows, f)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n### %s\n\n| | who | median | p25–p75 | min | n |\n|---|---|---:|---:|---:|---:|\n", t.title)
		for _, f := range rows {
			name := strings.TrimPrefix(f.What, t.prefix)
			if !strings.HasSuffix(t.prefix, "/") {
				name = f.What
			}
			n := fmt.Sprint(f.N)
			if f.Failed > 0 {
				n += fmt.Sprintf(" (%d failed)", f.Failed)
			}
			fmt.Fprintf(&out, "| %s | %s | %s %s | %s–%s | %s | %s |\n", name, f.Who, digits(f.Median), f.Unit, digits(f.P25), digits(f.P75), digits(f.Min), n)
		}
	}
	return out.String()
}
