package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// A program that works on the system of a test starts that test's binary with one of these environment variables.
const (
	ListVar  = "MACEMC_LIST"  // a file: instead of searching, each check adds an Announcement to it as a line of JSON
	DriveVar = "MACEMC_DRIVE" // an Order as JSON
)

// protocol is the version of the protocol between a program and a test binary, which may have different versions of
// this module. It grows with each incompatible change, except for changes to the fields of tasks, which [shape]
// detects.
const protocol = 4

// shape is a hash of the names and types of all fields of tasks.
func shape() string {
	h := fnv.New64a()
	for _, t := range tasks() {
		fmt.Fprintf(h, "%#v\n", reflect.ValueOf(t).Elem())
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// Listed is a check's description of itself.
type Listed struct {
	Test   string `json:"test"`
	System string `json:"system"`
	Nodes  int    `json:"nodes"`
	// Identity distinguishes the checks of one test.
	Identity   string   `json:"identity"`
	Properties []string `json:"properties"`
}

// Announcement is a check and the version it is built with.
type Announcement struct {
	Listed
	Protocol int    `json:"protocol"`
	Shape    string `json:"shape"`
	Version  string `json:"version"`
}

// Understood reports whether the test understands the orders of this program.
func (a *Announcement) Understood() bool { return a.Protocol == protocol && a.Shape == shape() }

// Order is a task for the process of a test. File 3 of that process is a pipe that the giver of the order holds open
// as long as it lives. File 4 is a pipe to the giver. See [message].
type Order struct {
	Kind     string // of the task
	Task     json.RawMessage
	Program  string // the command that calls the ordering program
	Dir      string // its working directory
	Terminal bool   // as in Process
	Style    document.Style
	NoScreen string
	Listed   Listed // the requested check
	// OtherVersions are as in Process.
	OtherVersions []report.OtherVersion
	// Printed is a file for the exit status of a search, written when its report is printed. The giver of the order
	// must not print another one then. An empty string means none.
	Printed string
}

// notePrinted records that the report of a search is printed, with its exit status.
func (p *Process) notePrinted(status int) {
	if p.printed != "" {
		_ = os.WriteFile(p.printed, []byte(strconv.Itoa(status)), 0o600)
	}
}

// PrintedStatus returns the exit status of a search that has printed its report. It returns false if it has not.
func (o *Order) PrintedStatus() (status int, ok bool) {
	text, err := os.ReadFile(o.Printed)
	if err == nil {
		status, err = strconv.Atoi(string(text))
	}
	return status, err == nil
}

// tasks returns the tasks that can be ordered.
func tasks() []Task {
	return []Task{&Describe{}, &Search{}, &Replay{}, &Critical{}, &Debug{}, &Graph{}, &Report{}, &Shrink{}, &Refine{}, &Observe{},
		&Inspected{}}
}

func kind(t Task) string { return fmt.Sprintf("%T", t) }

// Order returns the order to execute a task of this process on a system that only a test defines.
func (p *Process) Order(t Task, l Listed) (*Order, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(t)
	return &Order{
		Kind: kind(t), Task: text, Listed: l, Program: p.Program, Dir: dir, Terminal: p.Terminal, Style: p.Style, NoScreen: p.NoScreen,
	}, err
}

// task decodes the task.
func (o *Order) task() (Task, error) {
	for _, t := range tasks() {
		if kind(t) == o.Kind {
			d := json.NewDecoder(bytes.NewReader(o.Task))
			d.DisallowUnknownFields()
			return t, d.Decode(t)
		}
	}
	return nil, fmt.Errorf("%s: unknown task %s", DriveVar, o.Kind)
}

// Listing reports whether this process only lists checks, and to which file.
func Listing() (file string, ok bool) {
	file = os.Getenv(ListVar)
	return file, file != ""
}

// Announce adds a check to the list.
func Announce(file string, l Listed) error {
	line, err := json.Marshal(Announcement{l, protocol, shape(), version.Current().Version})
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

// Ordered returns the order for this process; nil means none.
func Ordered() (*Order, error) {
	text := os.Getenv(DriveVar)
	if text == "" {
		return nil, nil
	}
	o := new(Order)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("%s: %w", DriveVar, err)
	}
	return o, nil
}

// Obey executes the order on the system of a test and returns the exit status. It must be called once.
func (o *Order) Obey(sys sim.System, writeTest func(pathFile string) (string, error)) int {
	dir, err := os.Getwd()
	p := &Process{
		Systems: []spec.Entry{entryOf(sys, o.Listed.Test)},
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: o.Terminal, Style: o.Style, NoScreen: o.NoScreen, Program: o.Program,
		WriteTest: writeTest, OtherVersions: o.OtherVersions, printed: o.Printed,
		Respawn: func() *exec.Cmd {
			cmd := Respawn()
			cmd.Dir = dir
			return cmd
		},
	}
	t, e := o.task()
	if err = errors.Join(err, e); err == nil {
		if p.Package, err = filepath.Rel(o.Dir, dir); err == nil {
			err = os.Chdir(o.Dir)
		}
	}
	if err != nil {
		p.fail(err)
		return exitcode.Usage
	}
	var program *asker
	status := p.Main(func(ctx context.Context) int {
		if _, inspected := t.(*Inspected); p.Role.Recorder == nil && !inspected { // another process is a child of one like this, which ends it
			program = newAsker()
			p.Screen = program.Screen
			if d, ok := t.(*Debug); ok {
				d.program = program
			}
		}
		return p.ExitStatus(ctx, t.Do(ctx, p))
	})
	if program != nil { // checked code can end this process with any status, but it cannot announce one
		_ = program.send(message{Status: &status}) // the end of the program ends this process
	}
	return status
}

// entryOf returns the entry for the system of a test of this binary.
func entryOf(sys sim.System, test string) spec.Entry {
	return spec.Entry{
		Name: sys.Name, Package: TestPackage(), Test: test,
		Summary:  fmt.Sprintf("%s of %s", test, TestPackage()),
		MinNodes: sys.Nodes, MaxNodes: sys.Nodes, DefaultNodes: sys.Nodes,
		Limits: sys.Limits(),
		Build:  func(spec.Config) (sim.System, error) { return sys, nil },
	}
}

// TestPackage returns the import path of the package with the tests in this binary. An empty string means that it is
// unknown. The binary with the tests of a package main has the path of that package.
func TestPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || flag.Lookup("test.run") == nil {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// RunPattern returns the pattern for go test -run that selects only the test of that name.
func RunPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
