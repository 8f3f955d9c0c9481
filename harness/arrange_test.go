package harness_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

func paths(p harness.Plan) []string {
	var list []string
	for _, it := range p.Items {
		list = append(list, it.Path)
	}
	return list
}

func TestShardsCoverEveryProgramOnce(t *testing.T) {
	whole := plan(t, names(40)...).Repeated(2)
	durations := harness.Durations{}
	for i, path := range paths(whole) {
		if i%3 > 0 {
			durations[path] = time.Duration(i) * time.Second
		}
	}
	for _, d := range []harness.Durations{nil, durations} {
		for _, count := range []int{1, 2, 3, 7, 100} {
			var all []string
			for i := range count {
				part := whole.Shard(harness.Shard{Index: i + 1, Count: count}, d)
				all = append(all, paths(part)...)
				if n := len(part.Items); d == nil && count == 3 && (n < 10 || n > 50) {
					t.Errorf("shard %d of 3 has %d of 80", i+1, n)
				}
			}
			slices.Sort(all)
			if !slices.Equal(all, paths(whole)) {
				t.Errorf("%d shards: %d of %d", count, len(all), len(whole.Items))
			}
		}
	}
	// Other programs change nothing.
	half := harness.Plan{Items: whole.Items[:40]}
	s := harness.Shard{Index: 2, Count: 3}
	for _, path := range paths(half.Shard(s, nil)) {
		if !slices.Contains(paths(whole.Shard(s, nil)), path) {
			t.Errorf("%s moved to another shard", path)
		}
	}
}

func TestShardsAreBalanced(t *testing.T) {
	whole := plan(t, names(7)...)
	d := harness.Durations{}
	for i, it := range whole.Items[:6] {
		d[it.Path] = time.Duration([]int{60, 10, 20, 30, 10, 50}[i]) * time.Second
	} // 180 s, and one of 30 s by average
	for i := range 3 {
		var load time.Duration
		for _, path := range paths(whole.Shard(harness.Shard{Index: i + 1, Count: 3}, d)) {
			load += max(d[path], 0)
			if _, known := d[path]; !known {
				load += 30 * time.Second
			}
		}
		if load < 60*time.Second || load > 80*time.Second {
			t.Errorf("shard %d takes %v of 210 s", i+1, load)
		}
	}
}

func TestParseShard(t *testing.T) {
	if s, err := harness.ParseShard("2/3"); err != nil || s.String() != "2/3" {
		t.Errorf("%v %v", s, err)
	}
	for _, bad := range []string{"", "2", "0/3", "4/3", "a/b", "1/0", "-1/2", "1/2/3", "1/ 2"} {
		if _, err := harness.ParseShard(bad); err == nil || !strings.Contains(err.Error(), "2/3") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRandomOrder(t *testing.T) {
	whole := plan(t, names(20)...)
	one, again, other := whole.Shuffled(7), whole.Shuffled(7), whole.Shuffled(8)
	if !slices.Equal(paths(one), paths(again)) || slices.Equal(paths(one), paths(other)) || slices.Equal(paths(one), paths(whole)) {
		t.Error("a seed does not give its own order")
	}
	// What is left of a plan stays in its order.
	var left []string
	for _, path := range paths(one) {
		if slices.Contains(paths(whole)[:10], path) {
			left = append(left, path)
		}
	}
	if !slices.Equal(left, paths(harness.Plan{Items: whole.Items[:10]}.Shuffled(7))) {
		t.Error("the order depends on what else there is")
	}
}

func TestDigest(t *testing.T) {
	digest := func(p harness.Plan, options any) string {
		d, err := p.Digest(options)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := digest(plan(t, names(5)...), 1)
	if !strings.HasPrefix(base, "sha256:") || base != digest(plan(t, names(5)...).Shuffled(3), 1) {
		t.Error("the digest depends on the order")
	}
	changed := plan(t, names(5)...)
	raw, _ := program.Parse(changed.Items[2].Path, []byte(`{"name":"p02","version":1,"steps":[{"id":"s2","tool":"wait"}]}`))
	changed.Items[2].Program = raw
	coded, recoded := plan(t, names(5)...), plan(t, names(5)...)
	coded.Items[1].Program.Code = []program.CodeFile{{Name: "main.py", Data: []byte("1")}}
	recoded.Items[1].Program.Code = []program.CodeFile{{Name: "main.py", Data: []byte("2")}}
	if digest(coded, 1) == digest(recoded, 1) {
		t.Error("the digest does not depend on the code of scripts")
	}
	refused := func(content string) harness.Plan {
		p := plan(t, names(5)...)
		p.Items[3].Program, p.Items[3].Refused = nil, []byte(content)
		return p
	}
	if digest(refused("1"), 1) == digest(refused("2"), 1) {
		t.Error("the digest does not depend on the content of an invalid file")
	}
	tagged := plan(t, names(5)...)
	tagged.Items[0].Settings.Tags = []string{"slow"}
	for what, other := range map[string]string{
		"another program": digest(plan(t, names(6)...), 1), "another content": digest(changed, 1),
		"another option": digest(plan(t, names(5)...), 2), "other settings": digest(tagged, 1),
		"scripts": digest(coded, 1), "repetitions": digest(plan(t, names(5)...).Repeated(2), 1),
	} {
		if other == base {
			t.Errorf("the digest does not depend on %s", what)
		}
	}
}

func TestRepetitionsAreProgramsOfTheirOwn(t *testing.T) {
	d := newDesk(map[string]string{"p00": "passed,failed,passed"})
	got := run(t, d, plan(t, "p00", "p01").Repeated(3), harness.Options{Workers: 1})
	if want := "passed failed passed passed passed passed"; statuses(got) != want {
		t.Errorf("%s, want %s", statuses(got), want)
	}
	seen := map[string]bool{}
	for _, p := range got.Programs {
		seen[fmt.Sprint(p.Path, p.Repeat)] = true
	}
	if len(seen) != 6 || got.ExitCode != results.ExitFailed {
		t.Errorf("%d identities, exit code %d", len(seen), got.ExitCode)
	}
	if plain := run(t, newDesk(nil), plan(t, "p").Repeated(1), harness.Options{}); plain.Programs[0].Repeat != 0 {
		t.Error("a program that is run once has the number of a repetition")
	}
}
