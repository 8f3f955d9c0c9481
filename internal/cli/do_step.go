package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/spf13/cobra"
)

// newDo makes a command of every tool and action in the table.
func newDo(st *State) *cobra.Command {
	var o doOptions
	var step string
	cmd := group("do", "Do one step in a session, and write it down")
	cmd.Long = `Does single steps in a display session that 'opendesk session start' has started:
by default in the only one there is. Every step is written into the session's
audit log, out of which 'opendesk learn save-session' makes a program.

What a step takes is what it takes in a program: --app, --role, --title,
--identifier and --ref name an element, --expect-… and --postcondition say what
must hold after it. With --json STEP the step is given as JSON, as programs have
it (- for standard input), and the answer is JSON as well.

Two commands in one session take turns: the second waits, and says so. On a real
display (--display) the log is .opendesk/do.audit.ndjson in the project.
` + doExitCodes
	cmd.Example = `  opendesk do app open Numbers
  opendesk do see --app Numbers
  opendesk do ui click --app Numbers --role button --title PDF --expect-window Export
  opendesk do keyboard type 'Ada'
  opendesk do --json '{"tool": "keyboard", "params": {"action": "hotkey", "keys": ["ctrl", "s"]}}'`
	cmd.Flags().StringVar(&step, "json", "", "do this step: JSON, a file, or -")
	o.add(cmd)
	help := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("json") {
			return help(cmd, args)
		}
		o.json = true
		text, err := readText(cmd.Context(), st, step)
		if err != nil {
			return err
		}
		return o.step(cmd.Context(), st, cmd.Flags().Changed, text)
	}
	for _, tool := range tools.All() {
		if !tool.InProgram {
			cmd.AddCommand(newDoTool(st, tool))
		}
	}
	cmd.AddCommand(newDoSee(st), newDoScreenshot(st), newDoOCR(st))
	return cmd
}

func newDoTool(st *State, tool tools.Tool) *cobra.Command {
	if !tool.HasActions() {
		return newDoAction(st, tool, tool.Actions[0], tool.Name)
	}
	cmd := group(tool.Name, tool.Doc)
	for _, action := range tool.Actions {
		cmd.AddCommand(newDoAction(st, tool, action, action.Name))
	}
	return cmd
}

func newDoAction(st *State, tool tools.Tool, action tools.Action, name string) *cobra.Command {
	var o doOptions
	s := stepFlags{tool: tool, action: action}
	cmd := &cobra.Command{Use: name, Short: action.Doc, Long: action.Doc + "\n" + doExitCodes}
	if named := s.named(); named != nil {
		cmd.Use = name + " [" + strings.ToUpper(named.Name) + "]"
		if named.Type == tools.StringList {
			cmd.Use += "..."
		}
	}
	s.add(cmd)
	o.add(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := s.json(args)
		if err != nil {
			return err
		}
		return o.step(cmd.Context(), st, cmd.Flags().Changed, text)
	}
	return cmd
}

// step does the step that the text is.
func (o *doOptions) step(ctx context.Context, st *State, given func(string) bool, text []byte) error {
	p, warnings, err := oneStep(text)
	if err != nil {
		return err
	}
	at, err := o.open(ctx, st, given)
	if err != nil {
		return err
	}
	defer at.close() //nolint:errcheck // a folder of temporary files
	if s := p.Steps[0]; s.Tool == "ui" && s.Action == "get_tree" {
		return at.see(ctx, s.App(), treeView{json: o.json})
	}
	d, err := at.perform(ctx, p, nil, nil)
	if d != nil {
		d.warnings = warnings
	}
	return at.tell(ctx, d, err)
}

// oneStep is a program of that step alone, with what is to be said of it.
func oneStep(text []byte) (*program.Program, []string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, usage("there is no step: give one as JSON")
	}
	composed, err := program.Compose("step", program.Header{Name: "do", Source: "do"}, append(append([]byte("["), text...), ']'))
	var invalid *program.InvalidError
	switch {
	case errors.As(err, &invalid):
		return nil, nil, usage("the step is not valid: %s", strings.Join(aboutStep(invalid.Problems), "\n"))
	case err != nil:
		return nil, nil, usage("the step is not valid: %w", err)
	}
	if n := len(composed.Program.Steps); n != 1 {
		return nil, nil, usage("give one step, not %d", n)
	}
	if composed.Program.Scripts() {
		return nil, nil, usage("a script is part of a learned program: run that step by 'opendesk learn run NAME --only ID --session NAME'")
	}
	return composed.Program, aboutStep(composed.Warnings), nil
}

// aboutStep are problems of the only step of a program.
func aboutStep(problems []program.Problem) []string {
	var lines []string
	for _, p := range problems {
		place := strings.TrimPrefix(strings.TrimPrefix(p.JSONPath, "steps[0]"), ".")
		lines = append(lines, strings.TrimSpace(place+" "+p.Message))
	}
	return lines
}

// stepFlags are the flags that make a step.
type stepFlags struct {
	tool   tools.Tool
	action tools.Action

	target        program.Target
	postcondition string
	expect        map[program.Kind]*string
	expectWithin  int
	resolveWithin int
	wait          int
	changed       func(string) bool
	params        map[string]func() any
}

// flagOf is the name of a parameter's flag.
func flagOf(param string) string { return strings.ReplaceAll(param, "_", "-") }

// named is the parameter that may be given without a flag: the only one that
// must be given, nil for none.
func (s *stepFlags) named() *tools.Param {
	var found *tools.Param
	for i := range s.action.Params {
		if p := &s.action.Params[i]; p.Required {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// expectations are the flags of the kinds of postconditions.
var expectations = map[program.Kind]struct{ flag, doc string }{
	program.AppFrontmost:        {"expect-app", "after the step this app must be in front"},
	program.WindowTitleContains: {"expect-window", "after the step the title of the window with the focus must hold this"},
	program.ElementExists:       {"expect-element", "after the step there must be an element of this title"},
	program.TextVisible:         {"expect-text", "after the step this text must be seen"},
}

func (s *stepFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.target.App, "app", "", "the app that is meant")
	if s.action.Target != tools.TargetNone {
		f.StringVar(&s.target.Role, "role", "", "the element's role, such as button")
		f.StringVar(&s.target.Title, "title", "", "the element's title")
		f.StringVar(&s.target.Identifier, "identifier", "", "the element's accessibility identifier")
		f.StringVar(&s.target.Ref, "ref", "", "the element's place in the tree, as 'do see' prints it")
		f.IntVar(&s.resolveWithin, "resolve-timeout-ms", 0, "how long the element is looked for, in ms (default 5000)")
	}
	s.params = map[string]func() any{}
	for _, p := range s.action.Params {
		if p.TargetField == "" {
			s.params[p.Name] = addParam(cmd, p)
		}
	}
	s.expect = map[program.Kind]*string{}
	exclusive := []string{"postcondition"}
	f.StringVar(&s.postcondition, "postcondition", "", "what must hold after the step, as JSON")
	for _, kind := range program.ScreenKinds {
		e := expectations[kind]
		s.expect[kind] = f.String(e.flag, "", e.doc)
		exclusive = append(exclusive, e.flag)
	}
	f.IntVar(&s.expectWithin, "expect-timeout-ms", 0, "how long that may take, in ms (default 5000)")
	f.IntVar(&s.wait, "wait-ms", 0, "the pause after the action, in ms")
	cmd.MarkFlagsMutuallyExclusive(exclusive...)
	s.changed = f.Changed
}

// addParam adds the parameter's flag; value gives what was given.
func addParam(cmd *cobra.Command, p tools.Param) (value func() any) {
	f, name, doc := cmd.Flags(), flagOf(p.Name), p.Doc
	if len(p.Enum) > 0 {
		doc += " (" + strings.Join(p.Enum, ", ") + ")"
	}
	if p.Unit != "" {
		doc += " [" + p.Unit + "]"
	}
	if p.Default != nil {
		doc += fmt.Sprintf(" (default %v)", p.Default)
	}
	if p.Ignored != "" {
		doc += "; without effect: " + p.Ignored
	}
	switch p.Type {
	case tools.Integer:
		v := f.Int(name, 0, doc)
		value = func() any { return *v }
	case tools.Number:
		v := f.Float64(name, 0, doc)
		value = func() any { return *v }
	case tools.StringList:
		v := f.StringArray(name, nil, doc+" (repeatable)")
		value = func() any { return *v }
	default:
		v := f.String(name, "", doc)
		value = func() any { return *v }
	}
	return value
}

// json is the step, with what was given.
func (s *stepFlags) json(args []string) ([]byte, error) {
	params := map[string]any{}
	if s.action.Name != "" {
		params["action"] = s.action.Name
	}
	for name, value := range s.params {
		if s.changed(flagOf(name)) {
			params[name] = value()
		}
	}
	if err := s.positional(params, args); err != nil {
		return nil, err
	}
	step := map[string]any{"tool": s.tool.Name, "params": params}
	if !s.target.IsZero() {
		step["target"] = s.target
	}
	if s.changed("resolve-timeout-ms") {
		step["resolve_timeout_ms"] = s.resolveWithin
	}
	if s.changed("wait-ms") {
		step["wait_ms"] = s.wait
	}
	post, err := s.expected()
	if err != nil {
		return nil, err
	}
	if post != nil {
		step["postcondition"] = post
	}
	return json.Marshal(step)
}

// positional takes what was given without a flag.
func (s *stepFlags) positional(params map[string]any, args []string) error {
	if len(args) == 0 {
		return nil
	}
	named := s.named()
	switch {
	case named == nil || named.Type != tools.String && named.Type != tools.StringList || named.Type == tools.String && len(args) > 1:
		return usage("too many arguments: %s (texts of several words need quotes)", strings.Join(args, " "))
	case params[named.Name] != nil:
		return usage("%s is given twice: as %q and by --%s", named.Name, args[0], flagOf(named.Name))
	case named.Type == tools.StringList:
		params[named.Name] = args
	default:
		params[named.Name] = args[0]
	}
	return nil
}

// expected is the postcondition, nil for none.
func (s *stepFlags) expected() (any, error) {
	var post map[string]any
	for _, kind := range program.ScreenKinds {
		if s.changed(expectations[kind].flag) {
			post = map[string]any{"kind": kind, "value": *s.expect[kind]}
		}
	}
	if s.postcondition != "" {
		if err := json.Unmarshal([]byte(s.postcondition), &post); err != nil {
			return nil, usage("--postcondition is no JSON object: %w", err)
		}
	}
	if s.changed("expect-timeout-ms") {
		if post == nil {
			return nil, usage("--expect-timeout-ms: nothing is expected")
		}
		post["timeout_ms"] = s.expectWithin
	}
	if post == nil {
		return nil, nil
	}
	return post, nil
}
