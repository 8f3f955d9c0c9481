package merge_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/merge"
	"github.com/opendesk/opendesk/results/resultstest"
)

// content is what is in the file of an artifact.
func content(name string) string { return "content of " + name }

// described gives the artifacts of a list the sizes and hashes of their content.
func described(list []results.Artifact) []results.Artifact {
	list = slices.Clone(list)
	for i := range list {
		sum := sha256.Sum256([]byte(content(list[i].Name)))
		list[i].Size, list[i].SHA256 = int64(len(content(list[i].Name))), hex.EncodeToString(sum[:])
	}
	return list
}

// canned are a run's events as a harness would have written them for a part of
// the programs: shard index of count, 0 of 0 for the whole in the plan's order.
func canned(t testing.TB, stream *resultstest.Stream, index, count int) *resultstest.Stream {
	t.Helper()
	all := slices.Clone(stream.Events[0].Run.Programs)
	slices.SortFunc(all, func(a, b results.Program) int { return strings.Compare(a.Path, b.Path) })
	info := &results.Plan{Digest: "sha256:1", Programs: len(all), Order: "file", Repeat: 1}
	if plan := stream.Events[0].Run.Plan; plan != nil {
		info.FailOn = plan.FailOn
	}
	if count > 0 {
		info.Shard = fmt.Sprintf("%d/%d", index, count)
	}
	var mine []results.Program
	for i, p := range all {
		if count == 0 || i%count == index-1 {
			p.SHA256, p.CodeSHA256 = "sum of "+p.Path, "sum of the code of "+p.Path
			mine = append(mine, p)
		}
	}
	out := resultstest.NewStream(mine...)
	out.Events[0].Run.Plan = info
	out.Events[0].Run.ID = "run-" + info.Shard
	for _, ev := range stream.Events[1:] {
		if ev.Type == results.EventRunFinished || !slices.ContainsFunc(mine, func(p results.Program) bool { return p.Path == ev.Path }) {
			continue
		}
		if ev.Artifact != nil {
			a := described([]results.Artifact{*ev.Artifact})[0]
			ev.Artifact = &a
		}
		if ev.Step != nil {
			s := *ev.Step
			s.Artifacts = described(s.Artifacts)
			ev.Step = &s
		}
		out.Add(ev)
	}
	return out
}

// shard writes what a run leaves and gives it as merging takes it.
func shard(t testing.TB, stream *resultstest.Stream) merge.Shard {
	t.Helper()
	s := merge.Shard{Dir: t.TempDir(), Run: stream.Run()}
	write(t, filepath.Join(s.Dir, "events.ndjson"), func(file *os.File) error {
		events := results.NewEventWriter(file)
		for _, ev := range stream.Events {
			if err := events.Write(&ev); err != nil {
				return err
			}
		}
		return nil
	})
	write(t, filepath.Join(s.Dir, "audit.ndjson"), func(file *os.File) error {
		encoder := json.NewEncoder(file)
		for i := range 3 {
			err := encoder.Encode(results.AuditEntry{
				ID: fmt.Sprintf("a%d", i+1), Timestamp: 1767323045.5 + float64(i), Action: "wait", Params: map[string]any{},
				Program: s.Run.ID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, a := range merge.ArtifactsOf(s.Run) {
		if strings.Contains(a.Name, "\x00") {
			continue // is none for a file
		}
		write(t, filepath.Join(s.Dir, a.Name), func(file *os.File) error {
			_, err := file.WriteString(content(a.Name))
			return err
		})
	}
	return s
}

func write(t testing.TB, path string, fill func(*os.File) error) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
