package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/opendesk/opendesk/results"
)

// differences is what changed since the program's last good run, nil where
// there is none.
func (c *comparer) differences(now Current, k known) (*Differences, error) {
	if k.good == nil {
		return nil, nil
	}
	before, after := *k.good, now.Outcome
	if after.Isolation == "" { // it had no session
		after.Isolation = before.Isolation
	}
	d := &Differences{
		Since:       before.Run,
		Environment: environmentChanges(before, after),
		Commits:     commits(before.Environment, after.Environment),
	}
	if len(before.Environment.Packages) == 0 || len(after.Environment.Packages) == 0 {
		d.PackagesUnknown = true
	} else {
		d.Packages = packageChanges(before.Environment.Packages, after.Environment.Packages)
	}
	switch {
	case before.SHA256 == "" || after.SHA256 == "":
		d.ProgramUnknown = true
	case before.SHA256 != after.SHA256:
		var err error
		if d.Program, err = c.fileChange(before.SHA256, after.SHA256); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// packageChanges lists what differs between two sets of packages, by name.
func packageChanges(before, after []results.Package) []PackageChange {
	if slices.Equal(before, after) {
		return nil
	}
	was := make(map[string]string, len(before))
	for _, p := range before {
		was[p.Name] = p.Version
	}
	var list []PackageChange
	for _, p := range after {
		if old, known := was[p.Name]; !known || old != p.Version {
			list = append(list, PackageChange{Name: p.Name, Before: old, After: p.Version})
		}
		delete(was, p.Name)
	}
	for name, version := range was {
		list = append(list, PackageChange{Name: name, Before: version})
	}
	slices.SortFunc(list, func(a, b PackageChange) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// environmentChanges lists the properties of the environment that differ.
func environmentChanges(before, after Outcome) []ValueChange {
	x, y := before.Environment, after.Environment
	var list []ValueChange
	for _, one := range []ValueChange{
		{"code of the scripts", shortSum(before.CodeSHA256), shortSum(after.CodeSHA256)},
		{"opendesk", toolText(*before.Tool), toolText(*after.Tool)},
		{"os", x.OS, y.OS},
		{"arch", x.Arch, y.Arch},
		{"distribution", x.Distribution, y.Distribution},
		{"kernel", x.Kernel, y.Kernel},
		{"hostname", x.Hostname, y.Hostname},
		{"uid", strconv.Itoa(x.UID), strconv.Itoa(y.UID)},
		{"display", x.Display, y.Display},
		{"geometry", x.Geometry, y.Geometry},
		{"isolation", before.Isolation, after.Isolation},
		{"locale", x.Locale, y.Locale},
		{"timezone", x.Timezone, y.Timezone},
		{"network", x.Network, y.Network},
		{"timeout scale", fmt.Sprint(x.TimeoutScale), fmt.Sprint(y.TimeoutScale)},
		{"workers", strconv.Itoa(x.Workers), strconv.Itoa(y.Workers)},
	} {
		if one.Before != one.After {
			list = append(list, one)
		}
	}
	return list
}

// toolText is a build in one word or two.
func toolText(t results.Tool) string {
	if t.Commit == "" {
		return t.Version
	}
	return t.Version + " " + shortCommit(t.Commit)
}

// shortSum is enough of a hash to tell it from another.
func shortSum(sum string) string {
	if sum == "" {
		return "none"
	}
	return sum[:min(len(sum), 10)]
}

// shortCommit is a commit as people write it.
func shortCommit(commit string) string {
	if len(commit) > 10 {
		return commit[:10]
	}
	return commit
}

// commits is the range of commits between two environments.
func commits(before, after *results.Environment) *CommitRange {
	if before.Commit == "" || after.Commit == "" {
		return nil
	}
	if before.Commit == after.Commit && !before.Dirty && !after.Dirty {
		return nil
	}
	return &CommitRange{From: before.Commit, FromDirty: before.Dirty, To: after.Commit, ToDirty: after.Dirty}
}

// String is the range as git takes it, with what git cannot know behind it.
func (r CommitRange) String() string {
	text := shortCommit(r.From) + ".." + shortCommit(r.To)
	if r.From == r.To {
		text = shortCommit(r.To)
	}
	switch {
	case r.ToDirty:
		return text + " and changes that are in no commit"
	case r.FromDirty:
		return text + ", without changes of then that are in no commit"
	}
	return text
}
