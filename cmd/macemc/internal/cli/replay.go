package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) replayCommand() *cobra.Command {
	var r task.Replay
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Execute a path and show its steps",
		Long: `Executes the path in FILE and shows its steps: the event, the choices that were
made, the effects in order, and what changed. Sequences of steps that change no node, and of
timers that change only clocks, are one line each.

The last line reports whether the run has the finding that the file records. A finding of
nondeterminism recurs if this process and a fresh one execute the path differently.

FILE may also be a folder with the recordings of live nodes. They are merged in an order that
agrees with causality, and each step is compared with what was recorded.

Exit status: 1 if the run violates something, 3 if it violates nothing and does not have the
finding that the file records or differs from the recordings, 2 if the file cannot be replayed,
0 otherwise and always with --to.`,
		Example: `  macemc replay macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc replay error.path --to 7
  macemc replay error.path --files crashed
  macemc replay error.path --write-test crashed/crashed_test.go
  macemc replay error.path --json`,
		Args: a.oneRun(&r.File),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("to") && r.To < 0 {
				return fmt.Errorf("--to is %d, must not be negative", r.To)
			}
			if !cmd.Flags().Changed("to") {
				r.To = -1
			}
			for _, file := range []*string{&r.Files, &r.WriteTest} {
				if *file != "" {
					var err error
					if *file, err = filepath.Abs(*file); err != nil {
						return err
					}
				}
			}
			if r.WriteTest != "" && !strings.HasSuffix(r.WriteTest, "_test.go") {
				return fmt.Errorf("--write-test %s: the name of a test ends in _test.go", r.WriteTest)
			}
			return a.onFile(cmd.Context(), r.File, &r)
		},
	}
	cmd.Flags().IntVar(&r.To, "to", 0, "stop after step `N`, 0 for the initial state (default: all steps)")
	cmd.Flags().StringVar(&r.Files, "files", "", "write the files that each node found at its last boot below `DIR`, which is new or empty")
	cmd.Flags().StringVar(&r.WriteTest, "write-test", "", "write a test in plain Go to `FILE` that opens a store with these files")
	cmd.Flags().BoolVar(&r.JSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVarP(&r.Verbose, "verbose", "v", false, "show each step")
	return cmd
}
