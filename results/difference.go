package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Difference says where two runs first differ in something else than volatile
// fields ("programs[2].status: "failed" against "passed""), "" where they are
// equal.
func Difference(a, b *Run) (string, error) {
	var trees [2]any
	for i, run := range []*Run{a, b} {
		data, err := Comparable(run)
		if err != nil {
			return "", err
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&trees[i]); err != nil {
			return "", fmt.Errorf("compare runs: %w", err)
		}
	}
	return difference("", trees[0], trees[1]), nil
}

// difference says where two values that JSON can hold first differ.
func difference(place string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return mapDifference(place, x, y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range min(len(x), len(y)) {
				if d := difference(fmt.Sprintf("%s[%d]", place, i), x[i], y[i]); d != "" {
					return d
				}
			}
			if len(x) != len(y) {
				return fmt.Sprintf("%s: %d against %d of them", place, len(x), len(y))
			}
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s: %s against %s", place, asText(a), asText(b))
}

func mapDifference(place string, a, b map[string]any) string {
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := name
		if place != "" {
			at = place + "." + name
		}
		x, inA := a[name]
		y, inB := b[name]
		switch {
		case !inA:
			return fmt.Sprintf("%s: nothing against %s", at, asText(y))
		case !inB:
			return fmt.Sprintf("%s: %s against nothing", at, asText(x))
		}
		if d := difference(at, x, y); d != "" {
			return d
		}
	}
	return ""
}

func asText(v any) string {
	switch v.(type) {
	case map[string]any, []any:
		data, err := json.Marshal(v)
		if err == nil {
			return string(data)
		}
	case nil:
		return "null"
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}
