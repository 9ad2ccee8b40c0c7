package cli

import (
	"context"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/internal/dap"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/mdb"
)

func (a *app) dapCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dap",
		Short: "Debug a run in an editor",
		Long: `Serves the Debug Adapter Protocol on standard input and output, for one client. Editors
start it. The run can be stepped forward and back. The arguments of the launch request are:

  path    the run or schedule of "macemc test", or last for the newest finding
  live    the run to compare with (default: live.path beside it)
  stopAt  the step to begin at, such as start or 7 (default: the critical step)

A thread is a node. Its frame is its last step, at the source of the handler. "step over" goes
to the next step of the run, "step into" to the next step of the thread. A function breakpoint
is a regular expression for events. The debug console executes the commands of macemc mdb.

In the schedule of a test a thread is a goroutine, with its frames and variables, which the
program macemc-debug reads in a build without optimization. "step over", "into" and "out" go
by lines, and "step back" to the operation before. Breakpoints at lines may have conditions.`,
		Args: func(cmd *cobra.Command, args []string) error { return noneOf("unknown argument", cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, out := a.Stdin, a.Stdout
			// Only the server may use the protocol's streams, neither this process nor that of a test.
			a.Stdin, a.Stdout, a.NoScreen = nil, a.Stderr, ""
			return dap.Serve(cmd.Context(), in, out, a.openForEditor)
		},
	}
}

// openForEditor opens the run of a launch request as macemc mdb does. The editor replaces the screen.
func (a *app) openForEditor(ctx context.Context, l dap.Launch, serve func(context.Context, mdb.Debugger, string)) error {
	file, err := a.runFile(l.Path)
	if err != nil {
		return err
	}
	a.Screen = func(ctx context.Context, s mdb.Debugger, o task.ScreenOptions) error {
		serve(ctx, s, o.Text)
		return nil
	}
	if respawn := a.Respawn; respawn != nil { // processes that execute the run again are not servers
		a.Respawn = func() *exec.Cmd {
			cmd := respawn()
			cmd.Args = []string{cmd.Args[0], "replay", file}
			return cmd
		}
	}
	return a.debugFile(ctx, &task.Debug{File: file, Live: l.Live})
}
