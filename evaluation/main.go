// Command evaluation is macemc with the systems of papers, and with the commands that write the evaluation's pages: all
// known bugs (bugs.md), their minimized runs (minimal.md) and the tables of papers (tables.md). README.md lists the
// other contents.
//
// A command starts the searches of its rows in other processes, and reads their JSON reports. With --markdown it replaces
// the generated part of its page. The exit status of bugs and tables is not 0 if a result is not the expected one.
//
// # Files
//
//	main.go                                     the commands
//	bugs.go, bugs_rows.go, bugs_text.go         searches for each known bug; results; bugs.md
//	originals.go                                figures of the MaceMC paper; other searches for a bug
//	minimal.go, minimal_text.go                 minimized runs; minimal.md
//	smallest.go                                 numbers of steps of the smallest known runs
//	tables.go                                   what all tables share: searches, cells, pages
//	tables_mpbasset.go                          quorum transitions (MP-Basset)
//	tables_crash.go                             crashes that cannot matter
//	tables_p.go                                 abstractions (P)
//	tables_preachdb.go, tables_preachdb_run.go  searches by several processes (PReachDB)
//	memory_unix.go, memory_other.go             peak memory of a process
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
