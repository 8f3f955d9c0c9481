package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const scripted = `{"version": 1, "steps": [
  {"id": "s1", "tool": "script", "params": {"file": "main.py"}},
  {"id": "s2", "tool": "script", "params": {"file": "lib/second.py"}}]}`

// codeProject is a project with one program of two scripts.
func codeProject(t *testing.T) (project, file, code string) {
	t.Helper()
	project = t.TempDir()
	file = filepath.Join(project, filepath.FromSlash(LearnedDir), "sub", "two"+Suffix)
	write(t, file, scripted)
	code = CodeFolder(file)
	write(t, filepath.Join(code, "main.py"), "import lib.second\n")
	write(t, filepath.Join(code, "lib", "second.py"), "print(2)\n")
	return project, file, code
}

func TestLoadTakesTheCode(t *testing.T) {
	project, file, code := codeProject(t)
	for _, ignored := range []string{".hidden", ".opendesk.lock", "main.py~", "__pycache__/main.pyc", "lib/x.pyc", ".git/config"} {
		write(t, filepath.Join(code, ignored), "x")
	}
	write(t, filepath.Join(code, "data.json"), "{}")
	write(t, filepath.Join(code, "other"+Suffix), oneStep)
	link(t, "main.py", filepath.Join(code, "alias.py"))
	p, problems := Load(file, "x")
	if p == nil {
		t.Fatal(problems)
	}
	var names []string
	for _, f := range p.Code {
		names = append(names, f.Name+"="+string(f.Data[:1]))
	}
	if want := []string{"alias.py=i", "data.json={", "lib/second.py=p", "main.py=i", "other.program.json={"}; !slices.Equal(names, want) {
		t.Errorf("the code is %q, want %q", names, want)
	}

	// Nothing in the folder of the code is a program or a procedure.
	if got := paths(t, project); !slices.Equal(got, []string{"sub/two" + Suffix}) {
		t.Errorf("found %q", got)
	}
	if procedures, err := DiscoverProcedures(project); err != nil || len(procedures) > 0 {
		t.Errorf("found the procedures %v, %v", procedures, err)
	}

	before := CodeSHA256(p.Code)
	for name, content := range map[string]string{"main.py": "import  lib.second\n", "new.py": ""} {
		write(t, filepath.Join(code, name), content)
		again, _ := Load(file, "x")
		if after := CodeSHA256(again.Code); after == before || len(after) != 64 {
			t.Errorf("%s changes nothing: %s", name, after)
		}
	}
	if CodeSHA256(nil) != "" {
		t.Error("no code has a hash")
	}
}

// TestCodeThatIsNoProgramsIsFound: a folder that happens to be called so, with
// no program beside its folder, is a folder as any other.
func TestCodeThatIsNoProgramsIsFound(t *testing.T) {
	project := t.TempDir()
	write(t, filepath.Join(project, filepath.FromSlash(LearnedDir), "reports", CodeDir, "a"+Suffix), oneStep)
	if got := paths(t, project); !slices.Equal(got, []string{"reports/code/a" + Suffix}) {
		t.Errorf("found %q", got)
	}
}

func TestLoadRefusesCode(t *testing.T) {
	for name, row := range map[string]struct {
		spoil func(t *testing.T, code string)
		want  []string
	}{
		"no folder": {func(t *testing.T, code string) { remove(t, code) },
			[]string{"missing-code x:2:53: steps[0].params.file is missing: the folder x/code of the program's code does not exist"}},
		"no file": {func(t *testing.T, code string) { remove(t, filepath.Join(code, "lib")) },
			[]string{`missing-code x:3:53: steps[1].params.file "lib/second.py" is not in x/code (it has main.py)`}},
		"a name that is nearly right": {func(t *testing.T, code string) {
			if err := os.Rename(filepath.Join(code, "main.py"), filepath.Join(code, "mian.py")); err != nil {
				t.Fatal(err)
			}
		}, []string{`missing-code x:2:53: steps[0].params.file "main.py" is not in x/code (did you mean "mian.py"?)`}},
		"a link out of the folder": {func(t *testing.T, code string) {
			remove(t, filepath.Join(code, "main.py"))
			write(t, filepath.Join(code, "..", "outside.py"), "print(1)")
			link(t, "../outside.py", filepath.Join(code, "main.py"))
		}, []string{"unusable-code x:2:53: steps[0].params.file x/code/main.py is a link that leads out of the folder, or to nothing"}},
		"a link to an absolute path": {func(t *testing.T, code string) { link(t, "/etc/hostname", filepath.Join(code, "a.py")) },
			[]string{"unusable-code x:2:53: steps[0].params.file x/code/a.py is a link that leads out of the folder, or to nothing"}},
		"a link to nothing": {func(t *testing.T, code string) { link(t, "nothing", filepath.Join(code, "a.py")) },
			[]string{"unusable-code x:2:53: steps[0].params.file x/code/a.py is a link that leads out of the folder, or to nothing"}},
		"a link to a folder": {func(t *testing.T, code string) { link(t, "lib", filepath.Join(code, "other")) },
			[]string{"unusable-code x:2:53: steps[0].params.file x/code/other is a folder, not a file"}},
		"the folder is a link": {func(t *testing.T, code string) {
			elsewhere := t.TempDir()
			if err := os.Rename(code, filepath.Join(elsewhere, "code")); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(elsewhere, "code"), code)
		}, []string{"unusable-code x:2:53: steps[0].params.file the folder x/code of the program's code is a link: put the folder itself there"}},
		"the folder is a file": {func(t *testing.T, code string) {
			remove(t, code)
			write(t, code, "")
		}, []string{"unusable-code x:2:53: steps[0].params.file x/code is no folder: the program's code belongs into a folder of that name"}},
		"too much": {func(t *testing.T, code string) {
			write(t, filepath.Join(code, "a.bin"), strings.Repeat("x", MaxCodeBytes))
		}, []string{"unusable-code x:2:53: steps[0].params.file x/code has more than 16 MiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, file, code := codeProject(t)
			row.spoil(t, code)
			p, problems := Load(file, "x")
			if got := strings.Split(strings.TrimSpace(describe(problems)), "\n"); p != nil || !slices.Equal(got, row.want) {
				t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
	}
}

// TestParseNeedsNoCode: a program that is not in a file yet can be written.
func TestParseNeedsNoCode(t *testing.T) {
	if p, problems := Parse("x", []byte(scripted)); p == nil || p.Code != nil || !p.Scripts() {
		t.Error(p, problems)
	}
	if p, _ := Parse("x", []byte(oneStep)); p.Scripts() {
		t.Error("a program without scripts has one")
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestScriptCaps(t *testing.T) {
	p, problems := Parse("x", []byte(`{"version": 1, "steps": [
  {"id": "s1", "tool": "script", "params": {"file": "main.py"}},
  {"id": "s2", "tool": "script", "params": {"file": "main.py", "memory_mib": 700, "disk_mib": 10, "cpu_seconds": 31}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	for _, row := range []struct {
		caps   ScriptCaps
		limits [2]int // memory of both steps
		over   string
	}{
		{nil, [2]int{512, 700}, "asks for more than the project allows: cpu_seconds is 31, more than 30, memory_mib is 700, more than 512 (scripts in .opendesk/eval.yaml)"},
		{ScriptCaps{"memory_mib": 1024, "cpu_seconds": 60}, [2]int{512, 700}, ""},
		{ScriptCaps{"memory_mib": 256, "cpu_seconds": 60}, [2]int{256, 700}, "asks for more than the project allows: memory_mib is 700, more than 256 (scripts in .opendesk/eval.yaml)"},
	} {
		if got := [2]int{row.caps.Limit(p.Steps[0], "memory_mib"), row.caps.Limit(p.Steps[1], "memory_mib")}; got != row.limits {
			t.Errorf("%v: limits %v, want %v", row.caps, got, row.limits)
		}
		if got := row.caps.Over(p.Steps[1]); got != row.over || row.caps.Over(p.Steps[0]) != "" {
			t.Errorf("%v: %q, want %q", row.caps, got, row.over)
		}
		if got := row.caps.Problems(p); (len(got) == 1) != (row.over != "") || len(got) == 1 && (got[0].Line != 3 || got[0].Code != CodeOverCap) {
			t.Errorf("%v: %v", row.caps, got)
		}
	}
}

// FuzzCheckCodePath: what is accepted is one place inside of a folder.
func FuzzCheckCodePath(f *testing.F) {
	for _, name := range []string{"main.py", "../a", "/a", "a/../b", "a//b", ".", "", "a\\b", "a/./b", "..", "a/..", "ż/a b.py"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckCodePath(name) != nil {
			return
		}
		at := filepath.Join("/folder", filepath.FromSlash(name))
		if rest, ok := strings.CutPrefix(at, "/folder/"); !ok || filepath.ToSlash(rest) != name {
			t.Errorf("%q leads to %s", name, at)
		}
	})
}
