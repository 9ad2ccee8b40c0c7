package flight

import (
	"errors"
	"os"
	"syscall"
)

// allocate reserves disk space. On file systems without fallocate, a lack of space shows only when the file is
// written.
func allocate(f *os.File, size int) error {
	for {
		switch err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOSYS):
			return nil
		default:
			return err
		}
	}
}
