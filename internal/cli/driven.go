package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// A command line that works on the system of a test starts that test's binary with one of these variables
// in its environment.
const (
	listVar  = "MACEMC_LIST"  // a file: each check adds a line to it instead of searching
	driveVar = "MACEMC_DRIVE" // an Order as JSON
)

// Listed is what a check says of itself.
type Listed struct {
	Test   string `json:"test"`
	System string `json:"system"`
	Nodes  int    `json:"nodes"`
	// Identity tells several checks of one test apart.
	Identity   string   `json:"identity"`
	Properties []string `json:"properties"`

	goTest string // Test without what tells several checks of it apart, once they are listed
}

// Order is a command line for the process of a test.
type Order struct {
	Args    []string
	Program string // how to call the program that gives the order
	Dir     string // where that runs
	Reached string // a file that the check makes when it is reached
	Listed  Listed // the check that is meant
	// Held says that file 3 is a pipe whose other end the giver of the order holds as long as it lives.
	Held bool
}

// Test is the test whose process this is.
type Test struct {
	Program string // as in Order
	Dir     string // where the test runs
	// WriteTest writes a test that follows the path in a file, and returns its name.
	WriteTest func(pathFile string) (string, error)
}

// Listing reports whether this process is there to list checks only, and to which file.
func Listing() (file string, ok bool) {
	file = os.Getenv(listVar)
	return file, file != ""
}

// Announce adds a check to the list.
func Announce(file string, l Listed) error {
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Ordered returns the command line that this process is there for; nil: none.
func Ordered() (*Order, error) {
	text := os.Getenv(driveVar)
	if text == "" {
		return nil, nil
	}
	o := new(Order)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("%s: %w", driveVar, err)
	}
	return o, nil
}

// Obey executes the command line on the system of a test, and returns the exit status.
func (o *Order) Obey(sys sim.System, writeTest func(pathFile string) (string, error)) int {
	if o.Held {
		go endWith(os.NewFile(3, "pipe"))
	}
	dir, err := os.Getwd()
	if err == nil {
		err = os.WriteFile(o.Reached, nil, 0o600)
	}
	if err == nil {
		err = os.Chdir(o.Dir)
	}
	if err != nil {
		(&app{stderr: os.Stderr}).fail(err)
		return check.ErrorStatus(context.Background(), err)
	}
	return Main(Config{
		Systems: []spec.Entry{EntryOf(sys, o.Listed.Test)},
		Test:    &Test{Program: o.Program, Dir: dir, WriteTest: writeTest},
	}, o.Args)
}

// endWith ends this process when the one that holds the other end of the pipe is gone.
func endWith(pipe *os.File) {
	_, _ = io.Copy(io.Discard, pipe)
	os.Exit(check.StatusInconclusive)
}

// EntryOf describes the system of a test of this binary.
func EntryOf(sys sim.System, test string) spec.Entry {
	return spec.Entry{
		Name: sys.Name, Package: TestPackage(), Test: test,
		Summary:  fmt.Sprintf("%s of %s", test, TestPackage()),
		MinNodes: sys.Nodes, MaxNodes: sys.Nodes, DefaultNodes: sys.Nodes,
		Limits: sys.Limits(),
		Build:  func(spec.Config) (sim.System, error) { return sys, nil },
	}
}

// TestPackage is the import path of the package whose tests are in this binary; "" when that is not known.
func TestPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	path, ok := strings.CutSuffix(info.Path, ".test")
	if !ok {
		return ""
	}
	return path
}
