package program

import (
	"fmt"
	"slices"
	"strings"
)

// scriptLimits are the parameters of a script that are capped.
var scriptLimits = []string{"cpu_seconds", "memory_mib", "processes", "disk_mib"}

// ScriptCaps are the most that scripts may ask for, by the parameter of the tool
// script. What is not in it may be as much as a script has by itself.
type ScriptCaps map[string]int

func (c ScriptCaps) of(param string) int {
	if most, ok := c[param]; ok {
		return most
	}
	return int(Step{Tool: "script"}.Number(param))
}

// Limit is what the script may have: what its step asks for, or what scripts
// have by themselves where that is allowed.
func (c ScriptCaps) Limit(s Step, param string) int {
	if s.Given(param) {
		return int(s.Number(param))
	}
	return min(int(s.Number(param)), c.of(param))
}

// Over says what a script asks for that is more than is allowed, "" for nothing.
func (c ScriptCaps) Over(s Step) string {
	var over []string
	for _, param := range scriptLimits {
		if asked := int(s.Number(param)); s.Tool == "script" && s.Given(param) && asked > c.of(param) {
			over = append(over, fmt.Sprintf("%s is %d, more than %d", param, asked, c.of(param)))
		}
	}
	if over == nil {
		return ""
	}
	return "asks for more than the project allows: " + strings.Join(over, ", ") + " (scripts in .opendesk/eval.yaml)"
}

// Problems are the errors of the program's scripts that ask for too much.
func (c ScriptCaps) Problems(p *Program) []Problem {
	var problems []Problem
	for _, s := range p.Steps {
		if over := c.Over(s); over != "" {
			problems = append(problems, s.CodeProblem(p.Path, CodeOverCap, "%s", over))
		}
	}
	return slices.Clip(problems)
}
