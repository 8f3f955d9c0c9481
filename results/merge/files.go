package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/opendesk/opendesk/results"
)

// Artifacts copies the files that the results of merged shards name into the
// folder dir, which is there and empty, under the names that they had. The error
// holds every problem of the shards' files, one a line; it is a *ProblemError
// then.
func Artifacts(shards []Shard, dir string) error {
	shards = inOrder(shards)
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // a folder
	problems := make([][]string, len(shards))
	var copying errgroup.Group
	copying.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range shards {
		copying.Go(func() (err error) {
			problems[i], err = copyArtifacts(s, to)
			return err
		})
	}
	if err := copying.Wait(); err != nil {
		return err
	}
	if err := joined(slices.Concat(problems...)); err != nil {
		return &ProblemError{err}
	}
	return nil
}

// ArtifactBytes is how much Artifacts copies.
func ArtifactBytes(shards []Shard) (bytes int64) {
	for _, s := range shards {
		for _, a := range s.artifacts {
			bytes += a.Size
		}
	}
	return bytes
}

// Logs writes events.ndjson and audit.ndjson of the merged run into the folder
// dir. warnings are those of the run's Review, which no shard tells of. What is
// wrong with the shards' logs is a *ProblemError.
func Logs(run *results.Run, shards []Shard, warnings map[string][]results.Warning, dir string) error {
	shards = inOrder(shards)
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // a folder
	if err := writeEvents(run, shards, warnings, to); err != nil {
		return err
	}
	return writeAudit(shards, to)
}

// ProblemError says what is wrong with the runs that are to be merged.
type ProblemError struct{ Err error }

func (e *ProblemError) Error() string { return e.Err.Error() }

// Unwrap gives the problem.
func (e *ProblemError) Unwrap() error { return e.Err }

// copyArtifacts copies the files that a shard's results name. A problem is a
// file that is not there, or not the one that results tell of; the error is
// that nothing can be written.
func copyArtifacts(s Shard, to *os.Root) (problems []string, err error) {
	if len(s.artifacts) == 0 {
		return nil, nil
	}
	from, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, &ProblemError{err}
	}
	defer from.Close() //nolint:errcheck // a folder
	buffer := make([]byte, 64<<10)
	for _, a := range s.artifacts {
		name := filepath.FromSlash(a.Name)
		if !filepath.IsLocal(name) || path.Clean(a.Name) != a.Name {
			problems = append(problems, fmt.Sprintf("%s: %q is not the name of a file in the run's folder", s.Dir, a.Name))
			continue
		}
		in, problem := openArtifact(from, name, a)
		if problem != "" {
			problems = append(problems, filepath.Join(s.Dir, name)+": "+problem)
			continue
		}
		sum, err := copyFile(in, to, name, buffer)
		if err != nil {
			return nil, err
		}
		if sum != a.SHA256 {
			problems = append(problems, filepath.Join(s.Dir, name)+": is not the file that results.json tells of (its content has another hash)")
		}
	}
	return problems, nil
}

// openArtifact opens a file, or says why it is not what results tell of.
func openArtifact(from *os.Root, name string, a results.Artifact) (*os.File, string) {
	in, err := from.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "is missing"
	}
	if err != nil {
		return nil, err.Error()
	}
	info, err := in.Stat()
	switch {
	case err != nil:
		return nil, errors.Join(err, in.Close()).Error()
	case !info.Mode().IsRegular() || info.Size() != a.Size:
		_ = in.Close() // it was only looked at
		return nil, fmt.Sprintf("is not the file that results.json tells of (%d bytes, not %d)", info.Size(), a.Size)
	}
	return in, ""
}

// copyFile copies and closes in, by way of the buffer, and gives the hash of what
// was copied.
func copyFile(in *os.File, to *os.Root, name string, buffer []byte) (sum string, err error) {
	defer in.Close() //nolint:errcheck // read only
	if err := to.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	// Only what can nothing but write copies by way of the buffer that is given.
	_, err = io.CopyBuffer(struct{ io.Writer }{out}, io.TeeReader(in, hash), buffer)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, out.Close())
}
