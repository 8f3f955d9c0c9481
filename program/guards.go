package program

import "github.com/go-json-experiment/json/jsontext"

// Guards are what keeps a program from being written.
type Guards struct {
	// Strict and Locked are the file's "strict" and "locked".
	Strict, Locked bool
	// LockedSteps are the ids of the locked steps, in their order.
	LockedSteps []string
	// LockedScripts are those of them that run a script.
	LockedScripts []string
}

// GuardsOf reads them from a file, which need not be valid: what cannot be read
// guards nothing.
func GuardsOf(data []byte) Guards {
	var g Guards
	root := readDocument(&collector{src: newSource("", data)})
	if root == nil || root.kind != jsontext.KindBeginObject {
		return g
	}
	g.Strict, g.Locked = isTrue(root.get("strict")), isTrue(root.get("locked"))
	if list := root.get("steps"); list != nil {
		for _, item := range list.items {
			if isTrue(item.get("locked")) {
				g.LockedSteps = append(g.LockedSteps, idOf(item))
				if tool := item.get("tool"); tool != nil && tool.text == "script" {
					g.LockedScripts = append(g.LockedScripts, idOf(item))
				}
			}
		}
	}
	return g
}

// Locks says what is locked of it, nil for nothing.
func (g Guards) Locks() *LockedError {
	switch {
	case g.Locked:
		return &LockedError{}
	case len(g.LockedSteps) > 0:
		return &LockedError{StepID: g.LockedSteps[0]}
	}
	return nil
}
