package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxConfigBytes is the largest eval.yaml that is read.
const maxConfigBytes = 64 << 10

// maxNesting is how deep values may be nested, and how many of the marks that
// begin a nested value may stand on one line. The parser's work grows with the
// square of it; eval.yaml needs five.
const maxNesting = 32

// loadConfig reads the project's eval.yaml, if it has one.
func loadConfig(dir string) (Config, []Problem) {
	file := filepath.Join(dir, ".opendesk", "eval.yaml")
	data, err := readConfig(file)
	if errors.Is(err, fs.ErrNotExist) {
		other := filepath.Join(dir, ".opendesk", "eval.yml")
		if _, err := os.Stat(other); err == nil {
			return Config{}, []Problem{{File: other, Message: "is not read: rename it to eval.yaml"}}
		}
		return DefaultConfig(), nil
	}
	if err != nil {
		return Config{}, []Problem{{File: file, Message: "cannot be read: " + cause(err)}}
	}
	return parseConfig(file, dir, data)
}

func readConfig(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		if _, linkErr := os.Lstat(file); linkErr == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("it is a link to nothing")
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing is written through it
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err == nil && len(data) > maxConfigBytes {
		err = fmt.Errorf("it has more than %d KiB", maxConfigBytes>>10)
	}
	return data, err
}

// parseConfig reads eval.yaml; dir is the project that relative paths are
// relative to.
func parseConfig(file, dir string, data []byte) (Config, []Problem) {
	if !utf8.Valid(data) {
		return Config{}, []Problem{{File: file, Message: "is not UTF-8: save it as UTF-8"}}
	}
	data = []byte(strings.TrimPrefix(string(data), "\uFEFF"))
	// The reader reports all duplicate keys; the parser would stop at the first.
	tokens := lexer.Tokenize(string(data))
	if deep := tooNested(tokens); deep != nil {
		return Config{}, []Problem{{File: file, Line: deep.Position.Line, Column: deep.Position.Column, Message: "the file is nested too deep"}}
	}
	doc, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return Config{}, []Problem{syntaxProblem(file, err)}
	}
	r := &reader{file: file}
	c := loader{reader: r, dir: dir, config: DefaultConfig()}
	bodies := slices.DeleteFunc(doc.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(bodies) > 1 {
		r.add(bodies[1].Body, "", "eval.yaml holds one document, not %d", len(bodies))
	}
	if len(bodies) > 0 {
		c.file(bodies[0].Body)
	}
	if len(r.problems) > 0 {
		return Config{}, r.sorted()
	}
	return c.config, nil
}

// tooNested gives the token at which the file is nested deeper than it may be.
func tooNested(tokens token.Tokens) *token.Token {
	flow, line, marks := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, marks = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			marks++
		}
		if flow > maxNesting || marks > maxNesting {
			return tk
		}
	}
	return nil
}

func syntaxProblem(file string, err error) Problem {
	p := Problem{File: file, Message: "is not YAML: " + err.Error()}
	var located yaml.Error
	if errors.As(err, &located) {
		p.Message = "the file is not YAML: " + located.GetMessage()
		if tk := located.GetToken(); tk != nil && tk.Position != nil {
			p.Line, p.Column = max(1, tk.Position.Line), max(1, tk.Position.Column)
		}
	}
	return p
}

// loader fills a Config from the tree of eval.yaml.
type loader struct {
	*reader
	dir    string
	config Config
}

// The forms of names; they go into environment variables and command lines.
var (
	localeForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.@-]*$`)
	languageForm = regexp.MustCompile(`^(script/)?[A-Za-z][A-Za-z0-9_]*$`)
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ofTheSession are variables that say where the session's parts are. Another
// value would send the input to another display.
var ofTheSession = []string{
	"AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
}

func (c *loader) file(n ast.Node) {
	c.mapping(n, "", fields{
		"display":     func(n ast.Node, path string) { c.display(n, path, &c.config.Display.Geometry) },
		"locale":      func(n ast.Node, path string) { c.locale(n, path) },
		"timezone":    c.timezone,
		"network":     c.network,
		"limits":      c.limits,
		"scripts":     c.scripts,
		"apps":        func(n ast.Node, path string) { c.entries(n, path, c.app) },
		"environment": func(n ast.Node, path string) { c.variables(n, path, c.config.Environment) },
		"ocr": func(n ast.Node, path string) {
			c.mapping(n, path, fields{"languages": c.languages})
		},
		"retries":       func(n ast.Node, path string) { c.integer(n, path, maxRetries, &c.config.Retries) },
		"env_retries":   func(n ast.Node, path string) { c.integer(n, path, maxRetries, &c.config.EnvRetries) },
		"timeout_scale": c.timeoutScale,
		"budget": func(n ast.Node, path string) {
			c.mapping(n, path, fields{
				"program": func(n ast.Node, path string) { c.duration(n, path, &c.config.Budget.Program) },
				"run":     func(n ast.Node, path string) { c.duration(n, path, &c.config.Budget.Run) },
			})
		},
		"setup":    func(n ast.Node, path string) { c.setup(n, path, &c.config.Setup) },
		"programs": func(n ast.Node, path string) { c.entries(n, path, c.rule) },
	})
}

// display reads the screen's geometry.
func (c *loader) display(n ast.Node, path string, to *Geometry) {
	c.mapping(n, path, fields{"geometry": func(n ast.Node, path string) {
		s, ok := c.text(n, path)
		if !ok {
			return
		}
		g, err := ParseGeometry(s)
		if err != nil {
			c.add(n, path, "%v", err)
			return
		}
		*to = g
	}})
}

func (c *loader) locale(n ast.Node, path string) {
	s, ok := c.text(n, path)
	if ok && !localeForm.MatchString(s) {
		c.add(n, path, "%q is no locale: use a name such as C.UTF-8 or de_DE.UTF-8", s)
	}
	c.config.Locale = s
}

func (c *loader) timezone(n ast.Node, path string) {
	s, ok := c.text(n, path)
	if !ok {
		return
	}
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		c.add(n, path, "%q is no time zone of this machine: use a name such as UTC or Europe/Berlin (Debian/Ubuntu: apt-get install tzdata)", s)
	}
	c.config.Timezone = s
}

func (c *loader) network(n ast.Node, path string) {
	s, ok := c.text(n, path)
	options := []string{string(NetworkHost), string(NetworkNone)}
	if ok && !slices.Contains(options, s) {
		c.add(n, path, "%q is unknown: use host or none%s", s, meant(s, options))
	}
	c.config.Network = Network(s)
}

// app reads one entry of apps: a command's name, a path, or a list of words.
func (c *loader) app(key ast.Node, name string, n ast.Node, path string) {
	if strings.TrimSpace(name) == "" {
		c.add(key, path, "has no name")
		return
	}
	for known := range c.config.Apps {
		if strings.EqualFold(known, name) {
			c.add(key, path, "differs from %q by case only: names of applications are the same in any case", known)
			return
		}
	}
	var argv []string
	ok := true
	if seq, isList := n.(*ast.SequenceNode); isList {
		argv, ok = c.texts(seq, path)
	} else {
		argv = make([]string, 1)
		argv[0], ok = c.text(n, path)
	}
	if !ok {
		return
	}
	if len(argv) == 0 || argv[0] == "" {
		c.add(n, path, "names no command: give a command, a path, or a list of a command and its arguments")
		return
	}
	if strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(c.dir, filepath.FromSlash(argv[0]))
	}
	c.config.Apps[name] = argv
}

// variables reads an environment.
func (c *loader) variables(n ast.Node, path string, to map[string]string) {
	c.entries(n, path, func(key ast.Node, name string, n ast.Node, path string) {
		switch {
		case !variableForm.MatchString(name):
			c.add(key, path, "is no name of a variable: use letters, digits and _")
		case slices.Contains(ofTheSession, name):
			c.add(key, path, "is set by the session itself: remove it")
		default:
			if s, ok := c.scalar(n, path); ok {
				to[name] = s
			}
		}
	})
}

func (c *loader) languages(n ast.Node, path string) {
	seq, isList := n.(*ast.SequenceNode)
	if !isList {
		c.add(n, path, "must be a list such as [eng], not %s", kindName(n))
		return
	}
	names, ok := c.texts(seq, path)
	if !ok {
		return
	}
	if len(names) == 0 {
		c.add(n, path, "is empty: name at least one language, such as eng")
	}
	for i, name := range names {
		switch {
		case !languageForm.MatchString(name):
			c.add(seq.Values[i], joinIndex(path, i), "%q is no language of Tesseract: use a name such as eng or chi_sim", name)
		case slices.Index(names, name) != i:
			c.add(seq.Values[i], joinIndex(path, i), "%q stands twice", name)
		}
	}
	c.config.OCR.Languages = names
}

func (c *loader) timeoutScale(n ast.Node, path string) {
	f, ok := c.number(n, path)
	if !ok {
		return
	}
	if !(f > 0 && f <= maxTimeoutScale) {
		c.add(n, path, "must be above 0 and at most %d, not %v", maxTimeoutScale, f)
	}
	c.config.TimeoutScale = f
}
