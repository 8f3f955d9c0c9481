package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/reporters/json"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/resultstest"
)

// The size of the canned evaluation: OPENDESK_SCALE=SHARDSxPROGRAMS.
const scale = "100x1000"

// BenchmarkScale measures what the end of a large night takes: how long each
// command does, its time on the processors, and the most memory that it uses.
//
//   - night: merges the shards, compares the run with the project's history,
//     which knows the night before, adds it, and writes all reports;
//   - merge: the same without a history;
//   - compare: compares the results of the two nights as a page.
//
// In the second night one program in fifty fails that had passed.
//
//	go test ./internal/cli -run '^$' -bench Scale -benchtime 1x
func BenchmarkScale(b *testing.B) {
	size := os.Getenv("OPENDESK_SCALE")
	if size == "" {
		size = scale
	}
	var shards, programs int
	if _, err := fmt.Sscanf(size, "%dx%d", &shards, &programs); err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	project := filepath.Join(dir, "project")
	nights := make([][]string, 2) // the folders of the shards
	for n := range nights {
		for i := range shards {
			shard := filepath.Join(dir, fmt.Sprintf("night-%d-shard-%03d", n+1, i+1))
			writeShard(b, shard, project, n, i+1, shards, programs)
			nights[n] = append(nights[n], shard)
		}
	}
	earlier, merged, out := filepath.Join(dir, "earlier"), filepath.Join(dir, "merged"), filepath.Join(dir, "out")
	measured(b, 0, slices.Concat([]string{"eval", "merge", "--quiet", "--project", project, "-o", earlier}, nights[0])...)
	measured(b, 1, slices.Concat([]string{"eval", "merge", "--quiet", "--no-history", "-o", merged}, nights[1])...)
	history := filepath.Join(project, ".opendesk", "eval", "history.db")
	before, err := os.ReadFile(history)
	if err != nil {
		b.Fatal(err)
	}
	again := func(b *testing.B, name string, args ...string) {
		fresh := func(b *testing.B) {
			if err := errors.Join(os.RemoveAll(out), os.WriteFile(history, before, 0o644)); err != nil {
				b.Fatal(err)
			}
			_ = exec.Command("sync").Run() // the files that were made before are not to be waited for; where there is no sync, they are
		}
		b.Run(name, func(b *testing.B) {
			fresh(b)
			measured(b, 1, args...) // virtual machines lend memory that they were not using for a while slowly
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				fresh(b)
				b.StartTimer()
				measured(b, 1, args...)
			}
		})
	}
	again(b, "night", slices.Concat([]string{"eval", "merge", "--quiet", "--project", project, "-o", out}, nights[1])...)
	again(b, "merge", slices.Concat([]string{"eval", "merge", "--quiet", "--no-history", "-o", out}, nights[1])...)
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(filepath.Join(empty, ".opendesk"), 0o755); err != nil {
		b.Fatal(err)
	}
	again(b, "compare", "eval", "compare", merged, "--with", earlier, "--format", "html", "--fail-on", "new-failures", "--project", empty)
}

// measured runs opendesk, which is to end with the exit code, and reports its
// time on the processors and its peak memory.
func measured(b *testing.B, code int, args ...string) {
	b.Helper()
	cmd := exec.Command("opendesk", args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	peak := make(chan float64)
	go func() { peak <- peakMemory(ctx, cmd.Process.Pid) }()
	err := cmd.Wait()
	cancel()
	if got := cmd.ProcessState.ExitCode(); got != code {
		b.Fatalf("exit code %d, %v: %s", got, err, &out)
	}
	b.ReportMetric(<-peak, "MiB")
	b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s/op")
}

// peakMemory is the most memory that the process had in use, in MiB, until ctx
// ends: what the system says shortly before the process does.
func peakMemory(ctx context.Context, pid int) float64 {
	peak := 0.0
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err == nil {
			if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
				kib, _ := strconv.ParseFloat(strings.Fields(after)[0], 64)
				peak = max(peak, kib/1024)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return peak
		}
	}
}

// writeShard writes what a shard of a night with this many programs leaves, and
// the programs into the project. In every night but the first one program in
// fifty failed, with a screenshot.
func writeShard(tb testing.TB, dir, project string, night, index, count, programs int) {
	tb.Helper()
	var plan []results.Program
	for i := range programs {
		p := resultstest.Program(fmt.Sprintf("group-%02d/program-%06d", i%40, i*count+index))
		text := fmt.Sprintf(`{"name": %q, "version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`, p.Name)
		p.SHA256 = compare.SHA256([]byte(text))
		if night == 0 {
			writeWith(tb, filepath.Join(project, p.Path), func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		}
		plan = append(plan, p)
	}
	s := resultstest.NewStreamAt(resultstest.Start.AddDate(0, 0, night), plan...)
	s.Events[0].Run.Plan = &results.Plan{
		Digest: "sha256:1", Programs: count * programs, Shard: fmt.Sprintf("%d/%d", index, count), Order: "file", Repeat: 1,
	}
	for i, p := range plan {
		steps := resultstest.ExportSteps()
		s.Begin(p).Attempt(steps...)
		if night == 0 || i%50 != 7 {
			s.Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
			continue
		}
		name := "artifacts/" + p.Name + "/attempt-1/s3.png"
		picture := []byte("picture of " + p.Name)
		steps = resultstest.NotFoundSteps(name)
		steps[2].Artifacts[0].Size, steps[2].Artifacts[0].SHA256 = int64(len(picture)), compare.SHA256(picture)
		s.Steps(steps...).EndAttempt(results.Failed, resultstest.NotFoundReason, nil).End(results.Failed, resultstest.NotFoundReason)
		writeWith(tb, filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(picture); return err })
	}
	s.Finish(false)
	writeWith(tb, filepath.Join(dir, "results.json"), func(w io.Writer) error { return json.Write(w, s.Run()) })
	writeWith(tb, filepath.Join(dir, "events.ndjson"), func(w io.Writer) error {
		events := results.NewEventWriter(w)
		for _, ev := range s.Events {
			if err := events.Write(&ev); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeWith(tb testing.TB, path string, write func(io.Writer) error) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := write(file); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
}
