//go:build linux && cgo

package ginkgospec

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"
)

const consumer = "../../fixtures/ginkgo-consumer"

// full says that there is time for what takes long.
var full = os.Getenv("OPENDESK_FULL") != ""

// TestConsumer runs the module that uses this package, on real displays, with
// the opendesk that its go.mod names: two programs, or the whole project where
// there is time.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs on real displays")
	}
	args := []string{"test", "-count=1", "-timeout=20m", "."}
	if !full {
		args = append(args, "-ginkgo.focus=office (export-report|terminal-sum)$")
	}
	r, temporary := runConsumer(t, args...)
	passed := 0
	for _, spec := range r.SpecReports {
		switch spec.State {
		case types.SpecStatePassed:
			passed++
			if len(steps(spec)) < 2 && spec.LeafNodeType == types.NodeTypeIt {
				t.Errorf("%s passed with the steps %q", spec.LeafNodeText, steps(spec))
			}
		case types.SpecStateSkipped:
			if full {
				t.Errorf("%s was skipped", spec.LeafNodeText)
			}
		default:
			t.Errorf("%s is %s: %s", spec.LeafNodeText, spec.State, spec.Failure.Message)
		}
	}
	if full && passed < 14 || !full && passed != 2 {
		t.Errorf("%d specs passed", passed)
	}
	checkEmpty(t, temporary)
}

// TestConsumerInParallel: processes of one suite do not disturb each other.
func TestConsumerInParallel(t *testing.T) {
	if !full {
		t.Skip("runs the office project once more: set OPENDESK_FULL=1")
	}
	r, temporary := runConsumer(t, "run", "github.com/onsi/ginkgo/v2/ginkgo", "-procs=2", "-timeout=20m")
	processes := map[int]int{}
	for _, spec := range r.SpecReports {
		if spec.LeafNodeType == types.NodeTypeIt {
			processes[spec.ParallelProcess]++
			if spec.State != types.SpecStatePassed {
				t.Errorf("%s is %s: %s", spec.LeafNodeText, spec.State, spec.Failure.Message)
			}
		}
	}
	if len(processes) != 2 || processes[1]+processes[2] < 14 {
		t.Errorf("the processes ran so many specs: %v", processes)
	}
	checkEmpty(t, temporary)
}

// runConsumer runs go in the consumer's module and reads the suite's report;
// temporary is where its temporary files were made.
func runConsumer(t *testing.T, args ...string) (r types.Report, temporary string) {
	t.Helper()
	// A short path: sockets are made in it.
	temporary, err := os.MkdirTemp("", "od")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	report := filepath.Join(t.TempDir(), "report.json")
	args = append(args, "-ginkgo.json-report="+report)
	if args[0] == "run" {
		args = append(args[:len(args)-1], "--json-report=report.json", "--output-dir="+filepath.Dir(report))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = consumer
	cmd.Env = append(os.Environ(), "OPENDESK_BINARY=", "TMPDIR="+temporary)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var console bytes.Buffer
	cmd.Stdout, cmd.Stderr = &console, &console
	if err := cmd.Run(); err != nil {
		t.Errorf("go %q: %v\n%s", args, err, console.String())
	}
	b, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var reports []types.Report
	if err := json.Unmarshal(b, &reports); err != nil || len(reports) != 1 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	return reports[0], temporary
}

// checkEmpty fails where a run left anything in its temporary folder.
func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}
