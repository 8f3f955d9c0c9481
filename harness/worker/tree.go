package worker

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/results"
)

// TreeKind is the kind of the artifact that holds the accessibility trees, as
// a desktop.Record.
const TreeKind = "accessibility-tree"

// treeTimeout bounds the reading of trees. Each application has a deadline of
// its own below it.
const treeTimeout = 25 * time.Second

// everything that a tree can be filled with.
const everything = desktop.NeedIdentifier | desktop.NeedBounds | desktop.NeedActions | desktop.NeedText | desktop.NeedDescription

// tree reads the trees and saves them. The event announces the file, or is a
// note of why there is none.
func tree(ctx context.Context, computer desktop.Desktop, app string, files spool) results.Event {
	artifact, err := saveTree(ctx, computer, app, files)
	if err != nil {
		return results.Event{Type: results.EventWarning, Time: time.Now().UTC(), Warning: &results.Warning{
			Kind: results.WarnNote, Message: fmt.Sprintf("the accessibility tree could not be read: %v", err),
		}}
	}
	return results.Event{Type: results.EventArtifact, Time: time.Now().UTC(), Artifact: &artifact}
}

// What shows a window goes on building it for a moment: trees are read once
// nothing has changed for quiet, or after settleLimit where something always
// does.
const (
	quiet       = 300 * time.Millisecond
	settleLimit = 3 * time.Second
)

func settle(ctx context.Context, changes <-chan struct{}) {
	limit, still := time.NewTimer(settleLimit), time.NewTimer(quiet)
	defer limit.Stop()
	defer still.Stop()
	for {
		select {
		case <-changes:
			still.Reset(quiet)
		case <-still.C:
			return
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func saveTree(ctx context.Context, computer desktop.Desktop, app string, files spool) (results.Artifact, error) {
	ctx, cancel := context.WithTimeout(ctx, treeTimeout)
	defer cancel()
	settle(ctx, computer.Changes())
	snap, err := computer.Snapshot(ctx, app, everything)
	if err != nil {
		return results.Artifact{}, err
	}
	var file bytes.Buffer
	if err := snap.Record().Write(&file); err != nil {
		return results.Artifact{}, err
	}
	return files.save(TreeKind, "tree.json", "application/json", file.Bytes())
}
