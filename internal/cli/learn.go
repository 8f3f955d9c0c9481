package cli

import "github.com/spf13/cobra"

func newLearn(st *State) *cobra.Command {
	return group("learn", "Work with learned programs",
		newLearnList(st), newLearnShow(st), newLearnValidate(st), newLearnPatch(st),
		newLearnCompile(st), newLearnSave(st), newLearnSaveSession(st), newLearnReplay(st), newLearnRun(st), newLearnInspect(st), newLearnSchema(st), newLearnAuditCode(st),
		newLearnStart(st), newLearnStop(st), newLearnRecord(st),
		newRecording(st), newRecorder())
}
