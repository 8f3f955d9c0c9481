package merge

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// maxHosts is how many machines the merged run names.
const maxHosts = 5

// environment is that of the first shard with what the others add, and notes
// on what differs otherwise.
func environment(shards []Shard) (results.Environment, []string) {
	env := shards[0].Run.Environment
	var hosts []string
	workers := 0
	versions := map[string]string{}
	where := map[string]string{}
	var packages []results.Package
	var notes []string
	for _, s := range shards {
		e := s.Run.Environment
		workers += e.Workers
		if e.Hostname != "" && !slices.Contains(hosts, e.Hostname) {
			hosts = append(hosts, e.Hostname)
		}
		for _, p := range e.Packages {
			switch version, known := versions[p.Name]; {
			case !known:
				versions[p.Name], where[p.Name] = p.Version, s.Run.Plan.Shard
				packages = append(packages, p)
			case version != p.Version && !slices.Contains(packages, p): // of several architectures
				notes = append(notes, fmt.Sprintf("the shards' environments differ: package %s is %s in shard %s, %s in shard %s",
					p.Name, version, where[p.Name], p.Version, s.Run.Plan.Shard))
			}
		}
		notes = append(notes, differences(env, e, shards[0].Run.Plan.Shard, s.Run.Plan.Shard)...)
	}
	slices.SortFunc(packages, func(a, b results.Package) int { return strings.Compare(a.Name, b.Name) })
	if len(hosts) > maxHosts {
		hosts = append(hosts[:maxHosts], "…")
	}
	env.Hostname, env.Workers, env.Packages = strings.Join(hosts, ", "), workers, packages
	if more := len(notes) - shown; more > 0 {
		notes = append(notes[:shown], fmt.Sprintf("the shards' environments differ in %d more", more))
	}
	return env, notes
}

// differences are notes on the values of b that are others than those of a; what
// differs from run to run anyway and packages are left out.
func differences(a, b results.Environment, inA, inB string) []string {
	var notes []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		field := x.Type().Field(i)
		if field.Tag.Get("volatile") == "true" || field.Type.Kind() == reflect.Slice || x.Field(i).Equal(y.Field(i)) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		notes = append(notes, fmt.Sprintf("the shards' environments differ: %s is %s in shard %s, %s in shard %s",
			name, named(fmt.Sprint(x.Field(i))), inA, named(fmt.Sprint(y.Field(i))), inB))
	}
	return notes
}
