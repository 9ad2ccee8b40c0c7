// Package cli is the command line. It is the program macemc, and it runs inside of test binaries, on the
// systems that only they hold; so it imports no system.
package cli

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/systems/spec"
)

// Config says what a command line works on.
type Config struct {
	// Systems are those that can be named.
	Systems []spec.Entry
	// Commands are there beside those of this package.
	Commands []*cobra.Command
	// Test says that this is the process of a test, whose system is the only one. Nil: it is not.
	Test *Test
}

// Main executes a command line and returns the exit status.
func Main(c Config, args []string) int {
	role, err := check.CurrentRole()
	a := &app{
		systems:  c.Systems,
		commands: c.Commands,
		test:     c.Test,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		stdin:    os.Stdin,
		noScreen: noScreen(),
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		style:    style(os.Stdout),
		program:  program(os.Args[0]),
		respawn:  respawn,
		role:     role,
	}
	if t := c.Test; t != nil {
		a.program = t.Program
		a.respawn = func() *exec.Cmd {
			cmd := respawn()
			cmd.Dir = t.Dir
			return cmd
		}
	}
	if err != nil {
		a.fail(err)
		return check.StatusUsage
	}
	role.LimitMemory()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	a.stopOnSignals(cancel)
	status := a.run(ctx, args)
	if role.Recorder != nil {
		role.Recorder.End(status)
	}
	return status
}

// style suits the terminal that f is, if it is one.
func style(f *os.File) report.Style {
	if !term.IsTerminal(int(f.Fd())) {
		return report.Style{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return report.Style{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Width: width}
}

// noScreen says why the terminal cannot show a screen; "": it can.
func noScreen() string {
	switch {
	case !term.IsTerminal(int(os.Stdin.Fd())):
		return "standard input is no terminal"
	case !term.IsTerminal(int(os.Stdout.Fd())):
		return "standard output is no terminal"
	case os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb":
		return "TERM is " + strconv.Quote(os.Getenv("TERM"))
	}
	return ""
}

// program is how to call this program again: as it was called, unless that will not be there any more.
func program(called string) string {
	if strings.HasPrefix(called, os.TempDir()) {
		return "macemc"
	}
	return called
}

// respawn makes the command that starts this program again with the same arguments.
func respawn() *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.Command(exe)
	cmd.Args = os.Args // with the name that it was called by, which reports repeat
	return cmd
}

// onInterrupt makes Ctrl-C something else than the end of the command: f, until the result is called. When f
// returns false, the command ends after all.
func (a *app) onInterrupt(f func() bool) (stop func()) {
	a.interrupt.Store(&f)
	return func() { a.interrupt.Store(nil) }
}

func (a *app) takesInterrupt() bool {
	f := a.interrupt.Load()
	return f != nil && (*f)()
}

// together is how long after a signal another one is taken for the same.
const together = 200 * time.Millisecond

// stopOnSignals makes the first signal stop what is going on, with a report; the second one kills.
// A process that is supervised leaves signals to its parent.
func (a *app) stopOnSignals(stop func(cause error)) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if a.role.Recorder != nil {
		signal.Ignore(syscall.SIGPIPE) // a reader that has gone is no death of the search
		a.role.Follow(stop)
		return
	}
	kill := make(chan struct{})
	a.kill = kill
	go func() {
		first := <-signals
		for first == os.Interrupt && a.takesInterrupt() {
			first = <-signals
		}
		stop(&check.Interruption{Signal: first})
		// One Ctrl-C may come twice: from the terminal, and from the process that waits for this one.
		for first := time.Now(); time.Since(first) < together; {
			<-signals
		}
		close(kill)
		signal.Stop(signals) // a third one is not caught
	}()
}
