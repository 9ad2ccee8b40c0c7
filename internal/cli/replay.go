package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
)

func (a *app) replayCommand() *cobra.Command {
	var (
		to     int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Execute a path and show every step",
		Long: `Executes the path in FILE and shows every step: the event, the choices that were
made, the effects in order, and what changed.

Exit status: 1 when the run ends in a violation of safety, a panic or the like, or when
the liveness property that the file was written for does not hold in the end; 2 when
the file cannot be followed; 0 otherwise, and always with --to.`,
		Example: `  macemc replay macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc replay error.path --to 7
  macemc replay error.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && to < 0 {
				return fmt.Errorf("--to is %d, must not be negative", to)
			}
			if !cmd.Flags().Changed("to") {
				to = -1
			}
			return a.replay(cmd.Context(), args[0], to, asJSON)
		},
	}
	cmd.Flags().IntVar(&to, "to", 0, "stop after step `N`; 0: the first state (default: all steps)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// load reads a path file. done is true when there is nothing left to do: in a process that was there only to
// execute it, and when another process has done what was asked for.
func (a *app) load(ctx context.Context, file string) (l *check.Loaded, done bool, err error) {
	if elsewhere, err := a.fileElsewhere(ctx, file); elsewhere {
		return nil, true, err
	}
	if a.role.Reexecuting() {
		sys, err := check.SystemOf(a.systems, file)
		if err == nil {
			check.Reexecute(sys, a.role.Recorder)
		}
		return nil, true, err
	}
	l, err = check.Load(ctx, a.systems, file, a.respawn)
	if err != nil {
		return nil, false, err
	}
	if l.Recording != nil {
		a.doubts(l.Recording)
	}
	if len(l.Moved) > 0 {
		m := l.Moved[0]
		fmt.Fprintf(a.stderr, "macemc: %s: step %d is event %d, the file says %d: the system is not what it was\n",
			file, m.Step, m.To, m.From)
	}
	return l, false, nil
}

func (a *app) replay(ctx context.Context, file string, to int, asJSON bool) error {
	l, done, err := a.load(ctx, file)
	if done || err != nil {
		return err
	}
	t, err := l.Trace(to)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(a.stdout, t)
	} else {
		err = t.WriteText(a.stdout)
	}
	status := check.StatusOK
	if to < 0 && l.Violation(t) != "" {
		status = check.StatusViolation
	}
	return a.ended(ctx, status, err)
}
