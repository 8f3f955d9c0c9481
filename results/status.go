package results

import "slices"

// Worst is the worst of the statuses, "" for none. A status that is unknown
// counts as broken, so that no fault can make a result look better than it is.
func Worst(statuses ...Status) Status {
	var worst Status
	for _, s := range statuses {
		if !s.Valid() {
			s = Broken
		}
		if worst == "" || rank(s) > rank(worst) {
			worst = s
		}
	}
	return worst
}

// rank is a status's place in Statuses: the higher the worse.
func rank(s Status) int { return slices.Index(Statuses, s) }

// PassedAfterBroken is the note of a program that passed when it was tried
// again after a fault of the environment.
const PassedAfterBroken = "passed on a retry after the environment had broken"

// FinalStatus is the status of a program whose attempts ended with the given
// statuses, in the order in which they were made, and a note where the status
// alone hides something.
//
// An attempt that failed is never forgotten: only a later attempt that passed
// turns it into flaky. Broken attempts say nothing about the program, so they
// count only where there is nothing else. Skipped (interrupted) attempts say
// nothing at all.
func FinalStatus(attempts []Status) (status Status, note string) {
	var failed, passed, broken bool
	passedLast := false // whether a pass came after the last failure
	for _, s := range attempts {
		switch s {
		case Failed:
			failed, passedLast = true, false
		case Passed:
			passed, passedLast = true, true
		case Skipped:
		default:
			broken = true
		}
	}
	switch {
	case failed && passedLast:
		status = Flaky
	case failed:
		return Failed, ""
	case passed:
		status = Passed
	case broken:
		return Broken, ""
	default:
		return Skipped, ""
	}
	if broken {
		note = PassedAfterBroken
	}
	return status, note
}

// RunStatus is the status of a run of these programs: the worst of theirs.
// Programs that were left out on purpose (filtered, another shard) make a run
// no worse; skipped ones count where the run was interrupted or where there
// are no others. A run without programs is skipped.
func RunStatus(programs []Program, interrupted bool) Status {
	var counted []Status
	for i := range programs {
		if s := programs[i].Status; s != Skipped || interrupted {
			counted = append(counted, s)
		}
	}
	if len(counted) == 0 {
		return Skipped
	}
	return Worst(counted...)
}

// The exit codes of a run.
const (
	ExitPassed      = 0
	ExitFailed      = 1
	ExitInvalid     = 2
	ExitBroken      = 3
	ExitInterrupted = 130
)

// ExitCode is what a command exits with after this run. A regression is never
// hidden behind another code: a run with a failed program exits with
// ExitFailed, however else it ended. Flaky programs have passed. Where only new
// failures are to count (NewFailures in the plan), programs that are known to
// fail do not; what broke counts as ever.
func ExitCode(run *Run, passWithNoPrograms bool) int {
	counts := Count(run.Programs)
	ran := counts.Programs - counts.Skipped + excused(run.Programs)
	counted := func(status Status) bool {
		return slices.ContainsFunc(run.Programs, func(p Program) bool {
			return p.Status == status && !run.Excepted(&p)
		})
	}
	switch {
	case counted(Failed):
		return ExitFailed
	case run.Interrupted:
		return ExitInterrupted
	case counts.Broken > 0:
		return ExitBroken
	case counted(Invalid):
		return ExitInvalid
	case ran == 0 && !passWithNoPrograms:
		return ExitInvalid
	default:
		return ExitPassed
	}
}

// excused counts the programs that were run and failed in quarantine.
func excused(programs []Program) int {
	n := 0
	for i := range programs {
		if programs[i].Excused() {
			n++
		}
	}
	return n
}

// ExitMeaning says in words what an exit code of ExitCode means.
func ExitMeaning(code int) string {
	switch code {
	case ExitPassed:
		return "all programs passed"
	case ExitFailed:
		return "at least one program failed"
	case ExitInvalid:
		return "a file is invalid, the usage is wrong, or there was nothing to run"
	case ExitBroken:
		return "the environment broke, or an internal fault; nothing failed"
	case ExitInterrupted:
		return "interrupted"
	default:
		return "unknown"
	}
}

// Count counts the programs by status, and the steps and postconditions of
// their deciding attempts.
func Count(programs []Program) Counts {
	counts := Counts{Programs: len(programs)}
	for i := range programs {
		p := &programs[i]
		switch p.Status {
		case Passed:
			counts.Passed++
		case Flaky:
			counts.Flaky++
		case Failed:
			counts.Failed++
		case Invalid:
			counts.Invalid++
		case Skipped:
			counts.Skipped++
		default:
			counts.Broken++
		}
		if final := p.Final(); final != nil {
			counts.add(final.Steps)
		}
	}
	return counts
}

// add counts one attempt's steps.
func (c *Counts) add(steps []Step) {
	c.Steps += len(steps)
	for i := range steps {
		if pc := steps[i].Postcondition; pc != nil {
			c.Postconditions++
			if pc.Met {
				c.PostconditionsMet++
			}
		}
	}
}
