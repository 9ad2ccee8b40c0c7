package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/overlay"
)

// bubblePackage is what systems of ordinary programs are made of. Its nodes need a changed copy of Go's runtime.
const bubblePackage = "github.com/macemc/macemc/bubble"

func (a *app) testCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [PACKAGE...] [FLAG...]",
		Short: "Run go test with the changed runtime that package bubble needs",
		Long: `Runs "go test" with the same arguments, and with a copy of a few files of the Go
distribution in use, changed so that the goroutines of a node can be driven step by step.
The copy is made from that distribution, kept in the user's cache folder, and used for
this build alone. The first build of a version takes a minute, as it includes the standard
library. Tests that do not use package bubble run as ever.

"macemc search ./mysvc" and its like do the same by themselves. With --env alone the
command runs nothing. It prints the variables with which go test does the same, as an
editor or a debugger starts it: docs/goroutines.md, Editors.`,
		Example: `  macemc test ./...
  macemc test ./mysvc -run TestCluster -v -count=1
  macemc test -C ../other ./...
  macemc test ./mysvc -macemc.time=5m
  macemc test --env > .macemc.env`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "-h") || slices.Contains(args, "--help") {
				return cmd.Help()
			}
			if slices.Contains(args, "--env") {
				if len(args) > 1 {
					return errors.New("--env stands alone: go test takes the rest")
				}
				return a.printTestEnv(cmd.Context())
			}
			return a.goTest(cmd.Context(), args)
		},
	}
}

// printTestEnv prints the environment in which go test builds with the changed runtime, a variable a line.
func (a *app) printTestEnv(ctx context.Context) error {
	changed, err := overlay.Prepare(ctx, ".")
	if err != nil {
		return err
	}
	flags := strings.Fields(os.Getenv("GOFLAGS"))
	for _, f := range changed.Flags(a.tags) {
		if strings.ContainsAny(f, " \t") { // the path of the cache
			f = "'" + f + "'"
		}
		flags = append(flags, f)
	}
	for _, variable := range append(changed.Env, "GOFLAGS="+strings.Join(flags, " ")) {
		fmt.Fprintln(a.Stdout, variable)
	}
	return nil
}

// goTest runs go test on the streams of this process.
func (a *app) goTest(ctx context.Context, args []string) error {
	args, tags := withoutTags(args)
	folder, args := folderFlag(args)
	changed, err := overlay.Prepare(ctx, cmp.Or(folder, "."))
	if err != nil {
		return err
	}
	flags := changed.Flags(strings.Trim(a.tags+","+tags, ","))
	// Package bubble runs one thread, but the build need not.
	env := append(changed.Env, "GOMAXPROCS=1")
	parallel := "-p=" + strconv.Itoa(runtime.NumCPU())
	test := []string{"test", parallel}
	if folder != "" {
		test = []string{"test", "-C=" + folder, parallel} // the go command wants it first
	}
	cmd := changedGo(ctx, env, slices.Concat(test, flags, args))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout, a.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return Exit(max(1, exit.ExitCode()))
	}
	return err
}

// folderFlag takes the flag -C, which the go command accepts as the first one only, out of arguments of it. An empty folder means
// that there is none.
func folderFlag(args []string) (folder string, rest []string) {
	if len(args) == 0 {
		return "", args
	}
	name, folder, has := strings.Cut(args[0], "=")
	switch {
	case name != "-C" && name != "--C":
		return "", args
	case has:
		return folder, args[1:]
	case len(args) > 1:
		return args[1], args[2:]
	}
	return "", args
}

// withoutTags takes the flag -tags out of arguments of the go command.
func withoutTags(args []string) (rest []string, tags string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "-args" || args[i] == "--args" { // the rest is for the test
			return append(rest, args[i:]...), tags
		}
		name, value, has := strings.Cut(args[i], "=")
		if name != "-tags" && name != "--tags" {
			rest = append(rest, args[i])
			continue
		}
		if !has && i+1 < len(args) {
			i++
			value = args[i]
		}
		tags = value
	}
	return rest, tags
}

// changedRuntime makes the overlay for a package whose tests use package bubble. The zero value is for others.
func (a *app) changedRuntime(ctx context.Context, dir string, all []dependency) (overlay.Build, error) {
	if !slices.ContainsFunc(all, func(d dependency) bool { return d.path == bubblePackage }) {
		return overlay.Build{}, nil
	}
	return overlay.Prepare(ctx, dir)
}

// buildFlags are the flags of a build with the changed runtime, if it is wanted.
func (a *app) buildFlags(changed overlay.Build) []string {
	switch {
	case changed.Overlay != "":
		return changed.Flags(a.tags)
	case a.tags != "":
		return []string{"-tags=" + a.tags}
	}
	return nil
}

// changedGo is a go command with more of an environment. A path in that is where the command is.
func changedGo(ctx context.Context, env, args []string) *exec.Cmd {
	name := "go"
	for _, e := range env {
		if root, ok := strings.CutPrefix(e, "GOROOT="); ok {
			name = filepath.Join(root, "bin", "go")
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if len(env) > 0 {
		cmd.Env = append(os.Environ(), env...)
	}
	return cmd
}
