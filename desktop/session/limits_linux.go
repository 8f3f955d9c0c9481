package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// groupsOf are the folders of groups, each once.
func groupsOf(groups []group) []string {
	var dirs []string
	for _, g := range groups {
		if !slices.Contains(dirs, g.dir) {
			dirs = append(dirs, g.dir)
		}
	}
	return dirs
}

// makeGroups makes the session's groups and says what became of its limits.
// What cannot be limited goes on without: that it does stands in the results.
func (f *folder) makeGroups(o Options, mode Isolation) []Limit {
	asked := map[string]int64{LimitMemory: o.Limits.Memory, LimitProcesses: o.Limits.Processes}
	var kept []group
	for _, g := range f.groups {
		if err := g.make(asked[g.limit]); err != nil {
			f.missing[g.limit] = fmt.Sprintf("%s: %v", g.version, err)
			continue
		}
		kept = append(kept, g)
	}
	f.groups = kept
	limits := make([]Limit, 0, 3)
	for _, name := range []string{LimitMemory, LimitProcesses} {
		l := Limit{Name: name, Max: asked[name], Unavailable: f.missing[name]}
		for _, g := range f.groups {
			if g.limit == name {
				l.By = g.version
			}
		}
		limits = append(limits, l)
	}
	home := Limit{Name: LimitHome, Max: o.Limits.Home, By: "tmpfs"}
	if mode != Bwrap {
		home.By, home.Unavailable = "", "it needs isolation bwrap"
	}
	return append(limits, home)
}

// LimitSupport says which limits can be kept for sessions of this process.
func LimitSupport(isolation Isolation) []Limit {
	groups, missing := planGroups(folderPrefix+"none", ownTrees())
	f := &folder{missing: missing}
	limits := f.makeGroups(Options{}, isolation)
	for i := range limits {
		for _, g := range groups {
			if g.limit == limits[i].Name {
				limits[i].By = g.version
			}
		}
	}
	return limits
}

// Reached says which of its limits the session has run into so far.
func (s *Session) Reached() []Reached {
	var reached []Reached
	for _, l := range s.info.Limits {
		if l.Max == 0 || l.Unavailable != "" {
			continue
		}
		r := Reached{Limit: l}
		if l.Name == LimitHome {
			if full(filepath.Join("/proc", strconv.Itoa(s.info.HostPID), "root", s.info.Home)) {
				reached = append(reached, r)
			}
			continue
		}
		c := controllersOf[l.By][slices.IndexFunc(controllersOf[l.By], func(c controller) bool { return c.limit == l.Name })]
		for _, dir := range s.info.Groups {
			r.Times = max(r.Times, group{controller: c, dir: dir}.reached())
		}
		if r.Times > 0 {
			reached = append(reached, r)
		}
	}
	return reached
}

// fullBelow is the number of free bytes below which a home counts as full:
// what does not fit any more is larger than this.
const fullBelow = 64 << 10

// full says whether nothing more fits into a file system.
func full(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	return int64(st.Bavail)*int64(st.Bsize) < fullBelow || st.Files > 0 && st.Ffree == 0
}

// enterVariable holds the enterOrder of a process that is to enter groups.
const enterVariable = "OPENDESK_SESSION_ENTER"

// enterOrder says which groups a process enters, and what it becomes there.
type enterOrder struct {
	Groups []string `json:"groups,omitempty"`
	// Loopback says that the process is in a network of its own, whose loopback
	// is down.
	Loopback bool     `json:"loopback,omitempty"`
	Command  []string `json:"command"`
}

// enterMain enters the groups and becomes the command. It does not come back
// unless that fails: then it gives the process's exit code.
func enterMain(orderText string) int {
	var order enterOrder
	if err := json.Unmarshal([]byte(orderText), &order); err != nil || len(order.Command) == 0 {
		fmt.Fprintf(os.Stderr, "session host: bad %s: %v\n", enterVariable, err)
		return 2
	}
	for _, dir := range order.Groups {
		if err := writeExisting(filepath.Join(dir, procsFile), "0"); err != nil {
			fmt.Fprintln(os.Stderr, "session host: enter the session's control group:", err)
			return 2
		}
	}
	if order.Loopback {
		if err := loopback(); err != nil {
			fmt.Fprintln(os.Stderr, "session host: bring up the loopback of the session's network:", err)
			return 2
		}
	}
	err := unix.Exec(order.Command[0], order.Command, withoutVariable(os.Environ(), enterVariable))
	fmt.Fprintf(os.Stderr, "session host: start %s: %v\n", order.Command[0], err)
	return 2
}

// entering is the command that carries out the order: this program again, with
// what is to be added to its environment; or the order's own command where
// there is nothing to enter.
func entering(o enterOrder) (path string, args []string, env []string, err error) {
	if len(o.Groups) == 0 && !o.Loopback {
		return o.Command[0], o.Command[1:], nil, nil
	}
	order, err := json.Marshal(o)
	if err != nil {
		return "", nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, nil, err
	}
	return self, os.Args[1:], []string{enterVariable + "=" + string(order)}, nil
}

// victimFirst is added to what the kernel holds against a process when memory
// runs out, so that it ends applications rather than the display under them.
const victimFirst = "500"

// endFirst makes a worker, and what it starts, the first that the kernel ends
// when the session's memory is used up. Where that cannot be said, the kernel
// goes by size alone.
func endFirst(pid int) {
	_ = writeExisting(filepath.Join("/proc", strconv.Itoa(pid), "oom_score_adj"), victimFirst)
}
