package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/systems/spec"
)

// app is what the commands share: where they write and how they start fresh processes.
type app struct {
	systems        []spec.Entry     // what can be checked in this process
	commands       []*cobra.Command // more of them
	test           *Test            // nil: this process is not one of a test
	args           []string         // the command line
	tags           string           // build tags
	stdin          io.Reader        // nil: there is none
	stdout, stderr io.Writer
	noScreen       string           // why there can be none; "": there can
	terminal       bool             // stderr is one
	style          report.Style     // of stdout
	program        string           // how to call this program
	respawn        func() *exec.Cmd // nil: everything happens in this process
	role           check.Role       // what this process is there for
	kill           <-chan struct{}  // closed: end at once
	interrupt      atomic.Pointer[func() bool]
}

// statusError is the exit status of a command that has said all there is to say.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Exit is that error, for commands of [Config].
type Exit = statusError

// run executes the command line and returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.args = args
	root := a.command()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	var status statusError
	switch {
	case err == nil:
		return check.StatusOK
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		a.fail(fmt.Errorf("stopped: %w", context.Cause(ctx)))
	default:
		a.fail(err)
	}
	return check.ErrorStatus(ctx, err)
}

// ended is the error that makes a command end with that status, after an error, which may be nil, in telling of it.
// The error does not take the place of what was found out.
func (a *app) ended(ctx context.Context, status int, err error) error {
	if err != nil {
		a.fail(err)
		if status == check.StatusOK {
			status = check.ErrorStatus(ctx, err)
		}
	}
	if status == check.StatusOK {
		return nil
	}
	return statusError(status)
}

// fail says what is wrong, in one line. What a compiler says keeps its lines.
func (a *app) fail(err error) {
	if said, ok := errors.AsType[*toolError](err); ok {
		fmt.Fprintf(a.stderr, "%s\nmacemc: the package cannot be built\n", said)
		return
	}
	text := strings.TrimPrefix(err.Error(), "macemc: ")
	fmt.Fprintf(a.stderr, "macemc: %s\n", strings.Join(strings.Split(text, "\n"), "; "))
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "macemc",
		Short: "Find liveness and safety bugs in event-driven services",
		Long: `macemc executes real service code under every order of events, fault and random draw
that it can reach within its bounds, and shows the run that violates a property.

Exit status, of every command:

` + strings.TrimRight(check.StatusTable(), "\n"),
		Example: `  macemc systems                     what can be checked
  macemc search randtree --bug RT13  find a known bug of the random overlay tree
  macemc mdb error.path              look at the run that was found`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = version.Current().String()
	root.SetVersionTemplate("macemc {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.PersistentFlags().StringVar(&a.tags, "tags", "", "build tags `LIST` for packages, as of go build")
	root.AddCommand(a.commands...)
	root.AddCommand(a.systemsCommand(), a.searchCommand(), a.replayCommand(), a.criticalCommand(), a.mdbCommand(), a.graphCommand(),
		a.reportCommand(), a.shrinkCommand(), a.statsCommand(), a.bugsCommand(), a.liveCommand(), a.recordingCommand(), a.testCommand(),
		a.versionCommand())
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range root.Commands() {
			names = append(names, c.Name())
		}
		return spec.Unknown("unknown command", args[0], append(names, "help", "completion"))
	}
	a.complete(root)
	return root
}
