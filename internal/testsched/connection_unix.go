//go:build unix

package testsched

import (
	"io"
	"syscall"
)

// descriptor is an open file that the process has inherited. Its methods leave the poller of the runtime alone.
type descriptor int

// inherited returns the stream of an inherited descriptor, which the programs that this one starts do not inherit.
func inherited(fd int) (io.ReadWriter, error) {
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return descriptor(fd), nil
}

func (d descriptor) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(d), p)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (d descriptor) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := syscall.Write(int(d), p[written:])
		if err != nil && err != syscall.EINTR {
			return written, err
		}
		written += max(n, 0)
	}
	return written, nil
}
