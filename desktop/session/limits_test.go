//go:build linux

package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// needs skips a test where this machine cannot keep the limit.
func needs(limit string) {
	GinkgoHelper()
	for _, l := range LimitSupport(Bwrap) {
		if l.Name == limit && l.Unavailable != "" {
			Skip(limit + " cannot be limited here: " + l.Unavailable)
		}
	}
}

// treeOfTheTest makes a group for the processes' limit and gives the tree with
// this group as our own place in it: what is swept there is nobody else's.
func treeOfTheTest() []hierarchy {
	GinkgoHelper()
	trees := ownTrees()
	groups, _ := planGroups("sweep-test-"+sleepArgument(), trees)
	group := groups[len(groups)-1]
	Expect(group.make(0)).To(Succeed())
	DeferCleanup(removeGroup, group.dir)
	i := slices.IndexFunc(trees, func(h hierarchy) bool { return strings.HasPrefix(group.dir, h.mount+"/") })
	Expect(i).NotTo(Equal(-1))
	trees[i].own = group.dir
	return trees[i : i+1]
}

// growing takes 4 MiB after the other, until somebody ends it.
const growing = `
import time
kept = []
while True:
    kept.append(bytearray(4 << 20))
    time.sleep(0.001)
`

var _ = Describe("limits", func() {
	forBothIsolations(func(isolation Isolation) {
		It("end an application that takes too much memory, and not the session", func(ctx SpecContext) {
			needs(LimitMemory)
			s := start(ctx, isolation, func(o *Options) { o.Limits.Memory = 300 * mib })
			Expect(s.Reached()).To(BeEmpty())
			// Applications end before the display that they are on does.
			score, err := runToEnd(ctx, s, "run", "cat", "/proc/self/oom_score_adj")
			Expect(err).NotTo(HaveOccurred())
			Expect(strings.TrimSpace(score.Output)).To(Equal(victimFirst))
			exit, err := runToEnd(ctx, s, "run", "/usr/bin/python3", "-c", growing)
			Expect(err).To(HaveOccurred())
			Expect(exit.Output).To(ContainSubstring("signal: killed"))
			reached := s.Reached()
			Expect(reached).To(HaveLen(1))
			Expect(reached[0].Name).To(Equal(LimitMemory))
			Expect(reached[0].String()).To(ContainSubstring("memory limit of 300 MiB was reached: the system ended 1 process of it"))
			health, err := s.Probe(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(health.OK()).To(BeTrue(), "%v", health)
			Expect(errorOf(runToEnd(ctx, s, "run", "/bin/true"))).NotTo(HaveOccurred())
		})

		It("stop an application that starts processes without end", func(ctx SpecContext) {
			needs(LimitProcesses)
			s := start(ctx, isolation, func(o *Options) { o.Limits.Processes = 120 })
			exit, err := runToEnd(ctx, s, "run", "sh", "-c", "i=0; while [ $i -lt 200 ]; do sleep 100 & i=$((i+1)); done")
			Expect(err).To(HaveOccurred(), exit.Output)
			reached := s.Reached()
			Expect(reached).To(HaveLen(1))
			Expect(reached[0].Name).To(Equal(LimitProcesses))
			Expect(reached[0].String()).To(ContainSubstring("limit of 120 processes and threads was reached"))
			for _, l := range s.Info().Limits {
				if l.Name == LimitProcesses {
					Expect(l.By).To(HavePrefix("cgroup v"))
				}
			}
		})

		It("are in force for what leaves its process session and its parents", func(ctx SpecContext) {
			needs(LimitProcesses)
			s := start(ctx, isolation)
			sleep := sleepArgument()
			Expect(errorOf(runToEnd(ctx, s, "detached", "/bin/sleep", sleep))).NotTo(HaveOccurred())
			Eventually(func() []int { return running("sleep " + sleep) }).Should(HaveLen(1))
			members := inGroups(s.Info().Groups)
			Expect(slices.ContainsFunc(members, func(p process) bool { return p.pid == running("sleep " + sleep)[0] })).To(BeTrue())
			Expect(slices.ContainsFunc(members, func(p process) bool { return p.pid == s.keeper.Process.Pid })).
				To(BeFalse(), "the keeper must outlive a session without memory")
		})
	})

	It("keep the private home to its size, with what the project puts there", func(ctx SpecContext) {
		skeleton := shortTempDir()
		Expect(os.WriteFile(filepath.Join(skeleton, "note"), []byte("text"), 0o644)).To(Succeed())
		s := start(ctx, Bwrap, func(o *Options) { o.Limits.Home, o.HomeSkeleton = 4*mib, skeleton })
		exit, err := runToEnd(ctx, s, "run", "sh", "-c", "cat ~/note; ls -d ~/.config/gtk-3.0; echo more > ~/other; pwd")
		Expect(err).NotTo(HaveOccurred())
		Expect(exit.Output).To(And(HavePrefix("text"), HaveSuffix(s.Info().Home+"\n")))
		Expect(s.Reached()).To(BeEmpty())
		Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", "head -c 8000000 /dev/zero > ~/big"))).
			To(MatchError(ContainSubstring("No space left on device")))
		reached := s.Reached()
		Expect(reached).To(HaveLen(1))
		Expect(reached[0].String()).To(Equal("the private home is full: it holds 4 MiB (limits.home in eval.yaml)"))
		Expect(errorOf(runToEnd(ctx, s, "run", "rm", filepath.Join(s.Info().Home, "big")))).NotTo(HaveOccurred())
		Expect(s.Reached()).To(BeEmpty())
	})

	It("are an error where the project's files do not fit into the home", func(ctx SpecContext) {
		skeleton, temp := shortTempDir(), shortTempDir()
		Expect(os.WriteFile(filepath.Join(skeleton, "big"), make([]byte, 2*mib), 0o644)).To(Succeed())
		o := optionsForTest(Bwrap, temp)
		o.Limits.Home, o.HomeSkeleton = mib, skeleton
		_, err := Start(ctx, o)
		var failed *StartError
		Expect(errors.As(err, &failed)).To(BeTrue(), "%v", err)
		Expect(failed.Part).To(Equal(PartHome))
		Expect(failed.Reason).To(ContainSubstring("does not fit into it (limits.home in eval.yaml)"))
		Expect(os.ReadDir(temp)).To(BeEmpty())
	})

	It("say what cannot be limited", func(ctx SpecContext) {
		s := start(ctx, None, func(o *Options) { o.Limits.Home = mib })
		Expect(s.Info().Limits).To(ContainElement(Limit{Name: LimitHome, Max: mib, Unavailable: "it needs isolation bwrap"}))
	})

	It("leave no control group behind, whoever is killed", func(ctx SpecContext) {
		needs(LimitProcesses)
		temp, sleep := shortTempDir(), sleepArgument()
		parent, info := startParent(None, temp, sleep)
		Expect(info.Groups).NotTo(BeEmpty())
		owner, err := os.ReadFile(ownerOf(info.Dir))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(owner)).To(ContainSubstring(info.Groups[0]))
		keeper, ok := readProcess(info.HostPID)
		Expect(ok).To(BeTrue())
		for _, pid := range []int{keeper.ppid, parent.Process.Pid, info.HostPID} {
			Expect(unix.Kill(pid, unix.SIGKILL)).To(Succeed())
		}
		_ = parent.Wait()
		Eventually(func() []string {
			_, _ = Sweep(temp)
			_ = removeGroups(info.Groups, 0)
			return leftOf(info)
		}).WithTimeout(5 * time.Second).Should(BeEmpty())
		Expect(running(sleep)).To(BeEmpty())
	})

	It("sweep groups whose folder somebody has removed, and only when they are empty", func() {
		needs(LimitProcesses)
		trees := treeOfTheTest()
		groups, _ := planGroups(folderPrefix+"test-"+sleepArgument(), trees)
		group := groups[len(groups)-1]
		Expect(group.make(0)).To(Succeed())
		DeferCleanup(removeGroup, group.dir)
		sleeper := exec.Command("sleep", "1000")
		Expect(sleeper.Start()).To(Succeed())
		Expect(writeExisting(filepath.Join(group.dir, procsFile), fmt.Sprint(sleeper.Process.Pid))).To(Succeed())
		sweepGroups(trees, time.Now().Add(time.Minute))
		Expect(group.dir).To(BeADirectory())
		Expect(sleeper.Process.Kill()).To(Succeed())
		_ = sleeper.Wait()
		sweepGroups(trees, time.Now().Add(-time.Minute))
		Expect(group.dir).To(BeADirectory(), "it may be about to be used")
		sweepGroups(trees, time.Now().Add(time.Minute))
		Expect(group.dir).NotTo(BeADirectory())
	})

	It("are an unprivileged user's, too, where a group is theirs", func(ctx SpecContext) {
		needs(LimitMemory)
		if os.Geteuid() != 0 {
			Skip("needs root to hand a group over")
		}
		temp := shortTempDir()
		self := copyOfTests()
		groups, _ := planGroups("delegated-"+filepath.Base(temp), ownTrees())
		script := "set -e\n"
		for _, g := range groups {
			Expect(g.make(0)).To(Succeed())
			DeferCleanup(func() { Eventually(func() error { return removeGroup(g.dir) }).Should(Succeed()) })
			Expect(filepath.WalkDir(g.dir, func(path string, _ os.DirEntry, err error) error {
				return errors.Join(err, os.Chown(path, 65534, 65534))
			})).To(Succeed())
			script += "echo $$ > " + filepath.Join(g.dir, procsFile) + "\n"
		}
		script += "exec setpriv --reuid=" + nobody + " --regid=" + nobody + " --clear-groups " + self +
			" -test.run=TestSession -ginkgo.no-color '-ginkgo.focus=takes too much memory|processes without end|leave no control group'"
		out := runTests(exec.CommandContext(ctx, "sh", "-c", script))
		Expect(out).To(ContainSubstring("Ran 5 of"), out)
		Expect(out).To(ContainSubstring("5 Passed"), out)
	})
})

// copyOfTests is this test binary where every user can run it.
func copyOfTests() string {
	GinkgoHelper()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	data, err := os.ReadFile(self)
	Expect(err).NotTo(HaveOccurred())
	copied := filepath.Join(shortTempDir(), "session.test")
	Expect(os.WriteFile(copied, data, 0o755)).To(Succeed())
	return copied
}

// runTests runs tests in another process and gives what they print.
func runTests(tests *exec.Cmd) string {
	GinkgoHelper()
	tests.Dir = "/"
	var out bytes.Buffer
	tests.Stdout, tests.Stderr = &out, &out
	Expect(tests.Run()).To(Succeed(), "%s", &out)
	return out.String()
}

func TestHierarchies(t *testing.T) {
	const v1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
		"36 31 0:33 /docker/ab /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n" +
		"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	const v2 = "30 23 0:26 / /sys/fs/cg\\040roup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\nbroken\n"
	for name, c := range map[string]struct {
		mountinfo, self string
		want            []hierarchy
	}{
		"version 1": {v1, "8:pids:/docker/ab/x\n4:memory:/a/b\n0::/user\n", []hierarchy{
			{cgroup1, []string{"memory"}, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/a/b"},
			{cgroup1, []string{"pids"}, "/sys/fs/cgroup/pids", "/sys/fs/cgroup/pids/x"},
			{cgroup2, nil, "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/user"},
		}},
		"version 2":     {v2, "0::/user.slice/a.scope\n", []hierarchy{{cgroup2, nil, "/sys/fs/cg roup", "/sys/fs/cg roup/user.slice/a.scope"}}},
		"other's mount": {v1, "8:pids:/other\n", []hierarchy{{cgroup1, []string{"pids"}, "/sys/fs/cgroup/pids", "/sys/fs/cgroup/pids"}}},
		"nothing":       {"", "", nil},
		"nonsense":      {"a - b\n1 2 3 4 5 - cgroup2\n", "x\n::\n", nil},
	} {
		got := hierarchies(c.mountinfo, c.self)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// TestPlanGroups makes trees of plain files: this machine has one version.
func TestPlanGroups(t *testing.T) {
	root := t.TempDir()
	file := func(name, content string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"", "user", "user/app", "user/app/own"} {
		file(filepath.Join(dir, "cgroup.controllers"), "cpu memory pids\n")
		file(filepath.Join(dir, procsFile), "")
	}
	file("cgroup.subtree_control", "memory pids\n")
	file("user/app/cgroup.subtree_control", "memory pids\n")
	tree := hierarchy{version: cgroup2, mount: root, own: filepath.Join(root, "user", "app", "own")}
	groups, missing := planGroups("s", []hierarchy{tree})
	if len(groups) != 2 || len(missing) != 0 || groups[0].dir != filepath.Join(root, "user", "app", "s") || groups[1].dir != groups[0].dir {
		t.Errorf("got %+v, missing %v", groups, missing)
	}
	if dirs := groupsOf(groups); len(dirs) != 1 {
		t.Errorf("folders %q", dirs)
	}
	// A hybrid machine: version 2 without our controllers, and one of version 1.
	file("cgroup.controllers", "hugetlb\n")
	groups, missing = planGroups("s", []hierarchy{tree, {version: cgroup1, names: []string{"pids"}, mount: "/p", own: root}})
	if len(groups) != 1 || groups[0].version != cgroup1 || groups[0].dir != filepath.Join(root, "s") || missing[LimitMemory] == "" {
		t.Errorf("got %+v, missing %v", groups, missing)
	}
	groups, missing = planGroups("s", []hierarchy{{version: cgroup1, names: []string{"pids"}, mount: "/p", own: "/nowhere"}})
	if len(groups) != 0 || missing[LimitProcesses] != "cgroup v1 is not writable" {
		t.Errorf("got %+v, missing %v", groups, missing)
	}
}

func TestGroupTakesItsLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "group")
	g := group{controller: controllersOf[cgroup2][0], version: cgroup2, dir: dir}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := g.make(1 << 30); err == nil {
		t.Error("a group without the kernel's file took a limit")
	}
	for _, name := range []string{"memory.max", "memory.swap.max"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.make(1 << 30); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"memory.max": "1073741824", "memory.swap.max": "0"} {
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	events := "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n"
	if err := os.WriteFile(filepath.Join(dir, "memory.events"), []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	if n := g.reached(); n != 2 {
		t.Errorf("reached %d times", n)
	}
}

func TestLimitTexts(t *testing.T) {
	for want, got := range map[string]string{
		"memory 2 GiB (cgroup v2)":                              Limit{Name: LimitMemory, Max: 2 << 30, By: cgroup2}.String(),
		"memory no limit (cgroup v1)":                           Limit{Name: LimitMemory, By: cgroup1}.String(),
		"processes 500 (unavailable: not here)":                 Limit{Name: LimitProcesses, Max: 500, Unavailable: "not here"}.String(),
		"home 1500 bytes (tmpfs)":                               Limit{Name: LimitHome, Max: 1500, By: "tmpfs"}.String(),
		"1536 MiB":                                              bytesText(1536 << 20),
		"2 starts were refused (limits.processes in eval.yaml)": tailOf(Reached{Limit{Name: LimitProcesses, Max: 9}, 2}.String()),
		"one start was refused (limits.processes in eval.yaml)": tailOf(Reached{Limit{Name: LimitProcesses, Max: 9}, 1}.String()),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func tailOf(s string) string {
	_, after, _ := strings.Cut(s, ": ")
	return after
}
