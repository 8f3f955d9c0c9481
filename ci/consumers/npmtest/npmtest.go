// Package npmtest installs the npm packages that tests read reports with:
// those of ci/consumers/package.json, as its lock file has them.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir gives a folder whose node_modules has the packages. It is kept between
// tests, under the user's cache folder, and made anew where the lock file
// changes. The test fails where that cannot be done.
func Dir(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%s is not installed: ci/install-deps.sh test", name)
		}
	}
	dir, err := install()
	if err != nil {
		t.Fatalf("npm packages of ci/consumers: %v", err)
	}
	return dir
}

// files are what the packages follow from.
var files = []string{"package.json", "package-lock.json", ".npmrc"}

func install() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	from := filepath.Dir(filepath.Dir(here))
	hash := sha256.New()
	contents := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return "", err
		}
		contents[name] = data
		fmt.Fprintf(hash, "%s %d\n%s", name, len(data), data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "opendesk-tests")
	dir := filepath.Join(cache, "npm-"+hex.EncodeToString(hash.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// Several tests may come here at the same time: the first whole one counts.
	fresh, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // nothing is left of it where it was renamed
	for name, data := range contents {
		if err := os.WriteFile(filepath.Join(fresh, name), data, 0o644); err != nil {
			return "", err
		}
	}
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, other := os.Stat(dir); other != nil {
			return "", err
		}
	}
	return dir, nil
}
