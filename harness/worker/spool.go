package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/secrets"
)

// Find reads the phrase from the picture, opening OCR first where needed.
func (l *lazyReader) Find(ctx context.Context, img image.Image, phrase string) (ocr.Result, error) {
	l.once.Do(func() { l.reader, l.err = l.open(l.languages) })
	if l.err != nil {
		return ocr.Result{}, l.err
	}
	return l.reader.Find(ctx, img, phrase)
}

// spool is the folder through which a worker's files reach the harness.
type spool struct {
	dir string
	// secrets are kept out of texts; pictures are their maker's to cover.
	secrets *secrets.Secrets
}

// save writes a file and describes it. The name is the worker's own; the
// harness gives it its place in the run's folder.
func (s spool) save(kind, name, mediaType string, data []byte) (results.Artifact, error) {
	if !filepath.IsLocal(name) {
		return results.Artifact{}, fmt.Errorf("%q is not a name for a file", name)
	}
	if !strings.HasPrefix(mediaType, "image/") && s.secrets.In(string(data)) {
		data = []byte(s.secrets.Mask(string(data)))
	}
	if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
		return results.Artifact{}, err
	}
	sum := sha256.Sum256(data)
	return results.Artifact{
		Name: filepath.ToSlash(name), Kind: kind, MediaType: mediaType,
		Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:]),
	}, nil
}

// collect verifies a file that a worker wrote and moves it to its place.
func (s spool) collect(a results.Artifact, runDir, under string) (results.Artifact, error) {
	if !filepath.IsLocal(filepath.FromSlash(a.Name)) {
		return a, fmt.Errorf("artifact %q: not a name inside the spool folder", a.Name)
	}
	from := filepath.Join(s.dir, filepath.FromSlash(a.Name))
	info, err := os.Lstat(from)
	if err != nil {
		return a, fmt.Errorf("artifact %q: %w", a.Name, err)
	}
	if !info.Mode().IsRegular() || info.Size() != a.Size {
		return a, fmt.Errorf("artifact %q: not the file that was announced (%d bytes)", a.Name, a.Size)
	}
	a.Name = under + "/" + a.Name
	to := filepath.Join(runDir, filepath.FromSlash(a.Name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return a, err
	}
	sum, err := move(from, to)
	if err != nil {
		return a, fmt.Errorf("artifact %q: %w", a.Name, err)
	}
	if sum != a.SHA256 {
		return a, errors.Join(fmt.Errorf("artifact %q: its content is not what was announced", a.Name), os.Remove(to))
	}
	return a, nil
}

// move copies the file, hashing what is written, and removes the source.
func move(from, to string) (sum string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // read only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), in)
	if err := errors.Join(err, out.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), os.Remove(from)
}
