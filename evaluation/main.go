// Command evaluation is macemc with the systems of papers, and with the commands that make the evaluation's pages: all known bugs (bugs.md),
// their minimized runs (minimal.md) and the tables of papers (tables.md). README.md says what else is here.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-cluster/clustercmd"
	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/papers"
)

// name is how the program is started, in its help.
const name = "go run ./evaluation"

func main() { os.Exit(evaluate(os.Args[1:])) }

// evaluate executes a command line and returns the exit status.
func evaluate(args []string) int {
	return program.Main(program.Config{Name: name, Systems: papers.Entries(), Commands: commands}, args)
}

// evaluator makes searches, each in a process of its own, which its Respawn starts.
type evaluator struct{ *task.Process }

func commands(p *task.Process) []*cobra.Command {
	e := &evaluator{p}
	return append(clustercmd.Commands(p), e.bugsCommand(), e.minimalCommand(), e.tablesCommand())
}
