package cli_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/reporters/json"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// The size of the canned evaluation: OPENDESK_SCALE=SHARDSxPROGRAMS.
const scale = "100x1000"

// BenchmarkScale merges the shards of a large canned evaluation, then compares
// the run with itself and renders that, and prints how long each command takes
// and the most memory that it uses.
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
	args := []string{"eval", "merge", "--quiet"}
	for i := range shards {
		shard := filepath.Join(dir, fmt.Sprintf("shard-%03d", i+1))
		writeShard(b, shard, i+1, shards, programs)
		args = append(args, shard)
	}
	n := 0
	b.Run("merge", func(b *testing.B) {
		for b.Loop() {
			n++
			out := filepath.Join(dir, "merged-"+strconv.Itoa(n))
			measured(b, 1, append(args, "-o", out)...)
			if n > 1 {
				if err := os.RemoveAll(filepath.Join(dir, "merged-"+strconv.Itoa(n-1))); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("compare", func(b *testing.B) {
		if err := os.MkdirAll(filepath.Join(dir, "project", ".opendesk"), 0o755); err != nil {
			b.Fatal(err)
		}
		out := filepath.Join(dir, "merged-"+strconv.Itoa(n))
		for b.Loop() {
			measured(b, 0, "eval", "compare", out, "--with", out, "--format", "html", "--project", filepath.Join(dir, "project"))
		}
	})
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
	ticker := time.NewTicker(10 * time.Millisecond)
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

// writeShard writes what a shard with this many programs leaves. One program in
// fifty failed, with a screenshot.
func writeShard(tb testing.TB, dir string, index, count, programs int) {
	tb.Helper()
	var plan []results.Program
	for i := range programs {
		plan = append(plan, resultstest.Program(fmt.Sprintf("group-%02d/program-%06d", i%40, i*count+index)))
	}
	s := resultstest.NewStream(plan...)
	s.Events[0].Run.Plan = &results.Plan{
		Digest: "sha256:1", Programs: count * programs, Shard: fmt.Sprintf("%d/%d", index, count), Order: "file", Repeat: 1,
	}
	for i, p := range plan {
		steps := resultstest.ExportSteps()
		s.Begin(p).Attempt(steps...)
		if i%50 != 7 {
			s.Steps(steps...).EndAttempt(results.Passed, "", nil).End(results.Passed, "")
			continue
		}
		name := "artifacts/" + p.Name + "/attempt-1/s3.png"
		picture := []byte("picture of " + p.Name)
		sum := sha256.Sum256(picture)
		steps = resultstest.NotFoundSteps(name)
		steps[2].Artifacts[0].Size, steps[2].Artifacts[0].SHA256 = int64(len(picture)), hex.EncodeToString(sum[:])
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
