package harness

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// Shuffled is the plan in the random order of the seed. Programs keep their
// order among each other whatever else is in the plan.
func (p Plan) Shuffled(seed int64) Plan {
	items := slices.Clone(p.Items)
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Compare(results.PlanKey(seed, a.Path), results.PlanKey(seed, b.Path))
	})
	return Plan{Items: items}
}

// Repeated is the plan with each program n times in a row.
func (p Plan) Repeated(n int) Plan {
	if n <= 1 {
		return p
	}
	var items []Item
	for _, it := range p.Items {
		for it.Repeat = 1; it.Repeat <= n; it.Repeat++ {
			items = append(items, it)
		}
	}
	return Plan{Items: items}
}

// Shard is one part of a plan.
type Shard struct {
	// Index counts from 1 to Count.
	Index, Count int
}

// ParseShard reads "2/3".
func ParseShard(s string) (Shard, error) {
	index, count, _ := strings.Cut(s, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err != nil || err2 != nil || i < 1 || n < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is no shard: write the second of three as 2/3", s)
	}
	return Shard{i, n}, nil
}

// String is the shard as it is written: "2/3".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Durations is how long programs take, by path.
type Durations map[string]time.Duration

// Shard is that part of the plan. Which program is in which part depends on
// its path alone, whatever else there is. With durations, the parts take about
// as long as each other instead; programs without one count as the others on
// average.
func (p Plan) Shard(s Shard, d Durations) Plan {
	parts := make(map[string]int, len(p.Items))
	if len(d) == 0 {
		for _, it := range p.Items {
			h := fnv.New64a()
			_, _ = h.Write([]byte(it.Path)) // never fails
			parts[it.Path] = int(h.Sum64()%uint64(s.Count)) + 1
		}
	} else {
		parts = p.balance(s.Count, d)
	}
	return Plan{Items: slices.DeleteFunc(slices.Clone(p.Items), func(it Item) bool { return parts[it.Path] != s.Index })}
}

// balance gives each program, the longest first, to the part that has the
// least to do so far.
func (p Plan) balance(count int, d Durations) map[string]int {
	var sum time.Duration
	for _, one := range d {
		sum += one
	}
	average := sum / time.Duration(len(d))
	takes := map[string]time.Duration{}
	for _, it := range p.Items {
		takes[it.Path] = average
		if one, known := d[it.Path]; known {
			takes[it.Path] = one
		}
	}
	paths := slices.SortedFunc(maps.Keys(takes), func(a, b string) int {
		return cmp.Or(cmp.Compare(takes[b], takes[a]), cmp.Compare(a, b))
	})
	parts := make(map[string]int, len(paths))
	load := make([]time.Duration, count)
	for _, path := range paths {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		load[least] += takes[path]
		parts[path] = least + 1
	}
	return parts
}

// Digest identifies what is to be run: the programs with their contents and
// settings, in any order, and the options, which are anything that JSON can
// hold.
func (p Plan) Digest(options any) (string, error) {
	type entry struct {
		Path     string
		Repeat   int
		Source   string // its hash
		Code     string `json:",omitempty"` // that of its scripts' code
		Problems []program.Problem
		Settings project.Settings
	}
	entries := make([]entry, 0, len(p.Items))
	for _, it := range p.Items {
		e := entry{Path: it.Path, Repeat: it.Repeat, Source: it.sha256(), Problems: slices.Clone(it.Problems), Settings: it.Settings}
		if it.Program != nil {
			e.Code = program.CodeSHA256(it.Program.Code)
		}
		for i := range e.Problems {
			e.Problems[i].File = "" // where the project lies does not matter
		}
		e.Settings.Setup.Files = maps.Clone(it.Settings.Setup.Files)
		for place := range e.Settings.Setup.Files {
			e.Settings.Setup.Files[place] = ""
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Repeat, b.Repeat))
	})
	data, err := json.Marshal(map[string]any{"programs": entries, "options": options})
	if err != nil {
		return "", fmt.Errorf("digest of the plan: %w", err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
