//go:build linux

package session

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"
)

// forgetful writes over its own environment, as some browsers do, says so, and
// sleeps. Its argument is a command to run instead of sleeping, or none.
const forgetful = `
import ctypes, subprocess, sys, time
fields = open("/proc/self/stat").read().rpartition(") ")[2].split()
begin, end = int(fields[47]), int(fields[48])
ctypes.memset(begin, 0, end - begin)
print("forgotten", flush=True)
if len(sys.argv) > 1:
    subprocess.run(sys.argv[1:])
time.sleep(1000)
`

// What is found of a session from its folder alone, without control groups.
var _ = Describe("processes without the session's marker", func() {
	var dir string
	BeforeEach(func() {
		dir = shortTempDir()
		Expect(os.MkdirAll(filepath.Join(dir, "home"), 0o755)).To(Succeed())
	})
	// begin starts a process that prints a line when it is ready.
	begin := func(env []string, cwd string, args ...string) int {
		GinkgoHelper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, cwd
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(cmd.Start()).To(Succeed())
		DeferCleanup(func() {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // with what it has started
			_ = cmd.Wait()
		})
		_, err = out.Read(make([]byte, 100))
		Expect(err).NotTo(HaveOccurred())
		return cmd.Process.Pid
	}
	found := func() []int {
		var pids []int
		for _, p := range belonging(dir, nil) {
			pids = append(pids, p.pid)
		}
		return pids
	}
	python := func(script string) []string { return []string{"/usr/bin/python3", "-c", script} }
	const ready = "print('ready', flush=True)\nimport time\ntime.sleep(1000)\n"
	usual := []string{"PATH=/usr/bin:/bin", "HOME=/nowhere"}

	DescribeTable("are found",
		func(env func() []string, cwd func() string, args func() []string) {
			pid := begin(env(), cwd(), args()...)
			Expect(found()).To(ContainElement(pid))
			other := dir
			dir = shortTempDir() // another session's
			Expect(found()).NotTo(ContainElement(pid))
			dir = other
		},
		Entry("that carry it", func() []string { return append(usual, MarkerDir+"="+dir) }, func() string { return "/" },
			func() []string { return python(ready) }),
		Entry("that have written over it and run in the home", func() []string { return append(usual, MarkerDir+"="+dir) },
			func() string { return filepath.Join(dir, "home") }, func() []string { return python(forgetful) }),
		Entry("that have written over it and have a file open there", func() []string { return append(usual, MarkerDir+"="+dir) },
			func() string { return "/" },
			func() []string { return python("log = open('" + dir + "/home/log', 'w')\n" + forgetful) }),
		Entry("without an environment that were told a place there", func() []string { return []string{} }, func() string { return "/" },
			func() []string { return append(python(ready), "--user-data-dir="+dir+"/home/.config/browser") }),
	)

	It("are found by those who started them", func() {
		pid := begin(append(usual, MarkerDir+"="+dir), "/", "sh", "-c",
			"env -i PATH=/usr/bin /usr/bin/python3 -c 'import time; print(1, flush=True); time.sleep(1000)' & wait")
		Eventually(found).Should(HaveLen(2))
		Expect(found()).To(ContainElement(pid))
	})

	It("are found by their process session when its leader has gone", func() {
		// A marked sleep and one without a marker have a leader in common, which ends.
		marked, other := sleepArgument(), sleepArgument()
		leader := exec.Command("sh", "-c", "sleep "+marked+" & env -i PATH=/usr/bin:/bin sh -c 'sleep "+other+" &'")
		leader.Env = append(usual, MarkerDir+"="+dir)
		leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		Expect(leader.Run()).To(Succeed())
		Eventually(func() []int { return append(sleepers(marked), sleepers(other)...) }).Should(HaveLen(2))
		Eventually(found).Should(ConsistOf(sleepers(marked)[0], sleepers(other)[0]))
		Expect(end(func() []process { return belonging(dir, nil) }, sweepGrace)).To(BeTrue())
	})

	It("are not what the user has there", func() {
		home := filepath.Join(dir, "home")
		Expect(os.WriteFile(filepath.Join(home, "log"), []byte("line\n"), 0o644)).To(Succeed())
		shell := begin(usual, home, "sh", "-c", "echo ready; exec sleep 1000")
		editor := begin(usual, "/", python("swap = open('"+home+"/.log.swp', 'w')\n"+ready)...)
		viewer := begin([]string{}, "/", python("log = open(bytes.fromhex('"+hex.EncodeToString([]byte(home+"/log"))+"'))\n"+ready)...)
		nearby := begin([]string{}, dir+"/..", append(python(ready), dir+"-not/home")...)
		// A shell whose child was given the marker by hand.
		sleep := sleepArgument()
		parent := begin(usual, "/", "sh", "-c", MarkerDir+"="+dir+" sleep "+sleep+" & echo ready; sleep 1000")
		for _, pid := range []int{shell, editor, viewer, nearby, parent} {
			Expect(found()).NotTo(ContainElement(pid))
		}
		Eventually(func() []int { return sleepers(sleep) }).Should(HaveLen(1))
		Eventually(found).Should(Equal(sleepers(sleep)))
		Expect(end(func() []process { return belonging(dir, nil) }, sweepGrace)).To(BeTrue())
		Expect(slices.ContainsFunc(ourProcesses(), func(p process) bool { return p.pid == parent })).To(BeTrue())
	})
})

// sleepers lists the processes that are sleep with this argument, without those
// that only name it.
func sleepers(argument string) []int {
	var pids []int
	for _, p := range allProcesses() {
		command, _ := os.ReadFile(procFile(p.pid, "cmdline"))
		if string(command) == "sleep\x00"+argument+"\x00" {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

var _ = Describe("a session of which everything that looks after it was killed", func() {
	DescribeTable("is ended by the next sweep, with applications that have forgotten what they belong to",
		func(ctx SpecContext, groups bool) {
			temp := shortTempDir()
			o := optionsForTest(None, temp)
			f, err := newFolder(o, None)
			Expect(err).NotTo(HaveOccurred())
			if groups {
				needs(LimitProcesses)
				f.makeGroups(o, None)
			}
			sleep := sleepArgument()
			script := "exec >" + tempDirOf(f.dir) + "/ready; exec /usr/bin/python3 -c \"$0\" sleep " + sleep
			if groups {
				// Away from everything: not even a file there.
				script = "echo $$ > " + filepath.Join(f.groups[0].dir, procsFile) + "; exec setsid --fork env -i PATH=/bin sleep " + sleep
			}
			app := exec.CommandContext(ctx, "sh", "-c", script, forgetful)
			app.Env = []string{"PATH=/usr/bin:/bin", MarkerDir + "=" + f.dir}
			app.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			Expect(app.Start()).To(Succeed())
			DeferCleanup(func() {
				for _, pid := range sleepers(sleep) {
					_ = unix.Kill(pid, unix.SIGKILL)
				}
			})
			go func() { _ = app.Wait() }()
			Eventually(func() []int { return sleepers(sleep) }).WithTimeout(10 * time.Second).Should(HaveLen(1))
			if !groups {
				Eventually(func() string {
					said, _ := os.ReadFile(tempDirOf(f.dir) + "/ready")
					return string(said)
				}).Should(ContainSubstring("forgotten"))
			}
			f.unlock()
			Expect(Sweep(temp)).To(Equal([]string{f.dir}))
			Expect(sleepers(sleep)).To(BeEmpty())
			for _, g := range f.groups {
				Expect(strings.HasPrefix(filepath.Base(g.dir), folderPrefix)).To(BeTrue())
				// Whoever gets the orphan may be slow to collect it.
				Eventually(func() error { return removeGroup(g.dir) }).WithTimeout(5 * time.Second).Should(Succeed())
			}
		},
		Entry("by their place", false),
		Entry("by the control group", true),
	)
})
