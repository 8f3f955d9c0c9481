package learn

import (
	"errors"
	"testing"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// TestOnlyBuildersWrite: nobody but a builder writes, whatever is unlocked, and a
// builder not what is strict, or locked.
func TestOnlyBuildersWrite(t *testing.T) {
	const plain = `{"steps": [{"id": "s1", "tool": "wait"}]}`
	var strict *StrictError
	for _, k := range policy.Kinds {
		err := Author{Kind: k, Unlock: true}.may(policy.Compile, []byte(plain))
		if k == policy.Builder && err != nil || k != policy.Builder && !errors.As(err, &strict) {
			t.Errorf("%s: %v", k, err)
		}
	}
	builder := Author{Kind: policy.Builder}
	if err := (Author{Kind: policy.Builder, Unlock: true}).may(policy.Patch, []byte(`{"strict": true}`)); !errors.As(err, &strict) || !strict.Wanted {
		t.Error(err)
	}
	var locked *program.LockedError
	for _, text := range []string{`{"locked": true}`, `{"steps": [{"id": "s1", "locked": true}]}`} {
		if err := builder.may(policy.Compile, []byte(text)); !errors.As(err, &locked) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := builder.may(policy.Compile, []byte("{ no JSON")); err != nil {
		t.Error(err)
	}
}
