package program

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/program/tools"
)

// numberRule says which numbers a field takes.
type numberRule struct {
	whole            bool
	unit             string
	minimum, maximum *float64
}

func ruleOf(p *tools.Param) numberRule {
	return numberRule{whole: p.Type == tools.Integer, unit: p.Unit, minimum: p.Minimum, maximum: p.Maximum}
}

// number holds a value against the rule.
func (d *decoder) number(v *node, path string, rule numberRule) bool {
	if v.kind != jsontext.KindNumber {
		d.add(CodeWrongType, v.start, path, "must be %s, not %s", rule.what(), v.kindName())
		return false
	}
	code := CodeBadValue
	if rule.unit == "ms" || rule.unit == "s" {
		code = CodeBadTime
	}
	switch {
	case rule.minimum != nil && v.number < *rule.minimum:
		d.add(code, v.start, path, "must be at least %s, not %s", rule.format(*rule.minimum), d.raw(v))
	case rule.maximum != nil && v.number > *rule.maximum:
		d.add(code, v.start, path, "must be at most %s, not %s", rule.format(*rule.maximum), d.raw(v))
	case rule.whole && v.number != math.Trunc(v.number):
		d.add(code, v.start, path, "must be %s, not %s", rule.what(), d.raw(v))
	default:
		return true
	}
	return false
}

// what names the kind of number that the rule wants.
func (r numberRule) what() string {
	what := "a number"
	if r.whole {
		what = "a whole number"
	}
	switch r.unit {
	case "ms":
		return what + " of milliseconds"
	case "s":
		return what + " of seconds"
	}
	return what
}

func (r numberRule) format(bound float64) string {
	s := strconv.FormatFloat(bound, 'f', -1, 64)
	if r.unit != "" {
		s += " " + r.unit
	}
	return s
}
