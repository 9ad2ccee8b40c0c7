package task

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// Errors name the file that was asked for.
func TestInPlaceOf(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "dir/.macemc-17", Err: syscall.ENOSPC}
	if err := inPlaceOf("dir/a.html", fmt.Errorf("rendering: %w", full)); err.Error() != "write dir/a.html: no space left on device" {
		t.Error(err)
	}
	other := &fs.PathError{Op: "read", Path: "dir/other", Err: syscall.EIO}
	if err := inPlaceOf("dir/a.html", other); err != error(other) {
		t.Error(err)
	}
}
