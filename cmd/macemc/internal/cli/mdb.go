package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) mdbCommand() *cobra.Command {
	var d task.Debug
	var test string
	var inBrowser bool
	ofSystem := pflag.NewFlagSet("", pflag.ContinueOnError)
	ofSystem.SortFlags = false
	subjectFlags(ofSystem, &d.Subject, &test, "check only")
	environmentFlags(ofSystem, &d.Subject)
	cmd := &cobra.Command{
		Use:   "mdb FILE [LIVE] | SYSTEM",
		Short: "Debug a run",
		Long: `Opens the run in FILE: step forward and back, jump to the critical transition, look at
states, compare with the nearest live run, find out what caused a step, and try other choices
at any step. LIVE is the run to compare with (default: live.path beside FILE). FILE may also
be a schedule of "macemc test", with what each goroutine waits for after each step. The name
last is the newest finding in the current module, here and wherever a command takes a run.

SYSTEM is a bundled system, or a package with a test that checks one. The run is then its
first state, with alternative 0 for each choice of the first boots. The flags about nodes,
parameters and faults are those of macemc search; a FILE records its own.

On a terminal it fills the screen, and ? shows its keys. Elsewhere, or if TERM is dumb, it
is a prompt that reads commands; "help" lists them. It begins at the critical step, the first
pause in the report, or else the last step (step 0 with --batch or -x). --batch executes the
commands of -x, or those on standard input, and ends. --web prints the address of a page for
a browser on this computer. Whoever knows it can use the debugger, and write new files.

Exit status: 0, or 2 if FILE cannot be replayed or a command of --batch fails (if it tries
something else, like take, none follows). A command that finds nothing does not fail.`,
		Example: `  macemc mdb macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc mdb last
  macemc mdb error.path --batch -x 'critical; diff live; why'
  macemc mdb testdata/macemc/TestRenew/deadlock-1.path
  macemc mdb error.path other.path --batch < commands
  macemc mdb ./mysvc:TestLease --web --crashes 1`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("%[1]s needs a FILE or a SYSTEM; see %[1]s --help", cmd.CommandPath())
			case len(args) > 2:
				return fmt.Errorf("want FILE and LIVE, got %d arguments; see %s --help", len(args), cmd.CommandPath())
			case inBrowser && d.Batch:
				return errors.New("--web and --batch exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d.Given = given(cmd)
			d.NoColor = d.NoColor || os.Getenv("NO_COLOR") != ""
			if !a.isSystem(args[0]) {
				var err error
				ofSystem.VisitAll(func(f *pflag.Flag) {
					if f.Changed && err == nil {
						err = fmt.Errorf("--%s is for a system, and %s is the file of a run, which records its own", f.Name, args[0])
					}
				})
				if err != nil {
					return err
				}
			}
			if !inBrowser {
				return a.debug(cmd.Context(), &d, test, args)
			}
			browser := &page{out: a.Stdout, errs: a.Stderr, stopped: func() bool { return cmd.Context().Err() != nil }}
			a.Screen, a.NoScreen = browser.Screen, ""
			err := a.debug(cmd.Context(), &d, test, args)
			return cmp.Or(err, browser.err)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.AddFlagSet(ofSystem)
	fl.StringArrayVarP(&d.Execute, "execute", "x", nil, "execute `COMMANDS`, separated by semicolons; repeatable")
	fl.BoolVar(&d.Batch, "batch", false, "execute commands without a screen or a prompt, and exit")
	fl.BoolVar(&inBrowser, "web", false, "serve the debugger to a browser on this computer")
	fl.BoolVar(&d.NoColor, "no-color", false, "disable colors (also if NO_COLOR is set)")
	return cmd
}

// debug opens the run or the system in args.
func (a *app) debug(ctx context.Context, d *task.Debug, test string, args []string) (err error) {
	if a.isSystem(args[0]) {
		if len(args) > 1 {
			return fmt.Errorf("LIVE requires a run, and %s is a system", args[0])
		}
		d.System = args[0]
		return a.onSystem(ctx, d.System, test, d)
	}
	if d.File, err = a.runFile(args[0]); err != nil {
		return err
	}
	if len(args) > 1 {
		d.Live = args[1]
	}
	return a.debugFile(ctx, d)
}

// debugFile opens the run of a file, or the schedule of a test.
func (a *app) debugFile(ctx context.Context, d *task.Debug) error {
	if s, err := schedulefile.ReadFile(d.File); err != nil {
		return err
	} else if s != nil {
		return a.tests().Debug(ctx, d, s)
	}
	return a.onFile(ctx, d.File, d)
}

// isSystem reports whether an argument that may also name the file of a run names a system: one that is bundled, a test, or a package
// without recordings. Files win.
func (a *app) isSystem(name string) bool {
	pkg, test := splitTest(name)
	info, err := os.Stat(name)
	switch {
	case err == nil:
		return info.IsDir() && isPackage(name) && !recording.IsDir(name)
	case test != "":
		return true
	case !isPackage(pkg):
		_, err := a.Entry(name)
		return err == nil
	}
	first, _, _ := strings.Cut(name, "/")
	return !isFolder(name) && strings.Contains(first, ".") // an import path begins with a domain
}
