package cli

import (
	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
	"github.com/macemc/macemc/internal/task"
)

// app is the state that the commands share.
type app struct {
	task.Process
	config Config
	args   []string // arguments without the program
	tags   string   // build tags
	// binaries is a folder that keeps test binaries, because the go command does not link an unchanged one again. An empty
	// string means that each command builds a temporary one.
	binaries string
}

// tests returns the runner of go test with the changed runtime.
func (a *app) tests() gotest.Runner { return gotest.Runner{Process: &a.Process, Tags: &a.tags} }

// Exit is the error of a command that has already reported everything else: its exit status.
type Exit = task.Exit
