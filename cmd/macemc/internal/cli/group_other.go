//go:build !unix

package cli

import "os/exec"

func ownGroup(*exec.Cmd) {}

func interruptAll(*exec.Cmd) {}
