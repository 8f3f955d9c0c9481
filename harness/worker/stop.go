package worker

import (
	"os"
	"path/filepath"
)

// stopFile is the file in the spool folder that asks a worker to end after the
// step that it is at.
func stopFile(spool string) string { return filepath.Join(spool, "stop") }

func askToStop(spool string) error { return os.WriteFile(stopFile(spool), nil, 0o600) }

// toStop tells whether the worker has been asked to end.
func toStop(spool string) bool {
	_, err := os.Lstat(stopFile(spool))
	return err == nil
}
