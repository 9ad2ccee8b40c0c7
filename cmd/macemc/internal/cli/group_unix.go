//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C from reaching the process: its parent ends it in an orderly way.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptAll lets the end of its context interrupt the processes that cmd has started, too.
func interruptAll(cmd *exec.Cmd) {
	ownGroup(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
