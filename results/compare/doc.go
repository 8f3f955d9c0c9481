// Package compare says what is new in a run: it holds the run against what is
// known of earlier ones, program by program. It is pure: what is known comes
// through Past, which results/history implements on the project's history.db,
// and OfRuns on results that are at hand.
//
// A program's state is what its newest earlier run with a verdict found: good
// (passed or flaky) or failing (failed or invalid, also in quarantine). Runs in
// which it broke, was skipped or was interrupted say nothing, so they leave the
// state as it was.
package compare
