package merge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// check says why the runs are not the shards of one evaluation, each of them
// once.
func check(shards []Shard) error {
	if len(shards) == 0 {
		return errors.New("there are no runs to merge")
	}
	var problems []string
	for _, s := range shards {
		switch {
		case s.Run.SchemaVersion != results.SchemaVersion:
			problems = append(problems, fmt.Sprintf("%s: has schema version %d, not %d", s.Dir, s.Run.SchemaVersion, results.SchemaVersion))
		case s.Run.Plan == nil:
			problems = append(problems, s.Dir+": does not say what was planned, so nobody can tell what it is a part of")
		case s.Run.Plan.Shard == "":
			problems = append(problems, s.Dir+": is a whole run, not a shard (eval run --shard)")
		default:
			if _, _, err := parseShard(s.Run.Plan.Shard); err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", s.Dir, err))
			}
		}
	}
	if len(problems) > 0 {
		return joined(problems)
	}
	problems = slices.Concat(unlike(shards), missing(shards))
	if len(problems) > 0 {
		return joined(problems)
	}
	return joined(doubled(shards))
}

func parseShard(s string) (index, count int, err error) {
	i, n, _ := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || index < 1 || index > count {
		return 0, 0, fmt.Errorf("%q is no shard, such as 2/3", s)
	}
	return index, count, nil
}

// unlike says in what the shards are not of one evaluation: what most of them
// agree on is taken for right.
func unlike(shards []Shard) []string {
	var problems []string
	for _, property := range []struct {
		name, hint string
		of         func(*results.Run) string
	}{
		{"suite", "", func(r *results.Run) string { return r.Suite }},
		{"number of shards", "", func(r *results.Run) string {
			_, count, _ := parseShard(r.Plan.Shard)
			return strconv.Itoa(count)
		}},
		{"plan digest", " (other programs, settings, options or version of opendesk)", func(r *results.Run) string { return r.Plan.Digest }},
		{"number of planned programs", "", func(r *results.Run) string { return strconv.Itoa(r.Plan.Programs) }},
		{"order", "", func(r *results.Run) string { return order(r.Plan) }},
		{"number of repetitions", "", func(r *results.Run) string { return strconv.Itoa(r.Plan.Repeat) }},
	} {
		counts := map[string]int{}
		for _, s := range shards {
			counts[property.of(s.Run)]++
		}
		most := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
			if c := cmp.Compare(counts[a], counts[b]); c != 0 {
				return c
			}
			return cmp.Compare(b, a) // the first of equals
		})
		var usual string
		for _, s := range shards {
			if property.of(s.Run) == most {
				usual = s.Dir
				break
			}
		}
		for _, s := range shards {
			if v := property.of(s.Run); v != most {
				problems = append(problems, fmt.Sprintf("%s: %s is %s, but %s in %s%s", s.Dir, property.name, named(v), named(most), usual, property.hint))
			}
		}
	}
	return problems
}

func order(p *results.Plan) string {
	if p.Seed != 0 {
		return fmt.Sprintf("%s:%d", p.Order, p.Seed)
	}
	return p.Order
}

func named(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// missing says which shards there are twice, and which are not there.
func missing(shards []Shard) []string {
	var problems []string
	there := map[int]string{}
	most := 0
	for _, s := range shards {
		index, count, _ := parseShard(s.Run.Plan.Shard)
		most = max(most, count)
		if other, twice := there[index]; twice {
			problems = append(problems, fmt.Sprintf("%s: is shard %s, and so is %s", s.Dir, s.Run.Plan.Shard, other))
			continue
		}
		there[index] = s.Dir
	}
	var absent []string
	gone := 0
	for i := 1; i <= most && most < 1<<20; i++ {
		if _, ok := there[i]; ok {
			continue
		}
		gone++
		if len(absent) < shown {
			absent = append(absent, fmt.Sprintf("%d/%d", i, most))
		}
	}
	switch more := gone - len(absent); {
	case gone == 0:
	case more > 0:
		problems = append(problems, fmt.Sprintf("missing are the shards %s and %d more", strings.Join(absent, ", "), more))
	case gone == 1:
		problems = append(problems, "missing is the shard "+absent[0])
	default:
		problems = append(problems, "missing are the shards "+strings.Join(absent, ", "))
	}
	return problems
}

// identity is what a program is known by in a run.
type identity struct {
	path   string
	repeat int
}

// doubled says which programs are in two shards, and whether all are there.
func doubled(shards []Shard) []string {
	var problems []string
	total := 0
	owner := map[identity]string{}
	artifacts := map[string]string{}
	for _, s := range shards {
		for i := range s.Run.Programs {
			p := &s.Run.Programs[i]
			total++
			id := identity{p.Path, p.Repeat}
			if other, twice := owner[id]; twice {
				problems = append(problems, fmt.Sprintf("%s: program %s is in %s as well", s.Dir, p.Path, other))
			}
			owner[id] = s.Dir
		}
		for _, a := range artifactsOf(s.Run) {
			if other, twice := artifacts[a.Name]; twice {
				problems = append(problems, fmt.Sprintf("%s: file %s is in %s as well", s.Dir, a.Name, other))
			}
			artifacts[a.Name] = s.Dir
		}
	}
	if planned := shards[0].Run.Plan.Programs; total != planned && len(problems) == 0 {
		problems = append(problems, fmt.Sprintf("the shards have %d programs together, but %d were planned", total, planned))
	}
	return problems
}

// artifactsOf are the files of a run, each once, in the order in which results
// name them.
func artifactsOf(run *results.Run) []results.Artifact {
	var all []results.Artifact
	known := map[string]bool{}
	add := func(list []results.Artifact) {
		for _, a := range list {
			if !known[a.Name] {
				known[a.Name] = true
				all = append(all, a)
			}
		}
	}
	for i := range run.Programs {
		for j := range run.Programs[i].Attempts {
			at := &run.Programs[i].Attempts[j]
			add(at.Artifacts)
			for k := range at.Steps {
				add(at.Steps[k].Artifacts)
			}
		}
	}
	return all
}
