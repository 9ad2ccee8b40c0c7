package mctest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Check calls [CheckWith] with default options.
func Check(t testing.TB, system sim.System) {
	t.Helper()
	CheckWith(t, system, Options{})
}

// CheckWith searches the system for violations of its properties. If it finds one, it logs a report and fails the test.
// It writes the run and the report to testdata/macemc/ and the test's name, beside the test, replacing the results of
// an earlier search. Do not commit that folder; paths for [Replay] belong in testdata/regress. It also fails the test
// if the result is inconclusive, because a suspect was not confirmed or there was not enough time. Otherwise it logs
// the coverage and the properties that never held. A system without a name gets the name of the test.
//
// A line "known REASON" in a path of testdata/regress accepts its finding, which then does not fail the test.
//
// The search runs in a second process of the test binary, which starts at TestMain and runs this test alone. A handler
// that overflows the stack, exhausts the memory, exits or never returns is therefore a finding. With coverage or a
// profile of go test the search runs in this process, and such a handler ends the process.
//
// A test binary without the modified Go runtime cannot run systems of package bubble. Their tests are skipped unless
// MACEMC_NO_SKIP is set.
//
// When a command such as "macemc search" runs on the package, CheckWith passes the system to the command and does not
// return.
func CheckWith(t testing.TB, system sim.System, o Options) {
	t.Helper()
	c := begin(t, system, o, true)
	switch {
	case c == nil:
	case c.replay != "":
		c.show()
	case c.role.Searching():
		o := c.options()
		c.role.Record(&o.Search)
		c.workForParent(func(ctx context.Context) (text string, status int) {
			rep, err := check.Run(ctx, o)
			if errors.Is(err, isolate.ErrLost) {
				c.role.Resign()
			}
			return c.result(ctx, rep, err)
		})
	case c.searchesHere():
		rep, err := check.Run(t.Context(), c.options())
		c.conclude(c.result(t.Context(), rep, err))
	default:
		c.search()
	}
}

// checking is one call of CheckWith or Replay.
type checking struct {
	testing.TB
	settings
	system sim.System
	role   isolate.Role
	source source // of the call
	number int    // of the check in its test

	interrupted error // by a signal; nil if none arrived
}

// begin determines the role of this process. It returns nil if the caller has nothing left to do.
func begin(t testing.TB, system sim.System, o Options, isCheck bool) *checking {
	unexplored("it checks a system of nodes, whose runs it explores itself")
	t.Helper()
	if system.Name == "" {
		system.Name = t.Name()
	}
	c := &checking{TB: t, system: system, source: caller(), number: ordinal(t)}
	if file, ok := task.Listing(); ok {
		if isCheck {
			if err := task.Announce(file, c.listed()); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}
	order, err := task.Ordered()
	if err != nil {
		t.Fatal(err)
	}
	if order != nil {
		if isCheck && order.Listed.Test == t.Name() && order.Listed.Identity == c.identity() {
			os.Exit(order.Obey(system, c.writeTestFor))
		}
		return nil
	}
	if c.role, err = isolate.CurrentRole(); err != nil {
		t.Fatal(err)
	}
	if c.settings, err = resolveSettings(o, testing.Short()); err != nil {
		t.Fatal(err)
	}
	if c.interleave != nil && c.takesTurns() {
		c.system.Interleave = *c.interleave
	}
	if isCheck && !c.Strategy.Can(strategy.VisitsStates) {
		c.system.Timing = check.LivenessTiming(&c.system)
	}
	switch {
	case c.role.Recorder == nil:
		if isCheck {
			c.enoughTime()
		}
		return c
	case c.identity() != os.Getenv(systemVar):
		return nil // this process is for another check of the same test
	case c.role.Reexecuting():
		exitcode.LeaveStops()
		c.role.LimitMemory()
		c.role.Follow(func(error) {})
		if err := isolate.Reexecute(&c.system, c.role.Recorder); err != nil {
			t.Log(err)
		}
		c.role.Recorder.End(0)
		os.Exit(0)
	}
	return c
}

// enoughTime fails the test if go test would end it before the search is over.
func (c *checking) enoughTime() {
	c.Helper()
	t, ok := c.TB.(interface{ Deadline() (time.Time, bool) })
	if !ok || c.replay != "" {
		return
	}
	if end, ok := t.Deadline(); ok && time.Until(end) < c.Time {
		c.Fatalf("the search takes %v, but go test ends the tests of this package in %v; give it a longer -timeout, or 0 for none",
			c.Time, time.Until(end).Truncate(time.Second))
	}
}

func (c *checking) listed() task.Listed {
	l := task.Listed{Test: c.Name(), System: c.system.Name, Nodes: c.system.Nodes, Identity: c.identity(), Properties: []string{}}
	for _, p := range c.system.Properties {
		l.Properties = append(l.Properties, p.Name)
	}
	l.Properties = append(l.Properties, c.system.MonitorNames()...)
	return l
}

// identity distinguishes the systems of one test.
func (c *checking) identity() string {
	s := &c.system
	return fmt.Sprintf("check %d, %q, %d nodes, %+v, %v", c.number, s.Name, s.Nodes, s.Limits(), s.Timing)
}

// searchesHere reports whether the search must run in this process: on request, or because this process is being profiled.
func (c *checking) searchesHere() bool {
	if c.inProcess || testing.CoverMode() != "" {
		return true
	}
	for _, name := range []string{"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return false
}

// search runs the search in another process.
func (c *checking) search() {
	c.Helper()
	o := c.options()
	if err := check.Writable(o); err != nil {
		c.Fatal(err)
	}
	out, text, err := c.supervise()
	switch {
	case err != nil:
		rep := check.ReportLost(o, out, err)
		c.conclude(fmt.Sprintf("%v%s", err, c.terminal(rep)), exitcode.Of(rep.Verdict, c.interrupted))
	case out.Death != nil:
		c.system = out.Death.Hollow(c.system)
		rep, err := check.ReportDeath(c.Context(), c.options(), out)
		c.conclude(c.result(c.Context(), rep, err))
	default:
		c.conclude(text, out.Status)
	}
}

// supervise starts another process that calls workForParent. It returns the text of that process unless the process
// died.
func (c *checking) supervise() (out isolate.Outcome, text string, err error) {
	c.Helper()
	file := filepath.Join(c.TempDir(), "report")
	s := isolate.Supervisor{
		Respawn: c.respawn(reportVar + "=" + file), Stdout: os.Stdout, Stderr: os.Stderr, Workers: c.Workers,
	}
	ctx, kill, stop := interruptible(c.Context())
	defer stop()
	s.Kill = kill
	out, err = s.Run(ctx)
	if ctx.Err() != nil {
		c.interrupted = context.Cause(ctx)
		defer os.RemoveAll(filepath.Dir(file)) // this process ends before the test does
	}
	if err != nil || out.Death != nil {
		return out, "", err
	}
	said, err := os.ReadFile(file)
	if err != nil {
		return out, fmt.Sprintf("the process of the search could not write its report to a file, it printed it: %v", err), nil
	}
	return out, string(said), nil
}

// workForParent sends text and status of work to the parent process, and ends this process. It prints a text that it
// cannot send.
func (c *checking) workForParent(work func(context.Context) (text string, status int)) {
	file := os.Getenv(reportVar) // before checked code runs
	exitcode.LeaveStops()
	c.role.LimitMemory()
	isolate.CollectSeldom()
	ctx, cancel := context.WithCancelCause(context.Background())
	c.role.Follow(cancel)
	text, status := work(ctx)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		os.Remove(file) // it may be incomplete
		fmt.Println(text)
	}
	c.role.Recorder.End(status)
	os.Exit(0)
}

// statusCannotRun is the status of a process that cannot run the system, see [simext.CannotRun].
const statusCannotRun = 255

// statusKnown is the status of a replay that shows an accepted violation.
const statusKnown = 254

// conclude passes, skips or fails the test according to status, with the given text.
func (c *checking) conclude(text string, status int) {
	c.Helper()
	switch {
	case c.interrupted != nil:
		c.end(text, status)
	case status == exitcode.OK:
		c.Log(text)
	case status == statusCannotRun && !c.noSkip && !modified:
		fmt.Fprintf(os.Stderr, "macemc: %s is skipped, nothing was checked: %s\n", c.Name(), text) // go test shows skips with -v only
		c.Skip(text)
	case status == statusKnown:
		c.Skip(text)
	default:
		c.Error(text)
	}
}

// failed returns the text and the exit status for an error.
func failed(ctx context.Context, err error) (text string, status int) {
	if _, ok := errors.AsType[*simext.CannotRun](err); ok {
		return err.Error(), statusCannotRun
	}
	return err.Error(), exitcode.OfError(ctx, err)
}

// result returns the text and the exit status for a report, which may be nil.
func (c *checking) result(ctx context.Context, rep *report.Report, err error) (text string, status int) {
	if rep == nil {
		return failed(ctx, err)
	}
	status = exitcode.Of(rep.Verdict, context.Cause(ctx))
	text = c.terminal(rep)
	if err != nil {
		text += fmt.Sprintf("\nthe report is not complete: %v\n", err)
		if status == exitcode.OK {
			status = exitcode.OfError(ctx, err)
		}
	}
	for name := range rep.PathFiles() {
		if !c.writeTest {
			break
		}
		file, err := c.writeTestFor(name)
		if err != nil {
			text += fmt.Sprintf("\nno regression test: %v\n", err)
		} else {
			text += fmt.Sprintf("\nregression test: %s\n", file)
		}
	}
	return text, status
}

func (c *checking) terminal(rep *report.Report) string {
	var text bytes.Buffer
	text.WriteByte('\n') // aligns the columns
	rep.InTest = true
	d := document.New(rep, nil)
	d.Style.Width = document.LogWidth()
	if err := render.Terminal(&text, d); err != nil {
		fmt.Fprintln(&text, err)
	}
	return text.String()
}

// findings is the folder, beside the test, for findings.
const findings = "testdata/macemc"

// folder returns the folder of this check. A test may have several checks.
func (c *checking) folder() string {
	dir := filepath.Join(filepath.FromSlash(findings), filepath.FromSlash(c.Name()))
	if c.number > 1 {
		dir += fmt.Sprintf(".%d", c.number)
	}
	return dir
}

func (c *checking) options() check.Options {
	c.Helper()
	known, err := check.KnownFiles("", c.Name())
	if err != nil {
		c.Fatal(err)
	}
	return check.Options{
		Search: search.Config{
			System:    c.system,
			Time:      c.Time,
			MaxPaths:  c.MaxPaths,
			Seed:      c.Seed,
			Workers:   c.Workers,
			Strategy:  c.Strategy,
			Schedules: c.Schedules,
			WalkSteps: c.WalkSteps,
			Walks:     c.Walks,
		},
		Header:  pathfile.Header{Package: task.TestPackage(), Test: c.Name()},
		Dir:     c.folder(),
		Root:    findings,
		Replace: true,

		KeepGoing:    c.KeepGoing,
		Known:        known,
		RequireProof: c.Proof == critical.Exact,
		Respawn:      c.respawn(),
		Commands: func(file string) report.Commands {
			shown, pkg := fromUser(file)
			more := ""
			if !c.KeepGoing {
				more = "-macemc.keep-going continues the search after a violation"
			}
			return report.Commands{
				More:   more,
				Look:   "macemc mdb " + shown,
				Decide: "macemc critical " + shown,
				Replay: fmt.Sprintf("%s -run '%s' %s -macemc.replay=%s", c.tester(), task.RunPattern(c.Name()), pkg, file),
				Report: filepath.Join(filepath.Dir(shown), outfolder.ReportPage),
			}
		},
	}
}

// takesTurns reports whether some node has goroutines that need a schedule.
func (c *checking) takesTurns() bool {
	for id := range sim.NodeID(c.system.Nodes) {
		s := c.system.New(id)
		defer simext.Discard(s)
		if _, ok := s.(simext.Conditional); ok {
			return true
		}
	}
	return false
}
