package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// everything is a run in which all texts that are not words of the results
// themselves are s.
func everything(s string) *results.Run {
	run := resultstest.Mixed().Run()
	more := traced().Run()
	run.Programs = append(run.Programs, more.Programs...)
	run.Notes = []string{s}
	run.Programs[0].Quarantine = &results.Quarantine{Issue: s, Until: s}
	run.Programs[0].Tags = []string{s}
	texts(reflect.ValueOf(run), s)
	return run
}

// texts sets all texts to s.
func texts(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.Len() > 0 {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), s)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			if v.Len() > 0 {
				text, _ := json.Marshal(s)
				v.SetBytes(text)
			}
			return
		}
		for i := range v.Len() {
			texts(v.Index(i), s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Kind" && f.Name != "MediaType" && f.Name != "Severity" {
				texts(v.Field(i), s)
			}
		}
	}
}

// skeleton is the page without its texts and the values of its attributes.
func skeleton(t testing.TB, page string) string {
	t.Helper()
	var b strings.Builder
	z := xhtml.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return b.String()
		case xhtml.CommentToken:
			t.Fatalf("the page has a comment: %s", z.Raw())
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			token := z.Token()
			fmt.Fprintf(&b, "<%s", token.Data)
			for _, a := range token.Attr {
				fmt.Fprintf(&b, " %s", a.Key)
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Fatalf("the page has an attribute %s=%q", a.Key, a.Val)
				}
				if (a.Key == "href" || a.Key == "src") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
					t.Fatalf("the page has %s=%q", a.Key, a.Val)
				}
			}
			b.WriteString(">\n")
		case xhtml.EndTagToken:
			fmt.Fprintf(&b, "</%s>\n", z.Token().Data)
		}
	}
}

// few is a run with one program of each kind, for many pages.
func few(s string) *results.Run {
	run := everything(s)
	all := run.Programs
	run.Programs = []results.Program{all[0], all[5], all[7], all[10]} // retried, no session, invalid, traced
	return run
}

// harmless are pages of texts that do nothing.
var harmless = sync.OnceValue(func() map[string]string {
	pages := map[string]string{}
	for _, s := range []string{"", "x", "\n", "\nx", "x\ny\nz", " "} {
		var buf bytes.Buffer
		if err := html.Write(&buf, few(s), html.Options{}); err != nil {
			panic(err)
		}
		pages[s] = buf.String()
	}
	return pages
})

// check holds the page of a run full of s against that of a harmless one: the
// text changes nothing but texts.
func check(t testing.TB, s string) {
	t.Helper()
	page := render(t, few(s), html.Options{})
	like := "x"
	if strings.TrimSpace(s) == "" {
		like = s
	}
	harmlessPage, ok := harmless()[like]
	if got, want := skeleton(t, page), skeleton(t, harmlessPage); ok && got != want {
		a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%q changes the page at tag %d: %s against %s", s, i, a[i], b[i])
			}
		}
		t.Fatalf("%q changes the page: %d against %d tags", s, len(a), len(b))
	}
	plain(t, page)
}

// heavy are tags of which a text can change the number neither way.
var heavy = []string{"<script", "<style", "<meta", "<link", "<base", "<iframe", "<object", "<embed", "<form"}

// What harmless pages have.
var (
	once   sync.Once
	usual  = map[string]bool{}
	usualX string
)

// checkAny is check for any text: which parts of it are left out depends on its
// lines and blanks, so that the page's tags are to be such as harmless pages
// have, in whatever number.
func checkAny(t testing.TB, s string) {
	t.Helper()
	page := render(t, few(s), html.Options{})
	got := skeleton(t, page)
	once.Do(func() {
		for _, text := range harmless() {
			for _, tag := range strings.Split(skeleton(t, text), "\n") {
				usual[tag] = true
			}
		}
		usualX = skeleton(t, harmless()["x"])
	})
	for i, tag := range strings.Split(got, "\n") {
		if !usual[tag] {
			t.Fatalf("%q makes the tag %s (%d)", s, tag, i)
		}
	}
	for _, tag := range heavy {
		if a, b := strings.Count(got, tag), strings.Count(usualX, tag); a != b {
			t.Fatalf("%q makes %d of %s, not %d", s, a, tag, b)
		}
	}
	plain(t, page)
}

// plain holds a page against what every page is.
func plain(t testing.TB, page string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Fatal("the page is not UTF-8")
	}
	for _, r := range page {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			t.Fatalf("the page has the character %U", r)
		}
	}
	if _, err := xhtml.Parse(strings.NewReader(page)); err != nil {
		t.Fatal(err)
	}
}

var hostile = []string{
	"", "x", `</script><img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `' onfocus='alert(1)`, "</style>", "<!--", "-->", "]]>",
	"</textarea></title></template></noscript>", "{{.Style}}", "javascript:alert(1)", " JaVaScRiPt:alert(1)", "//evil.example/x", "data:text/html,x",
	"\x1b]0;owned\x07\x00\u009b31m\xff\xfe\ufffe", "\u202egnp.exe\u2066\u200f\ufeff\u2028\u2029", "a\r\nb\tc", "&lt;b&gt;&#0;", "\U000e0041\U0001f9d1\u200d\U0001f680",
	" ", "\u00a0", "\u0085\t", "\n",
}

func TestHostileTexts(t *testing.T) {
	for _, s := range hostile {
		check(t, s)
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkAny(t, s) })
}

// Nothing of a result is lost: every text of it stands in the page, unless it
// is one of those that a page for people leaves out.
func TestEverythingIsShown(t *testing.T) {
	run := everything("x")
	left := map[string]bool{
		"SHA256": true, "Code": true, "MediaType": true, "Digest": true, "Order": true, "Screenshot": true, "Ref": true,
		"Tool": true, "Action": true, "File": true, // the step's summary, and the path, say it
	}
	n := 0
	var name func(v reflect.Value, path string)
	tokens := map[string]string{}
	seen := map[uintptr]bool{} // a fault is its step's failure as well
	name = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.String:
			if v.Type() == reflect.TypeFor[string]() && v.Len() > 0 && v.String() != results.KindTrace && !seen[v.Addr().Pointer()] {
				seen[v.Addr().Pointer()] = true
				n++
				token := fmt.Sprintf("token%dx", n)
				tokens[token] = path
				v.SetString(token)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				name(v.Elem(), path)
			}
		case reflect.Slice:
			if v.Type() == reflect.TypeFor[json.RawMessage]() {
				return
			}
			for i := range v.Len() {
				name(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && !left[f.Name] && !(f.Name == "Reason" && strings.HasSuffix(path, ".SelfHeal")) {
					name(v.Field(i), path+"."+f.Name)
				}
			}
		}
	}
	name(reflect.ValueOf(run), "run")
	page := render(t, run, html.Options{})
	for token, path := range tokens {
		if !strings.Contains(page, token) {
			t.Errorf("%s is not shown", path)
		}
	}
}
