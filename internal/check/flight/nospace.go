package flight

import (
	"errors"
	"fmt"
	"os"
)

// NoRoom is the error for a lack of disk space for a recorder.
type NoRoom struct {
	Dir  string
	Size int // bytes
	Err  error
}

func (e *NoRoom) Error() string {
	return fmt.Sprintf("no room in the folder for temporary files, %s, for the picks of all runs (%d MB, 2 for each worker): %v; "+
		"let TMPDIR name a folder with more room, or use fewer workers", e.Dir, (e.Size+1<<20-1)>>20, e.Err)
}

func (e *NoRoom) Unwrap() error { return e.Err }

func noRoom(err error, dir string, size int) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &NoRoom{Dir: dir, Size: size, Err: err}
}
