package policy

import "testing"

// TestTable names every case in which something is not strict. Whoever adds one
// has to add it here.
func TestTable(t *testing.T) {
	free := map[[2]string]bool{
		{"builder", "patch"}: true, {"builder", "compile"}: true, {"builder", "step"}: true,
	}
	seen := 0
	for _, k := range append(Kinds, "", "BUILDER", "else") {
		for _, w := range append(Works, "", "repair") {
			want := !free[[2]string{string(k), string(w)}]
			if got := Strict(k, w, false); got != want {
				t.Errorf("%s %s: strict is %v", k, w, got)
			}
			if !want {
				seen++
			}
			if !Strict(k, w, true) {
				t.Errorf("%s %s of a program that asks for it: not strict", k, w)
			}
		}
	}
	if seen != len(free) {
		t.Errorf("%d cases are not strict, want %d", seen, len(free))
	}
}
