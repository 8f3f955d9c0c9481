package pymodule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pdf is the smallest PDF that says something.
func pdf(text string) string {
	content := fmt.Sprintf("BT /F1 24 Tf 20 100 Td (%s) Tj ET", text)
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, object := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.String()
}

// archive is a peer with files.
func archive(t *testing.T) *peer {
	t.Helper()
	p := newPeer(t)
	p.file("invoices/2026/03/f001.txt", "Total: 12.50\r\nOpłacono")
	p.file("invoices/2026/03/f002.md", "\ufeff# Invoice")
	p.file("invoices/2026/03/f003.pdf", pdf("Total due 4820"))
	p.file("invoices/2026/04/f010.txt", "x")
	p.file("latin.txt", "caf\xe9")
	p.file("binary.bin", "a\x00b")
	p.file("broken.pdf", "%PDF-1.4\nnothing")
	p.file(".hidden/secret.txt", "s")
	p.file("../outside.txt", "not yours")
	for link, to := range map[string]string{"out.txt": "../outside.txt", "outside": "..", "in.txt": "latin.txt", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(p.archive, link)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestFiles: what find, read and save_result give, and what they refuse.
func TestFiles(t *testing.T) {
	p := archive(t)
	rows := []struct{ code, want string }{
		{`find("invoices/2026/03/*")`, `['invoices/2026/03/f001.txt', 'invoices/2026/03/f002.md', 'invoices/2026/03/f003.pdf']`},
		{`find("invoices/**/*.txt")`, `['invoices/2026/03/f001.txt', 'invoices/2026/04/f010.txt']`},
		{`find("**/*.txt", limit=2)`, `['in.txt', 'invoices/2026/03/f001.txt']`},
		{`find("*.nothing")`, `[]`},
		{`find("*.txt")`, `['in.txt', 'latin.txt']`}, // neither the link that leads out nor what is hidden
		{`find("**/secret.txt")`, `[]`},
		{`find(".hidden/*")`, `['.hidden/secret.txt']`},
		{`find("outside/*.txt")`, `[]`},
		{`find("../*")`, "PermissionError: '../*' is outside of the project"},
		{`find("/etc/*")`, "PermissionError: '/etc/*' is outside of the project"},
		{`find("")`, "ValueError: the pattern is empty"},
		{`read("invoices/2026/03/f001.txt")`, `'Total: 12.50\nOpłacono'`},
		{`read("invoices/2026/03/f002.md")`, `'# Invoice'`},
		{`read("invoices/2026/03/f003.pdf").strip()`, `'Total due 4820'`},
		{`read("latin.txt", encoding="latin-1")`, `'café'`},
		{`read("in.txt", encoding="latin-1")`, `'café'`},
		{`read("invoices/2026/03/f001.txt", max_chars=5)`, `'Total\n[... 16 characters cut ...]'`},
		{`read("latin.txt")`, "ValueError: 'latin.txt' is no utf-8 at byte 3: give its encoding, as in read('latin.txt', encoding='cp1252')"},
		{`read("binary.bin")`, "ValueError: 'binary.bin' is no text: it holds NUL bytes"},
		{`read("broken.pdf")`, "ValueError: 'broken.pdf' is no PDF that can be read"},
		{`read("invoices/2026/03/f004.txt")`, "FileNotFoundError: there is no 'invoices/2026/03/f004.txt'; in 'invoices/2026/03' there is: f001.txt, f002.md, f003.pdf"},
		{`read("invoices/2025/01/f.txt")`, "FileNotFoundError: there is no 'invoices/2025/01/f.txt'; in 'invoices' there is: 2026/"},
		{`read("nothing.txt")`, "FileNotFoundError: there is no 'nothing.txt'; in the project there is: binary.bin, broken.pdf, in.txt, invoices/, latin.txt"},
		{`read("invoices")`, "IsADirectoryError: 'invoices' is a folder: find('invoices/*') lists its files"},
		{`read("../outside.txt")`, "PermissionError: '../outside.txt' is outside of the project"},
		{`read("invoices/../../outside.txt")`, "PermissionError"},
		{`read("/etc/hostname")`, "PermissionError: '/etc/hostname' is outside of the project"},
		{`read("out.txt")`, "PermissionError: 'out.txt' is outside of the project"},
		{`read("outside/outside.txt")`, "PermissionError"},
		{`read(3)`, "TypeError: a path is a text, not int"},
		{`open(save_result("a/unpaid.txt", "3 unpaid ł")).read()`, `'3 unpaid ł'`},
		{`save_result("../a.txt", "x")`, "PermissionError: '../a.txt' is outside of the work folder"},
		{`save_result("/tmp/a.txt", "x")`, "PermissionError: '/tmp/a.txt' is outside of the work folder"},
		{`save_result("a", "x")`, "IsADirectoryError: 'a' is a folder"},
		{`save_result("b.txt", b"x")`, "TypeError: save_result() saves a text, not bytes"},
	}
	code := "from opendesk_tools import *\ndef show(code):\n    try:\n        print(repr(eval(code)))\n" +
		"    except Exception as e:\n        print(f'{type(e).__name__}: {e}')\n"
	for _, row := range rows {
		code += fmt.Sprintf("show(%q)\n", row.code)
	}
	out, err := p.run(code)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != len(rows) {
		t.Fatalf("%d lines, %v\n%s", len(lines), err, out)
	}
	for i, row := range rows {
		value := strings.HasPrefix(row.want, "'") || strings.HasPrefix(row.want, "[")
		if value && lines[i] != row.want || !strings.HasPrefix(lines[i], row.want) {
			t.Errorf("%s gives %s, want %s", row.code, lines[i], row.want)
		}
	}
	saved, err := os.ReadFile(filepath.Join(p.work, "a", "unpaid.txt"))
	if err != nil || string(saved) != "3 unpaid ł" {
		t.Errorf("saved %q, %v", saved, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(p.work), "*.txt")); len(left) != 1 {
		t.Errorf("outside of the work folder there is %v", left)
	}
	if len(p.requests) == 0 || p.requests[0].Tool != "files" {
		t.Error("the calls of files are not told")
	}
}
