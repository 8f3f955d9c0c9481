package reporters

import (
	"errors"
	"io"
	"os"
)

// replace writes the file in its place: one that is open cannot be replaced
// here.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}
