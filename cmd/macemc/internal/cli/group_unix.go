//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C from reaching the process: its parent ends it in an orderly way.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
