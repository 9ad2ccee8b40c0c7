package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/mdb/screen"
)

// mdbOptions are the flags of the debugger.
type mdbOptions struct {
	batch   bool
	execute []string
	noColor bool
}

func (a *app) mdbCommand() *cobra.Command {
	var o mdbOptions
	cmd := &cobra.Command{
		Use:   "mdb FILE [LIVE]",
		Short: "Look at a run in the debugger",
		Long: `Opens the run in FILE: step forward and back, jump to the critical transition, look at
states, compare with the nearest live run, find out what caused a step, try other choices
from any step on. LIVE is the run to compare with; live.path beside FILE when none is named.

On a terminal this is a screen, and ? shows its keys. Elsewhere, or when TERM is dumb, it
is a prompt that reads commands; "help" lists them. --batch executes the commands of -x,
or those on standard input, and ends.

Exit status: 0, or 2 when FILE cannot be followed or a command of --batch fails.`,
		Example: `  macemc mdb macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc mdb error.path --batch -x 'critical; diff live; why'
  macemc mdb error.path other.path --batch < commands`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("FILE is missing; see %s --help", cmd.CommandPath())
			case len(args) > 2:
				return fmt.Errorf("FILE and LIVE are wanted, not %d arguments; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mdb(cmd.Context(), append(args, "")[:2], o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringArrayVarP(&o.execute, "execute", "x", nil, "execute `COMMANDS`, separated by semicolons; may be repeated")
	fl.BoolVar(&o.batch, "batch", false, "no screen and no prompt: execute commands and end")
	fl.BoolVar(&o.noColor, "no-color", false, "a screen without colour (also when NO_COLOR is set)")
	return cmd
}

func (a *app) mdb(ctx context.Context, files []string, o mdbOptions) error {
	l, done, err := a.load(ctx, files[0])
	if done || err != nil {
		return err
	}
	cfg := mdb.Config{
		System: &l.System, Header: l.Header, Path: l.Path, Name: files[0], Recorded: mdb.ReadRecorded(files[0]),
	}
	if d := l.Death; d != nil {
		if d.Steps == 0 {
			return fmt.Errorf("%s: there is nothing to look at, the first boots end it: %s", files[0], d.Message)
		}
		cfg.End = fmt.Sprintf("step %d is not executed here: %s", d.Steps, d.Message)
	}
	if err := a.liveRun(ctx, &cfg, files[0], files[1]); err != nil {
		return err
	}
	s, err := mdb.Open(cfg)
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	if o.batch {
		lines := o.execute
		if lines == nil {
			in := bufio.NewScanner(a.stdin)
			for in.Scan() {
				lines = append(lines, in.Text())
			}
			if err := in.Err(); err != nil {
				return fmt.Errorf("standard input, line %d: %w", len(lines)+1, err)
			}
		}
		return mdb.Batch(ctx, s, lines, a.stdout)
	}
	var first bytes.Buffer
	if len(o.execute) == 0 {
		s.Begin()
		if o.execute = []string{"info"}; s.Position().Step > 0 {
			o.execute = append(o.execute, "step", "graph -4 +2")
		}
	}
	if err := mdb.Batch(ctx, s, o.execute, &first); err != nil {
		fmt.Fprintf(&first, "error: %v\n", err)
	}
	if a.noScreen == "" {
		err := screen.Run(ctx, s, screen.Options{NoColor: o.noColor || os.Getenv("NO_COLOR") != "", Text: first.String()})
		if err == nil {
			return nil
		}
		a.noScreen = err.Error()
	}
	fmt.Fprintf(a.stderr, "macemc: no screen, %s; type commands, \"help\" lists them\n", a.noScreen)
	if _, err := a.stdout.Write(first.Bytes()); err != nil {
		return err
	}
	interrupts := make(chan struct{}, 1)
	stop := a.onInterrupt(func() bool {
		select {
		case interrupts <- struct{}{}:
			return true
		default: // the command that is being executed does not end
			return false
		}
	})
	defer stop()
	return mdb.Prompt(ctx, s, a.stdin, a.stdout, interrupts)
}

// liveRun adds the run to compare with: the one that was named, or live.path beside the file. One that
// was not asked for and cannot be used is only mentioned.
func (a *app) liveRun(ctx context.Context, cfg *mdb.Config, file, live string) error {
	asked := live != ""
	if !asked {
		if filepath.Base(file) == check.LivePath {
			return nil
		}
		live = filepath.Join(filepath.Dir(file), check.LivePath)
		if _, err := os.Stat(live); errors.Is(err, fs.ErrNotExist) {
			cfg.LiveName = "there is no " + check.LivePath + " beside the file"
			return nil
		}
	}
	l, err := check.LoadFor(ctx, live, cfg.System, nil)
	if err == nil {
		cfg.Live, cfg.LiveName = l.Path, live
		return nil
	}
	if asked {
		return err
	}
	fmt.Fprintf(a.stderr, "macemc: no live run to compare with: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	cfg.LiveName = err.Error()
	return nil
}
