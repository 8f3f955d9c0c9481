package check

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// The container's file is carried out, command by command, each stage in a fresh
// Debian of its own; then the image does what it is for. It takes minutes, root,
// debootstrap, bubblewrap and the package mirrors, so that it is a part of
// `make test-full` only.
func TestContainerRuns(t *testing.T) {
	if os.Getenv("OPENDESK_FULL") == "" {
		t.Skip("takes minutes: make test-full")
	}
	for _, program := range []string{"debootstrap", "bwrap"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is not installed: ci/install-deps.sh toolkits", program)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("debootstrap has to be root")
	}
	base := debian(t)
	stages := stagesOf(t)
	roots := map[string]*root{}
	var image *root
	for _, stage := range stages {
		image = base.copy(t)
		if strings.HasPrefix(stage.BaseName, "golang:") {
			image.addGo(t)
		}
		roots[stage.Name] = image
		for _, command := range stage.Commands {
			image.do(t, command, roots)
		}
	}

	if out := image.entry(t, "version"); !strings.HasPrefix(out, "opendesk ") {
		t.Errorf("version says %q", out)
	}
	t.Logf("doctor says:\n%s", image.entry(t, "doctor"))

	// As docs/ci.md says: the applications are those of an image of your own.
	image.user = ""
	image.shell(t, "apt-get update -qq && apt-get install -y -qq --no-install-recommends mousepad && rm -rf /var/lib/apt/lists/*")
	image.copyIn(t, filepath.Join("..", "..", "fixtures", "projects", "office"), "/work/office")
	image.shell(t, "chown -R 1000 /work")
	image.user = "1000"
	out := image.entry(t, "eval", "run", "learn-regression", "--project", "/work/office", "--program", "mousepad-note")
	t.Log(out)
	if !strings.Contains(out, "1 program: 1 passed") {
		t.Error("a program did not pass in the image")
	}
}

// stagesOf are the stages of the container's file.
func stagesOf(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(strings.NewReader(read(t, filepath.Join("..", "Containerfile"))))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// root is a system in a folder, with what an image keeps between commands.
type root struct {
	dir        string
	env        []string
	user, work string
	entrypoint []string
}

// debian makes a minimal system like this one, from the same mirror.
func debian(t *testing.T) *root {
	t.Helper()
	var mirror, suite string
	for _, line := range strings.Split(run(t, "apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"), "\n") {
		if site, release, ok := strings.Cut(line, " "); ok && !strings.Contains(release, "-") {
			mirror, suite = site, release
			break
		}
	}
	if mirror == "" {
		t.Skip("apt knows no mirror")
	}
	r := &root{dir: filepath.Join(t.TempDir(), "debian"), work: "/", env: []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
	}}
	run(t, "debootstrap", "--variant=minbase", suite, r.dir, mirror)
	run(t, "rm", "-f", filepath.Join(r.dir, "etc/apt/sources.list")) // what this machine has is copied
	for _, path := range []string{"/etc/resolv.conf", "/etc/apt"} {
		run(t, "cp", "-aL", path, filepath.Join(r.dir, filepath.Dir(path)))
	}
	return r
}

func (r *root) copy(t *testing.T) *root {
	t.Helper()
	copied := *r
	copied.dir = filepath.Join(t.TempDir(), "root")
	run(t, "cp", "-a", r.dir, copied.dir)
	return &copied
}

// addGo puts this machine's Go where the image with Go has it.
func (r *root) addGo(t *testing.T) {
	t.Helper()
	run(t, "cp", "-a", strings.TrimSpace(run(t, "go", "env", "GOROOT")), filepath.Join(r.dir, "usr/local/go"))
	r.env[0] = strings.Replace(r.env[0], "PATH=", "PATH=/usr/local/go/bin:", 1)
	// The certificates of a proxy between here and the modules are known here only.
	if bundle := "/etc/ssl/certs/ca-certificates.crt"; isThere(bundle) {
		r.copyIn(t, bundle, "/opt/certificates.crt")
		r.env = append(r.env, "SSL_CERT_FILE=/opt/certificates.crt")
	}
	for _, name := range []string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
		if value := strings.TrimSpace(run(t, "go", "env", name)); value != "" {
			r.env = append(r.env, name+"="+value)
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// do carries out one command of the file.
func (r *root) do(t *testing.T, command instructions.Command, roots map[string]*root) {
	t.Helper()
	switch c := command.(type) {
	case *instructions.WorkdirCommand:
		r.work = c.Path
		run(t, "mkdir", "-p", filepath.Join(r.dir, c.Path))
	case *instructions.UserCommand:
		r.user = c.User
	case *instructions.EntrypointCommand:
		r.entrypoint = c.CmdLine
	case *instructions.CopyCommand:
		from := filepath.Join("..", "..")
		if c.From != "" {
			from = roots[c.From].dir
		}
		for _, path := range c.SourcePaths {
			to := c.DestPath
			if strings.HasSuffix(to, "/") && path != "." {
				to = filepath.Join(to, filepath.Base(path))
			}
			r.copyIn(t, filepath.Join(from, path), to)
		}
	case *instructions.RunCommand:
		if !c.PrependShell {
			t.Fatalf("%s: only commands for a shell are known here", c)
		}
		r.shell(t, strings.Join(c.CmdLine, " "))
	default:
		t.Fatalf("%s: this kind of command is not known here", command)
	}
}

// copyIn copies a file, or what is in a folder, to a place in the root.
func (r *root) copyIn(t *testing.T, from, to string) {
	t.Helper()
	if !filepath.IsAbs(to) {
		to = filepath.Join(r.work, to)
	}
	place := filepath.Join(r.dir, to)
	if info, err := os.Stat(from); err != nil {
		t.Fatal(err)
	} else if info.IsDir() {
		run(t, "mkdir", "-p", place)
		run(t, "cp", "-a", from+"/.", place)
		return
	}
	run(t, "mkdir", "-p", filepath.Dir(place))
	run(t, "cp", "-a", from, place)
}

func (r *root) shell(t *testing.T, line string) {
	t.Helper()
	t.Logf("RUN %s", line)
	r.run(t, "/bin/sh", "-c", line)
}

// entry is what the image does for these arguments.
func (r *root) entry(t *testing.T, args ...string) string {
	t.Helper()
	return r.run(t, append(append([]string{}, r.entrypoint...), args...)...)
}

// run runs a command in the root, as its user, with the network of the machine.
func (r *root) run(t *testing.T, command ...string) string {
	t.Helper()
	args := []string{"--die-with-parent", "--unshare-pid", "--bind", r.dir, "/", "--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp",
		"--cap-add", "ALL", "--clearenv", "--chdir", r.work}
	for _, variable := range r.env {
		name, value, _ := strings.Cut(variable, "=")
		args = append(args, "--setenv", name, value)
	}
	if r.user != "" {
		command = append([]string{"setpriv", "--reuid", r.user, "--regid", r.user, "--clear-groups", "--"}, command...)
	}
	return run(t, "bwrap", append(args, command...)...)
}

// run runs a command of this machine and gives what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, all bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout = io.MultiWriter(&out, &all)
	cmd.Stderr = &all
	if err := cmd.Run(); err != nil {
		t.Fatal(fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, all.String()))
	}
	return out.String()
}
