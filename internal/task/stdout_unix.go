//go:build unix

package task

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// reserveStdout gives the standard output of this process to reports alone. What checked code prints goes to standard
// error.
func (p *Process) reserveStdout() error {
	if p.Stdout != io.Writer(os.Stdout) {
		return nil
	}
	fd, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	p.Stdout = os.NewFile(uintptr(fd), os.Stdout.Name())
	return unix.Dup2(int(os.Stderr.Fd()), int(os.Stdout.Fd()))
}
