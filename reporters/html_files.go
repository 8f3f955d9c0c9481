package reporters

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/opendesk/opendesk/reporters/html"
	"github.com/opendesk/opendesk/results"
)

// htmlFiles writes the page, and next to it the folder with what a page of
// very many programs loads.
type htmlFiles struct {
	target target
	opts   html.Options
}

func newHTML(t target, env Env) Reporter {
	f := &htmlFiles{target: t, opts: html.Options{RunDir: env.RunDir, ReportDir: t.dir(env)}}
	if t.path != "" {
		base := filepath.Base(t.path)
		f.opts.DataFolder = strings.TrimSuffix(base, filepath.Ext(base)) + "-data"
	}
	return f
}

// Event does nothing: the results have everything.
func (f *htmlFiles) Event(results.Event) {}

// Finish writes the files, the page last: it is there when all that it loads is.
func (f *htmlFiles) Finish(run *results.Run) error {
	opts := f.opts
	info, err := os.Stat(f.target.path)
	if err == nil && !info.Mode().IsRegular() {
		opts.DataFolder = "" // a device has nothing next to it
	}
	folder := filepath.Join(filepath.Dir(f.target.path), opts.DataFolder)
	written := map[string]bool{}
	page, err := html.Render(run, opts, func(file html.File) error {
		written[file.Name] = true
		return target{path: filepath.Join(folder, file.Name)}.write(content(file.Data))
	})
	if err != nil {
		return err
	}
	if err := f.target.write(content(page)); err != nil {
		return err
	}
	if opts.DataFolder == "" {
		return nil
	}
	return removeStale(folder, written)
}

func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// dataName is what the files of a page are called.
var dataName = regexp.MustCompile(`^(rows|bodies)-[0-9]{4,}\.js$`)

// removeStale removes what an earlier page at the same place has left.
func removeStale(folder string, written map[string]bool) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	left := len(entries)
	for _, e := range entries {
		if written[e.Name()] || !dataName.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
		left--
	}
	if left == 0 {
		return os.Remove(folder)
	}
	return nil
}
