//go:build linux

package script

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestSandboxCost measures what the sandbox costs over plain Python, in turns,
// so that whatever else the machine does weighs on both. It only logs: what a
// busy machine adds is nobody's fault.
func BenchmarkSandbox(b *testing.B) {
	code := write(b, map[string]string{"main.py": "print('done')\n"})
	var plain, boxed []time.Duration
	for b.Loop() {
		began := time.Now()
		cmd := exec.CommandContext(b.Context(), DefaultInterpreter, filepath.Join(code, "main.py"))
		cmd.Env = environment
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		plain = append(plain, time.Since(began))
		began = time.Now()
		if o, err := (Sandbox{}).Run(b.Context(), Job{Code: code, File: "main.py", Archive: code}); err != nil || o.ExitCode != 0 {
			b.Fatalf("%v: %+v", err, o)
		}
		boxed = append(boxed, time.Since(began))
	}
	slices.Sort(plain)
	slices.Sort(boxed)
	middle := len(plain) / 2
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(plain[middle]), "ms/plain")
	b.ReportMetric(milliseconds(boxed[middle]), "ms/sandbox")
	b.ReportMetric(milliseconds(boxed[middle]-plain[middle]), "ms-more")
}
