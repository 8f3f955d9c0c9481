package compare

import (
	"fmt"
	"slices"

	"github.com/opendesk/opendesk/results"
)

// strength is the order of means: the earlier, the stronger. Means that are
// not in it say what sort of thing was looked for and are not compared.
var strength = []results.Means{
	results.MeansRef, results.MeansIdentifier, results.MeansExactTitle, results.MeansSubstringTitle,
}

// weaker says whether a target that was found by one means is now found by a
// weaker one.
func weaker(before, after results.Means) bool {
	b, a := slices.Index(strength, before), slices.Index(strength, after)
	return b >= 0 && a > b
}

// heldWeaker says whether a postcondition that held by one means now holds by
// a weaker one.
func heldWeaker(before, after results.Means) bool {
	if after == results.MeansOCR {
		return before != "" && before != results.MeansOCR
	}
	return weaker(before, after)
}

// weakAct says whether an element was acted on from outside, rather than by an
// action of its own.
func weakAct(actedBy string) bool { return actedBy == "pointer" || actedBy == "keyboard" }

// drift lists the steps that passed by a weaker means than in the program's
// last good run. A step that is another one now is not compared.
func (c *comparer) drift(now Current, k known) ([]StepDrift, error) {
	steps := now.stepsOf()
	if !slices.ContainsFunc(steps, canDrift) {
		return nil, nil
	}
	before, err := c.past.Steps(*k.good)
	if err != nil {
		return nil, err
	}
	changed, err := c.changedSteps(k.good.SHA256, now.SHA256)
	if err != nil {
		return nil, err
	}
	var list []StepDrift
	for _, s := range steps {
		i := slices.IndexFunc(before, func(b StepOutcome) bool { return b.ID == s.ID })
		if i < 0 || changed(s.ID) || s.Status != results.StepPassed || before[i].Status != results.StepPassed {
			continue
		}
		list = append(list, stepDrift(before[i], s)...)
	}
	return list, nil
}

// changedSteps says which steps differ between two contents of a program. What
// is not known counts as the same.
func (c *comparer) changedSteps(before, after string) (func(id string) bool, error) {
	if before == after || before == "" || after == "" {
		return func(string) bool { return false }, nil
	}
	change, err := c.fileChange(before, after)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		return slices.ContainsFunc(change.Steps, func(s StepChange) bool { return s.ID == id && s.How != StepMoved })
	}, nil
}

// canDrift says whether something of the step is not the strongest that it
// could be.
func canDrift(s StepOutcome) bool {
	return weaker(strength[0], s.Target) || heldWeaker(strength[0], s.Held) || weakAct(s.ActedBy)
}

// stepDrift lists what of the step became weaker.
func stepDrift(before, now StepOutcome) []StepDrift {
	var list []StepDrift
	add := func(what, from, to, format string) {
		list = append(list, StepDrift{
			Step: now.StepRef, What: what, Before: from, After: to, Message: fmt.Sprintf(format, to, from),
		})
	}
	if weaker(before.Target, now.Target) {
		add("target", string(before.Target), string(now.Target), "the target was found by its %s, by its %s in the last good run")
	}
	if before.ActedBy == "native" && weakAct(now.ActedBy) {
		add("action", before.ActedBy, now.ActedBy, "the %s acted, the element's %s action in the last good run")
	}
	if heldWeaker(before.Held, now.Held) {
		from, to := string(before.Held), string(now.Held)
		if now.Held == results.MeansOCR {
			add("postcondition", from, to, "the postcondition held by %s only, by the %s in the last good run")
		} else {
			add("postcondition", from, to, "the postcondition held by the %s, by the %s in the last good run")
		}
	}
	return list
}
