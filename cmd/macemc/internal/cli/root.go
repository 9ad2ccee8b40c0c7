package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/internal/live"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/systems/spec"
)

// run executes the command line and returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.args = args
	root := a.command()
	root.SetArgs(args)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return a.exitStatus(ctx, root.ExecuteContext(ctx))
}

// exitStatus reports the error of a command, which may be nil, and returns the exit status.
func (a *app) exitStatus(ctx context.Context, err error) int {
	if said, ok := errors.AsType[*toolError](err); ok && ctx.Err() == nil {
		fmt.Fprintf(a.Stderr, "%s\nmacemc: the package cannot be built\n", said)
		return exitcode.OfError(ctx, err)
	}
	return a.ExitStatus(ctx, err)
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "macemc",
		Short: "Find bugs that only some orders of events or goroutines show",
		Long: `macemc executes tests under many schedules of their goroutines, and services under many
orders of events, faults and random draws. It shows the run that fails or violates a property.
"macemc help --all" lists all commands.`,
		Example: `  macemc test ./...                  run tests under many schedules of their goroutines
  macemc search randtree --bug RT13  find a known bug of the random overlay tree
  macemc mdb error.path              debug the run that was found`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return emptyFlag(cmd) },
	}
	root.Version = version.Current().String()
	root.SetVersionTemplate("macemc {{.Version}}\n")
	root.SetHelpTemplate(root.HelpTemplate() + "{{if not .HasParent}}\nExit status, unless the help of a command says otherwise:\n\n" + exitcode.Table() + "{{end}}")
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&a.tags, "tags", "", "build packages with the tags `LIST`, as go build does")
	if a.config.Name != "" {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: a.config.Name}
	}
	if a.config.Commands != nil {
		root.AddCommand(a.config.Commands(&a.Process)...)
	}
	if a.config.Name != "" {
		groupRest(root, "Commands of this program:")
	}
	live := live.Command(&a.Process, a.entry)
	live.Args = exactlyOne("SYSTEM")
	root.AddCommand(newCommand(), a.systemsCommand(), a.searchCommand(), a.replayCommand(), a.criticalCommand(), a.mdbCommand(),
		a.dapCommand(), a.graphCommand(),
		a.reportCommand(), a.shrinkCommand(), a.refineCommand(), a.observeCommand(), live, a.tests().Command(),
		a.tests().Doctor(), a.durableCommand(), a.shardsMergeCommand(),
		a.versionCommand())
	a.addCompanions(root)
	root.Args = func(_ *cobra.Command, args []string) error { return a.noCommand(root, args) }
	a.complete(root)
	helpCommand(root)
	a.group(root)
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // without it, arguments are not checked
		c.Args = func(c *cobra.Command, args []string) error { return noneOf("unknown shell", c, args) }
	}
	return root
}

// noCommand returns the error for arguments that do not begin with a command. It suggests the command for a system, a package or a file.
func (a *app) noCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	command := ""
	if _, err := spec.Find(a.Systems, args[0]); err == nil || isPackage(args[0]) {
		command = "search"
	}
	if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() {
		command = "mdb"
	}
	if command == "" {
		return noneOf("unknown command", root, args)
	}
	return fmt.Errorf("unknown command %q; did you mean %s %s %[1]s?", args[0], root.CommandPath(), command)
}
