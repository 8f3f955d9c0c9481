package cli

import "github.com/spf13/cobra"

func newEval(st *State) *cobra.Command {
	return group("eval", "Run suites and report what they found",
		newEvalRun(st), newEvalList(st), newEvalDurations(st), newEvalReport(st), newEvalMerge(st), newEvalNightly(st),
		newEvalCompare(st), newEvalHistory(st), newEvalPrune(st), newEvalExport(st), newEvalImport(st),
	)
}
