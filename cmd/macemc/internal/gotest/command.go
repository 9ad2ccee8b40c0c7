package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/search"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Runner runs go test with the changed runtime.
type Runner struct {
	*task.Process
	Tags     *string                                       // build tags of the command line
	Find     func(program string) (file string, err error) // locates a program that this one executes
	debugged bool                                          // tests are built without optimization
	collect  func(*summaries)                              // is called after the last test; nil means that nothing is
	typed    string                                        // the command line
}

// Command returns the command test.
func (a Runner) Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "test [PACKAGE...] [FLAG...]",
		Short:                 "Run go test, and explore the schedules of each test",
		DisableFlagParsing:    true,
		ValidArgsFunction:     completeFlags,
		DisableFlagsInUseLine: true, // FLAG is a flag of go test
		RunE: func(cmd *cobra.Command, args []string) error {
			if wanted, all := helpWanted(args); wanted {
				if err := cmd.Flags().Set(helpAll, strconv.FormatBool(all)); err != nil {
					return err
				}
				return cmd.Help()
			}
			if slices.Contains(args, "--env") {
				if len(args) > 1 {
					return errors.New("--env takes no other arguments")
				}
				return a.printTestEnv(cmd.Context())
			}
			a.typed = commandOf(args)
			return testWithResults(cmd.Context(), a, args)
		},
	}
	setHelp(cmd)
	return cmd
}

// printTestEnv prints the environment variables with which go test builds with the changed runtime, one per line.
func (a Runner) printTestEnv(ctx context.Context) error {
	changed, err := overlay.Prepare(ctx, ".")
	if err != nil {
		return err
	}
	flags := strings.Fields(os.Getenv("GOFLAGS"))
	for _, f := range changed.Flags(*a.Tags) {
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

// inModule returns an error if the arguments name packages of a folder that is in no module. The status of go test does
// not distinguish that from a failing test.
func inModule(ctx context.Context, folder string, args []string) error {
	isFlag := func(a string) bool { return strings.HasPrefix(a, "-") }
	relative := func(a string) bool { return a == "." || strings.HasPrefix(a, "./") || strings.HasPrefix(a, "..") }
	if !slices.ContainsFunc(args, relative) && slices.ContainsFunc(args, func(a string) bool { return !isFlag(a) }) {
		return nil
	}
	out, err := child.GoOutput(ctx, folder, nil, "env", "GOMOD", "GOWORK")
	module, work, _ := strings.Cut(out, "\n")
	if err != nil || module != os.DevNull || work != "" && work != "off" {
		return nil // go test reports other problems
	}
	return fmt.Errorf("no go.mod in %s or a folder above it", cmp.Or(folder, "this folder"))
}

// invocation is an execution of go test.
type invocation struct {
	Runner
	exploration
	dir            string // of flag -C
	args, flags    []string
	env            []string
	stdout, stderr io.Writer
	inner          bool // another command of this program shows the outcome
}

// goTest runs go test.
func (a Runner) goTest(ctx context.Context, args []string, stdout, stderr io.Writer, passing explorer.Passing) error {
	args, tags, _ := takeFlag(args, "tags")
	dir, args := folderFlag(args)
	x, args, err := explorationFlags(dir, args)
	if err != nil {
		return err
	}
	x.Passing = passing
	if folder := filepath.Clean(dir); folder != "." {
		x.Options.Folder = task.ShellWord(folder)
	}
	x.Tags = strings.Trim(*a.Tags+","+tags, ",")
	if err := inModule(ctx, dir, args); err != nil {
		return err
	}
	changed, err := overlay.Prepare(ctx, cmp.Or(dir, "."))
	if err != nil {
		return cmp.Or(unwritable(ctx, dir), err)
	}
	// Package bubble runs one thread, but the build may run several.
	env := append(slices.Clip(changed.Env), "GOMAXPROCS=1")
	v := &invocation{Runner: a, exploration: x, dir: dir, args: args, flags: changed.Flags(x.Tags), env: env, stdout: stdout, stderr: stderr,
		inner: passing.Outcome != ""}
	if !x.on {
		return exitOf(v.command(ctx, stdout, stderr).Run(), func(status int) int { return status })
	}
	piped, stop := signal.NotifyContext(ctx, syscall.SIGPIPE) // a closed output ends the tests, and the folders are removed
	defer stop()
	err = v.explore(piped, changed)
	if piped.Err() != nil && ctx.Err() == nil {
		return task.Exit(128 + int(syscall.SIGPIPE))
	}
	return err
}

// exitOf returns the error for that of a command, with the exit status that a function returns for its own.
func exitOf(err error, status func(int) int) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return task.Exit(max(1, status(exit.ExitCode())))
	}
	return err
}

// command returns the go command.
func (v *invocation) command(ctx context.Context, stdout, stderr io.Writer) *exec.Cmd {
	flags := Debuggable(v.debugged, append(v.flags, v.replayFlags(v.args)...))
	test := []string{"test", "-p=" + strconv.Itoa(runtime.NumCPU())}
	if v.dir != "" {
		test = slices.Insert(test, 1, "-C="+v.dir) // the go command requires it first
	}
	cmd := child.GoCommand(ctx, v.env, slices.Concat(test, flags, v.args))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = v.Stdin, stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if !term.IsTerminal(int(os.Stdin.Fd())) { // on a terminal, Ctrl-C reaches the tests anyway
		child.InterruptAll(cmd)
	}
	child.EndWithParent(cmd) // the tests end after it
	return cmd
}

// explore runs go test with an exploration.
func (v *invocation) explore(ctx context.Context, changed overlay.Build) (err error) {
	if v.pkg, err = packageOf(ctx, changed.Env, v.dir, v.flags, v.args); err != nil {
		return err
	}
	defer v.remove()
	if err = v.prepare(ctx, changed); err != nil {
		return cmp.Or(unwritable(ctx, v.dir), err)
	}
	terminal := &console{status: task.NewStatus(v.stderr, v.Terminal)}
	shown := &lockedWriter{terminal, v.stderr}
	v.stderr = shown
	s := newSummaries(ctx, &v.exploration, &lockedWriter{terminal, v.stdout}, shown, v.Runner)
	cmd := v.command(ctx, s, s.cached)
	hide := func() {}
	if !v.json && !v.inner {
		hide = v.announce(shown)
		defer time.AfterFunc(longBuild, func() {
			if !summary.Begun(v.Summaries) {
				fmt.Fprintln(shown, "macemc: building the tests with the changed standard library, which takes about a minute the first time")
			}
		}).Stop()
	}
	err = cmd.Run()
	hide()
	return v.report(ctx, cmd, s, err)
}

// report reports the end of the go command, and returns the error for its own.
func (v *invocation) report(ctx context.Context, cmd *exec.Cmd, s *summaries, err error) error {
	var lacking, unexecuted error
	if err != nil && ctx.Err() == nil && (len(s.unbuilt) > 0 || !summary.Begun(v.Summaries)) {
		lacking = unwritable(ctx, v.dir)
	}
	if v.stored != nil && !v.inner && ctx.Err() == nil && !v.executed() && !slices.Contains(s.unbuilt, v.stored.Package) {
		unexecuted = fmt.Errorf("%s: this is a schedule of %s in package %s, which was not executed", v.Options.Schedule, v.stored.Test, v.stored.Package)
	}
	cause, ended := endedEarly(ctx, cmd, s)
	s.unreported(cause)
	s.finish()
	if v.collect != nil {
		v.collect(s)
	}
	s.cached.save(v.Summaries, v.pkg)
	for _, problem := range []error{unexecuted, lacking} {
		if problem != nil && err != nil {
			fmt.Fprintf(v.stderr, "macemc: %v\n", problem)
		}
	}
	switch {
	case s.failed > 0:
		return task.Exit(exitcode.Violation)
	case ended != exitcode.OK:
		return task.Exit(ended)
	}
	return cmp.Or(exitOf(err, s.status), unexecuted)
}

// endedEarly returns why the go command ended before its tests, which then end too, and the exit status if they found nothing. An empty
// string means that it did not.
func endedEarly(ctx context.Context, cmd *exec.Cmd, s *summaries) (cause string, status int) {
	state := cmd.ProcessState
	killed := state != nil && state.ExitCode() < 0
	if killed || ctx.Err() != nil {
		child.Kill(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return interrupted, exitcode.Of(search.Interrupted, context.Cause(ctx))
	case killed:
		return fmt.Sprintf("go test ended early (%v)", state), exitcode.Killed(state)
	case state == nil || state.Success():
	case len(s.lacking()) > 0:
		return "go test was interrupted", exitcode.Interrupted // alone: it awaited the tests, and reported none
	case !s.explains():
		return fmt.Sprintf("go test ended with status %d, although no package failed; perhaps it was interrupted", state.ExitCode()), exitcode.OK
	}
	return "", exitcode.OK
}

// unwritable returns an error if a folder that builds and explorations write to is read-only or full.
func unwritable(ctx context.Context, folder string) error {
	out, _ := child.GoOutput(ctx, folder, nil, "env", "GOCACHE", "GOTMPDIR")
	cache, temp, _ := strings.Cut(out, "\n")
	own, _ := os.UserCacheDir()
	for i, f := range []struct{ variable, dir string }{
		{"TMPDIR", os.TempDir()}, {"GOTMPDIR", temp}, {"GOCACHE", cache}, {"XDG_CACHE_HOME", own},
	} {
		if f.dir == "" || f.dir == "off" {
			continue
		}
		var err error
		if i >= 2 { // caches are created when they are needed
			err = os.MkdirAll(f.dir, 0o755)
		}
		file := filepath.Join(f.dir, fmt.Sprintf("macemc-room-%d", os.Getpid()))
		if err == nil {
			err = os.WriteFile(file, make([]byte, 1<<20), 0o600)
			os.Remove(file)
		}
		if err != nil {
			return fmt.Errorf("%w: make room in %s, or set %s to a folder that can be written", err, f.dir, f.variable)
		}
	}
	return nil
}

// longBuild is the time after which the command announces that it builds tests.
const longBuild = 3 * time.Second

// folderFlag removes the flag -C from arguments of the go command, which accepts it only as the first one. An empty folder means that the
// flag is absent.
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
