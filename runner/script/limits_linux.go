package script

import "time"

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	for _, f := range []struct{ of, by *time.Duration }{{&l.Time, &d.Time}, {&l.CPU, &d.CPU}} {
		if *f.of <= 0 {
			*f.of = *f.by
		}
	}
	for _, f := range []struct{ of, by *int64 }{{&l.Memory, &d.Memory}, {&l.Disk, &d.Disk}, {&l.Output, &d.Output}} {
		if *f.of <= 0 {
			*f.of = *f.by
		}
	}
	for _, f := range []struct{ of, by *int }{{&l.Processes, &d.Processes}, {&l.Calls, &d.Calls}} {
		if *f.of <= 0 {
			*f.of = *f.by
		}
	}
	return l
}
