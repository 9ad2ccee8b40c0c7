//go:build unix

package child

import (
	"os/exec"
	"syscall"
	"time"
)

// OwnGroup puts the process into a group of its own, so that Ctrl-C does not reach it: its parent ends it in an orderly way.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// InterruptAll makes the end of cmd's context interrupt not only cmd, but also the processes that it has started.
func InterruptAll(cmd *exec.Cmd) {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}

// Kill ends the processes that an ended command with a group of its own has left, and waits until they have ended.
func Kill(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil || !cmd.SysProcAttr.Setpgid || cmd.Process == nil {
		return
	}
	group := cmd.Process.Pid
	for end := time.Now().Add(2 * time.Second); syscall.Kill(-group, syscall.SIGKILL) == nil && executes(group) && time.Now().Before(end); {
		time.Sleep(2 * time.Millisecond)
	}
}
