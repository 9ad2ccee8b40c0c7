package gotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/cmd/macemc/internal/runview"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
)

// Debuggable adds flags to those of go test with which the tests are built without optimization, if they are debugged.
func Debuggable(debugged bool, flags []string) []string {
	if !debugged {
		return flags
	}
	const off = "-N -l"
	flags = slices.Clone(flags)
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-ldflags=") }) { // those of GOFLAGS do not count then
		flags = append(flags, "-ldflags=")
	}
	for i, f := range flags {
		switch {
		case strings.HasPrefix(f, "-gcflags="):
			flags[i] += " " + off
		case strings.HasPrefix(f, "-ldflags="):
			flags[i] += " -w=false"
		}
	}
	// The last flag that matches a package counts. Functions of package syscall that must not grow the stack need optimization.
	return slices.Concat([]string{"-gcflags=all=" + off, "-gcflags=syscall="}, flags)
}

// inspection executes the runs of a debugged test in a debugger, each in a process of its own.
type inspection struct {
	test  *debuggedTest
	runs  map[string]*inspectedRun
	batch bool // no screen is in the way of announcements
}

// inspectedRun is a run of a test in a debugger.
type inspectedRun struct {
	client  *inspect.Client
	counts  []uint64    // numbers of the operations of the steps
	numbers map[int]int // of goroutines in the process, by those of the session
	fits    int         // number of steps that the debugged build executes, too
	unfit   error       // describes the next step
}

// inspect executes a request in the debugger of a run. Operations of requests and stops are steps.
func (x *inspection) inspect(ctx context.Context, run string, r inspect.Request) (*inspect.Reply, error) {
	it := x.runs[run]
	if it == nil {
		var err error
		if it, err = x.open(ctx, run); err != nil {
			return nil, err
		}
		x.runs[run] = it
	}
	if n := r.Goroutine; n > 0 {
		if r.Goroutine = it.numbers[n]; r.Goroutine == 0 {
			return nil, fmt.Errorf("g%d executes no operation in this run, and its variables are not shown", n)
		}
	}
	if step := int(r.Operation); step > 0 {
		if step > it.fits {
			return nil, it.unfit
		}
		r.Operation = it.counts[step-1]
	}
	reply, err := it.client.Call(ctx, r)
	if err != nil {
		if it.client.Closed() {
			delete(x.runs, run)
		}
		return nil, err
	}
	it.renumber(reply)
	executed := reply.Stop.Operation
	reply.Stop.Operation = uint64(len(it.counts))
	if at := slices.IndexFunc(it.counts, func(n uint64) bool { return n > executed }); at >= 0 {
		reply.Stop.Operation = uint64(at)
	}
	return reply, nil
}

// open starts the debugger of a run, and builds the test before.
func (x *inspection) open(ctx context.Context, run string) (*inspectedRun, error) {
	if x.batch {
		defer task.AnnounceLong(x.test.runner.Stderr, "building the test without optimization, to read variables")()
	}
	of := x.test.runs[run]
	program, err := x.test.runner.Find(inspect.Program)
	if err != nil {
		return nil, err
	}
	it := new(inspectedRun)
	it.client, err = inspect.Open(ctx, func(ctx context.Context, socket string, output io.Writer) error {
		s := *x.test.stored
		s.Schedule.Switches = of.switches
		args, err := x.args(&s, filepath.Join(filepath.Dir(socket), "schedule.path"), program, socket)
		if err != nil {
			return err
		}
		a := x.test.runner
		a.debugged = true
		return a.goTest(ctx, args, output, output,
			explorer.Passing{Outcome: filepath.Join(filepath.Dir(socket), "outcome"), Trace: "states", Debugged: true})
	})
	if err != nil {
		return nil, err
	}
	var text []byte
	if _, err = it.client.Call(ctx, inspect.Request{Action: inspect.Move}); err == nil {
		text, err = os.ReadFile(it.client.Beside("outcome"))
	}
	if err != nil {
		it.client.Close()
		return nil, err
	}
	it.compare(of.outcome, testsched.Decode(text))
	return it, nil
}

// args stores a schedule in a file, and returns the arguments of go test that execute it by words of a command.
func (x *inspection) args(s *schedulefile.Stored, file string, command ...string) (_ []string, err error) {
	for i, word := range command {
		if command[i], err = quoteWord(word); err != nil {
			return nil, err
		}
	}
	args, err := storedArgs(s, x.test.file, file)
	if err != nil {
		return nil, err
	}
	at := 0
	if args[0] == "-C" {
		at = 2
	}
	return slices.Insert(args, at, "-timeout=0", "-exec="+strings.Join(command, " ")), nil
}

// compare sets how many steps of a run the debugged build executes, too.
func (it *inspectedRun) compare(o, debugged *testsched.Outcome) {
	if debugged == nil {
		it.unfit = errors.New("the debugged build of the test does not execute the schedule")
		return
	}
	it.numbers = map[int]int{}
	var raw []int
	runview.Each(debugged, func(_ uint64, n *int) { raw = append(raw, *n) })
	runview.Renumber(debugged, o)
	i := 0
	runview.Each(debugged, func(_ uint64, n *int) { it.numbers[*n] = raw[i]; i++ })
	for i := range o.Trace {
		what := "the end of the run"
		if i < len(debugged.Trace) {
			d := &debugged.Trace[i]
			if d.Same(o.Trace[i]) {
				it.counts = append(it.counts, d.Count)
				continue
			}
			what = d.String()
		}
		it.fits = i
		it.unfit = fmt.Errorf("the schedule does not fit the build without optimization, whose variables are shown, from step %d on: "+
			"there it has %s in place of %s", i+1, what, o.Trace[i].String())
		return
	}
	it.fits = len(o.Trace)
	it.unfit = errors.New("the run has no more steps")
}

// renumber gives the goroutines of a reply their numbers in the session.
func (it *inspectedRun) renumber(r *inspect.Reply) {
	of := map[int]int{}
	for n, raw := range it.numbers {
		of[raw] = n
	}
	r.Stop.Goroutine = of[r.Stop.Goroutine]
	known := r.Goroutines[:0]
	for _, g := range r.Goroutines {
		if g.Number = of[g.Number]; g.Number > 0 {
			known = append(known, g)
		}
	}
	r.Goroutines = known
}

// close ends all debuggers.
func (x *inspection) close() {
	for _, it := range x.runs {
		it.client.Close()
	}
	clear(x.runs)
}
