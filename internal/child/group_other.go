//go:build !unix

package child

import "os/exec"

// OwnGroup does nothing.
func OwnGroup(*exec.Cmd) {}

// InterruptAll does nothing.
func InterruptAll(*exec.Cmd) {}

// Kill does nothing.
func Kill(*exec.Cmd) {}
