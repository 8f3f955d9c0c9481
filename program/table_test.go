package program

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the problems that Parse finds into testdata/programs.txtar")

const tableFile = "testdata/programs.txtar"

// row is one program of the table.
type row struct {
	name string
	good bool
	data []byte
	// want holds the problems, one a line.
	want string
	// beyond says why the schema accepts a bad program; "" if it does not.
	beyond string
}

func readTable(t *testing.T) []*row {
	t.Helper()
	archive, err := txtar.ParseFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	var rows []*row
	byName := map[string]*row{}
	for _, f := range archive.Files {
		name, kind, _ := strings.Cut(f.Name, ".")
		r := byName[name]
		if r == nil {
			r = &row{name: name, good: strings.HasPrefix(name, "good/")}
			byName[name] = r
			rows = append(rows, r)
		}
		switch kind {
		case "json":
			r.data = f.Data
		case "want":
			r.want = string(f.Data)
		case "beyond":
			r.beyond = string(f.Data)
		default:
			t.Fatalf("%s: what is it?", f.Name)
		}
	}
	return rows
}

// describe gives the problems as the table holds them.
func describe(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Code + " " + p.String() + "\n")
	}
	return b.String()
}

func TestParseTable(t *testing.T) {
	rows := readTable(t)
	codes := map[string]bool{}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			prog, problems := Parse("x.json", r.data)
			got := describe(problems)
			if *update {
				r.want = got
			}
			if got != r.want {
				t.Errorf("problems:\n%s\nwant:\n%s", got, r.want)
			}
			if (prog != nil) != r.good || HasErrors(problems) == r.good {
				t.Errorf("loaded: %v, errors: %v; want good: %v", prog != nil, HasErrors(problems), r.good)
			}
			for _, p := range problems {
				codes[p.Code] = true
				if severityOf[p.Code] != p.Severity {
					t.Errorf("code %q is not in Codes or has another severity", p.Code)
				}
			}
		})
	}
	for _, c := range Codes {
		if !codes[c.Code] && !testedElsewhere[c.Code] {
			t.Errorf("no program of the table has %q", c.Code)
		}
	}
	if *update {
		writeTable(t, rows)
	}
}

// testedElsewhere are the codes of what a small text cannot show.
var testedElsewhere = map[string]bool{
	CodeMissingFile: true, CodePermission: true, CodeNotRegular: true, CodeUnreadable: true, CodeTooLarge: true,
	CodeNotUTF8: true, CodeTooDeep: true, CodeTooManyValues: true, CodeTooManySteps: true, CodeTooManyProblems: true,
	CodeMissingCode: true, CodeUnusableCode: true, CodeCodeSyntax: true, CodeOverCap: true,
}

func writeTable(t *testing.T, rows []*row) {
	t.Helper()
	old, err := txtar.ParseFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: old.Comment}
	for _, r := range rows {
		out.Files = append(out.Files, txtar.File{Name: r.name + ".json", Data: r.data})
		if r.beyond != "" {
			out.Files = append(out.Files, txtar.File{Name: r.name + ".beyond", Data: []byte(r.beyond)})
		}
		if r.want != "" {
			out.Files = append(out.Files, txtar.File{Name: r.name + ".want", Data: []byte(r.want)})
		}
	}
	if err := os.WriteFile(tableFile, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSchemaAgreesWithParse(t *testing.T) {
	schema := compileSchema(t)
	for _, r := range readTable(t) {
		t.Run(r.name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.data))
			if err == nil {
				err = schema.Validate(doc)
			} else if r.beyond == "" {
				t.Fatalf("no JSON: %v", err)
			}
			switch {
			case r.good && err != nil:
				t.Errorf("the schema refuses a good program: %v", err)
			case !r.good && err == nil && r.beyond == "":
				t.Error("the schema accepts a bad program")
			case doc != nil && err != nil && r.beyond != "":
				t.Errorf("the schema does see the error: %v", err)
			}
		})
	}
}

func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("program.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("program.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
