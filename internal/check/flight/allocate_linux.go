package flight

import (
	"errors"
	"os"
	"syscall"
)

// allocate finds out whether there is room. File systems that cannot tell take what is written, or do not.
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
