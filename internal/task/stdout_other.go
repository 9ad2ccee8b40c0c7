//go:build !unix

package task

import (
	"io"
	"os"
)

// reserveStdout gives the standard output of this process to reports alone. What checked code prints to os.Stdout goes
// to standard error.
func (p *Process) reserveStdout() error {
	if p.Stdout == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr
	}
	return nil
}
