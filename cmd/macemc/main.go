// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
)

func main() {
	role, err := check.CurrentRole()
	a := &app{
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		noScreen: noScreen(),
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		style:    style(os.Stdout),
		program:  program(os.Args[0]),
		respawn:  respawn,
		role:     role,
	}
	if err != nil {
		os.Exit(a.fail(err))
	}
	role.LimitMemory()
	ctx, cancel := context.WithCancel(context.Background())
	a.stopOnSignals(cancel)
	status := a.run(ctx, os.Args[1:])
	if role.Recorder != nil {
		role.Recorder.End(status)
	}
	os.Exit(status)
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

// stopOnSignals makes the first signal stop what is going on, with a report; the second one kills.
// A process that is supervised leaves signals to its parent.
func (a *app) stopOnSignals(stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if a.role.Recorder != nil {
		a.role.Follow(stop)
		return
	}
	kill := make(chan struct{})
	a.kill = kill
	go func() {
		<-signals
		stop()
		<-signals
		close(kill)
		signal.Stop(signals) // a third one is not caught
	}()
}
