package cli

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
	"github.com/macemc/macemc/cmd/macemc/internal/screen"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/systems/spec"
)

// Config configures a command line.
type Config struct {
	// Systems are the systems that arguments can name.
	Systems []spec.Entry
	// Name is the name of the program in help texts. An empty string means macemc.
	Name string
	// Commands returns additional commands; nil means none.
	Commands func(*task.Process) []*cobra.Command
}

// Main executes a command line and returns the exit status.
func Main(c Config, args []string) int {
	if len(args) > 0 && args[0] == gotest.Exec {
		return gotest.Execute(args[1:])
	}
	a := &app{
		config: c,
		Process: task.Process{
			Systems:  c.Systems,
			Stdout:   os.Stdout,
			Stderr:   os.Stderr,
			Stdin:    os.Stdin,
			Screen:   showScreen,
			NoScreen: noScreen(),
			Terminal: term.IsTerminal(int(os.Stderr.Fd())),
			Style:    style(os.Stdout),
			Program:  program(os.Args[0]),
			Respawn:  task.Respawn,
		},
	}
	return a.Main(func(ctx context.Context) int { return a.run(ctx, args) })
}

// showScreen is a [task.Screen] on the terminal.
func showScreen(ctx context.Context, s mdb.Debugger, o task.ScreenOptions) error {
	return screen.Run(ctx, s, screen.Options(o))
}

// style returns the style for f, depending on whether f is a terminal.
func style(f *os.File) document.Style {
	if !term.IsTerminal(int(f.Fd())) {
		return document.Style{Width: document.LogWidth()}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return document.Style{Terminal: true, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Width: width}
}

// noScreen returns why the terminal cannot show a screen, or "" if it can.
func noScreen() string {
	switch {
	case !term.IsTerminal(int(os.Stdin.Fd())):
		return "standard input is not a terminal"
	case !term.IsTerminal(int(os.Stdout.Fd())):
		return "standard output is not a terminal"
	case os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb":
		return "TERM is " + strconv.Quote(os.Getenv("TERM"))
	}
	return ""
}

// program returns the name for calling this program again: the one it was called by, unless that is a temporary file.
func program(called string) string {
	if strings.HasPrefix(called, os.TempDir()) {
		return "macemc"
	}
	return called
}

// app is the state that the commands share.
type app struct {
	task.Process
	config Config
	args   []string // arguments without the program
	tags   string   // build tags
	// binaries is a folder that keeps test binaries, because the go command does not link an unchanged one again. An empty
	// string means that each command builds a temporary one.
	binaries string
}

// tests returns the runner of go test with the changed runtime.
func (a *app) tests() gotest.Runner {
	return gotest.Runner{Process: &a.Process, Tags: &a.tags,
		Find: func(program string) (string, error) { return companionPath(program, a.Stderr) }}
}

// Exit is the error of a command that has already reported everything else: its exit status.
type Exit = task.Exit
