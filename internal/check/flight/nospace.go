package flight

import (
	"errors"
	"fmt"
	"os"
)

// NoSpaceError is the error for a lack of disk space for a recorder.
type NoSpaceError struct {
	Dir  string
	Size int // bytes
	Err  error
}

func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("no room in the folder for temporary files, %s, for the picks of all runs (%d MB, 2 for each worker): %v; "+
		"let TMPDIR name a folder with more room, or use fewer workers", e.Dir, (e.Size+1<<20-1)>>20, e.Err)
}

func (e *NoSpaceError) Unwrap() error { return e.Err }

func noSpace(err error, dir string, size int) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &NoSpaceError{Dir: dir, Size: size, Err: err}
}
