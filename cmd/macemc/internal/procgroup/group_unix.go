//go:build unix

// Package procgroup keeps processes and their children together.
package procgroup

import (
	"os/exec"
	"syscall"
)

// OwnGroup keeps Ctrl-C from reaching the process: its parent ends it in an orderly way.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// InterruptAll lets the end of its context interrupt the processes that cmd has started, too.
func InterruptAll(cmd *exec.Cmd) {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
