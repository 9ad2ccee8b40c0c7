// Command evaluation is macemc with the systems of papers, and with the commands that write the evaluation's pages: all
// known bugs (bugs.md), their minimized runs (minimal.md) and the tables of papers (tables.md). README.md lists the
// other contents.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-cluster/clustercmd"
	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/papers"
)

// name is the command that starts the program, for help texts.
const name = "go run ./evaluation"

func main() { os.Exit(evaluate(os.Args[1:])) }

// evaluate executes a command line and returns the exit status.
func evaluate(args []string) int {
	return program.Main(program.Config{Name: name, Systems: papers.Entries(), Commands: commands}, args)
}

// evaluator executes searches, each in a separate process that its Respawn starts.
type evaluator struct{ *task.Process }

func commands(p *task.Process) []*cobra.Command {
	e := &evaluator{p}
	return append(clustercmd.Commands(p), e.bugsCommand(), e.minimalCommand(), e.tablesCommand())
}
