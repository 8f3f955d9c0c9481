package worker

import (
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner"
)

// codeDir is the folder in the spool folder that has the program's code as it
// was loaded: what changes during a run changes nothing.
const codeDir = "code"

// writeCode writes the program's code for whoever runs it, who may be another
// user than this process. It gives the folder, "" for a program without.
func writeCode(spool string, files []program.CodeFile) (dir string, err error) {
	if len(files) == 0 {
		return "", nil
	}
	dir = filepath.Join(spool, codeDir)
	if err := os.RemoveAll(dir); err != nil { // of an attempt before, in the same session
		return "", err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return "", err
		}
	}
	return dir, openUp(dir)
}

// openUp makes what is in the folder readable by everybody, whatever the umask.
func openUp(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

// scripts completes the request with what scripts need.
func (j *Job) scripts(request *runner.Request, parts Parts) {
	request.Scripts.Runner = parts.Scripts
	request.Scripts.Code, request.Scripts.Archive = j.Code, j.Archive
	request.Scripts.Most, request.Scripts.Hidden = j.ScriptCaps, j.HiddenFromScripts
}
