package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/search"
)

// Supervisor runs a search in another process, so that checked code that kills its process cannot prevent the report.
// The zero value of each field but Respawn, Stdout and Stderr is its default.
type Supervisor struct {
	// Respawn makes a command that starts this program again with the same task.
	Respawn        func() *exec.Cmd
	Stdout, Stderr io.Writer // of the other process
	Workers        int       // of the search; 0 means 1
	// Progress, if non-nil, is called at intervals while the other process searches.
	Progress func(search.Progress)
	// HandlerLimit is as in [search.Config].
	HandlerLimit time.Duration
	// Kill, if non-nil, ends the search at once when it is closed.
	Kill <-chan struct{}
	// StopLimit is how long the other process may continue after a stop request. Then it is killed, because
	// unsupervised checked code, such as a custom network, may not return. 0 means two minutes, or ten times
	// HandlerLimit if that is more.
	StopLimit time.Duration
}

// Outcome is the result of a search process.
type Outcome struct {
	Status   int    // its exit status if it ended normally
	Death    *Death // how checked code killed it otherwise
	Progress search.Progress
	Found    []string        // folders of its earlier findings with KeepGoing
	Suspect  *PendingSuspect // its suspect under examination when it died; nil means none
}

// ErrKilled is the error of a search that was killed on request.
var ErrKilled = errors.New("the search was killed")

// ErrLost is the error of a search process that died without leaving a run that reproduces the death.
var ErrLost = errors.New("the search process died, and no run that it left reproduces this")

// LostError is ErrLost with the known facts of the death.
type LostError struct {
	How    string        // it died
	Memory bool          // it ran out of memory
	fault  *defect.Error // of the checker; nil means that none is known
	call   call          // the call of checked code in progress; 0 means that none is known
	// offHandler means that it may have died on a goroutine that a handler had started, during another call.
	offHandler    bool
	duringCall    call
	byCheckedCode bool // checked code ended it
	ranSingly     bool // it made its runs one at a time, and waited for goroutines of handlers
	// LastSteps are those of the runs in progress, if checked code ended the process.
	LastSteps []*Death
}

func (e *LostError) Error() string {
	if e.fault != nil {
		return e.fault.Error()
	}
	return fmt.Sprintf("%v: %s", ErrLost, e.How)
}

func (e *LostError) Unwrap() []error {
	if e.fault != nil {
		return []error{ErrLost, e.fault}
	}
	return []error{ErrLost}
}

// call is the number of a call of checked code, see Calls of package internal/table/options.
type call uint64

// isHandler reports whether the call is of a handler or monitor. Checks of properties and comparisons have odd numbers.
func (c call) isHandler() bool { return c&1 == 0 }

// mostSkipped is the maximum number of skipped calls.
const mostSkipped = 8

// Run starts the other process and waits for it. When ctx is done, Run asks that process to stop and report. The
// error is [ErrUnresponsive] if the process does not stop, on request (see StopLimit) or at [budget.LastLimit].
//
// If checked code ends the process in a recorded call, another process searches again, and stops at that call instead
// of making it, which reveals the path to it (see Calls of package internal/table/options). After a death on a
// goroutine that a handler had started, steps wait for such goroutines. The second search may not reach the call,
// because reductions try steps that may be impossible.
//
// If the process dies and no run in progress does so again, the death is a nondeterminism, unless its cause may be
// outside the checked code.
func (s *Supervisor) Run(ctx context.Context) (Outcome, error) {
	out, err := s.run(ctx)
	lost, ok := errors.AsType[*LostError](err)
	if ok && lost.byCheckedCode && len(lost.LastSteps) > 0 && (out.Suspect == nil || out.Suspect.Status == report.Suspected) {
		out.Death, err = lost.LastSteps[0], nil
		out.Death.BecomeNondeterminism(lost.How, lost.ranSingly && len(lost.LastSteps) == 1)
	}
	return out, err
}

func (s *Supervisor) run(ctx context.Context) (Outcome, error) {
	var before earlier
	out, unexplained, err := s.search(ctx, &before)
	for unexplained != nil && (unexplained.call != 0 || unexplained.offHandler && !before.Settle) {
		before.Settle = before.Settle || unexplained.offHandler
		if before.Died = ""; unexplained.call != 0 {
			before.skip(unexplained.call, unexplained)
		}
		if before.late() {
			unexplained.How += "; the time limit is too short to search again for the run that kills it"
			return out, unexplained
		}
		fmt.Fprintf(s.Stderr, "macemc: the search process died (%s); searching again for the run that kills it\n", unexplained.How)
		if before.Folder = ""; out.Suspect != nil {
			before.Folder = out.Suspect.Folder
		}
		again, next, e := s.search(ctx, &before)
		if next != nil && next.call == 0 && unexplained.duringCall != 0 { // it did not die again, so the path is not known yet
			before.skip(unexplained.duringCall, unexplained)
			again, next, e = s.search(ctx, &before)
		}
		if next != nil && (next.call == 0 || len(before.Skipped) == mostSkipped || slices.Contains(before.Skipped, uint64(next.call))) {
			out.Suspect = cmp.Or(again.Suspect, out.Suspect)
			if len(next.LastSteps) > 0 {
				unexplained = next
			}
			return out, unexplained
		}
		out, unexplained, err = again, next, e
	}
	if len(before.Skipped) > 0 && err == nil && out.Status == exitcode.OK {
		fmt.Fprintln(s.Stderr, "macemc: no run that was searched makes that call: reductions also try states that may be impossible, "+
			"and a Sometimes property is evaluated only until it holds")
	}
	return out, err
}

// earlier collects the data of search processes that died.
type earlier struct {
	Skipped []uint64      // the calls that ended them
	Died    string        // how the last of these calls ended its process
	Own     bool          // checked code ended the processes of all of these calls, as far as is known
	Surely  bool          // no goroutine of an earlier step was left that may have ended one instead
	Settle  bool          // one ended on a goroutine that a handler had started
	Folder  string        // of the suspect that the last one was examining
	Spent   time.Duration // by all of these processes
	limit   time.Duration // of the search; 0 means none
}

// leastAgain is the shortest time limit of a search that repeats another one.
const leastAgain = time.Second

// late reports whether too little time is left for another search.
func (e *earlier) late() bool {
	return e.limit > 0 && timeLeft(e.limit, e.Spent) < min(e.limit, leastAgain)
}

// skip adds a call that ended a process as lost describes.
func (e *earlier) skip(c call, lost *LostError) {
	first := len(e.Skipped) == 0
	e.Own, e.Surely = lost.byCheckedCode && (e.Own || first), lost.ranSingly && (e.Surely || first)
	e.Skipped, e.Died = append(e.Skipped, uint64(c)), lost.How
}

// search is Run for one process. If that process died and left no run that reproduces it, unexplained describes the death.
func (s *Supervisor) search(ctx context.Context, before *earlier) (out Outcome, unexplained *LostError, err error) {
	temp, err := temporary()
	if err != nil {
		return Outcome{}, nil, err
	}
	defer temp.Remove()
	file := filepath.Join(temp.Path, "flight")
	rec, err := flight.Create(file, 2*max(s.Workers, 1), flight.Picks)
	if err != nil {
		return Outcome{}, nil, err
	}

	output := &words{to: s.Stderr}
	cmd := s.Respawn()
	if err := assign(cmd, searching, file, *before); err != nil {
		return Outcome{}, nil, err
	}
	cmd.Stdout, cmd.Stderr = s.Stdout, output
	start := time.Now()
	p, err := child.Start(cmd)
	if err != nil {
		return Outcome{}, nil, fmt.Errorf("cannot start a process for the search: %w", err)
	}
	stop := cmp.Or(s.StopLimit, max(defaultStopLimit, ConfirmLimit(s.HandlerLimit)))
	overdue := overrun{pid: cmd.Process.Pid, spent: before.Spent, stop: stop}
	unresponsive := s.wait(ctx, p, rec, start, &overdue)
	before.limit = max(0, time.Duration(rec.Get(flight.Limited)))
	if overdue.clock != nil {
		before.Spent += overdue.clock.spent
	}

	out = Outcome{Progress: progressOf(rec, start)}
	if out.Found, err = quotedLines(Beside(file, foundFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, nil, err
	}
	if out.Suspect, err = readJSON[PendingSuspect](Beside(file, suspectNote)); err != nil {
		return out, nil, err
	}
	if status, ok := rec.Ended(); ok {
		out.Status = status
		return out, nil, nil
	}
	s.outline(out.Suspect)
	if unresponsive != nil {
		return out, nil, unresponsive
	}
	select {
	case <-s.Kill:
		return out, nil, ErrKilled
	default:
	}
	if rec.Get(flight.Resigned) != 0 {
		unexplained = &LostError{How: "it did not die again"}
		return out, unexplained, unexplained
	}
	how := &Death{}
	how.classify(cmd.ProcessState, output.head.String(), rec.Get(flight.Memory))
	// A handler need not be the cause: the tables of the search take memory, too.
	unexplained = &LostError{How: strings.Replace(how.Message, how.subject(), "it", 1), call: call(rec.Get(flight.Called)), Memory: how.memory,
		fault: defect.Died(output.head.String())}
	unexplained.ranSingly = before.Settle
	unexplained.byCheckedCode = how.signal == "" && !unexplained.Memory && unexplained.fault == nil && !diedInRuntime(output.head.String())
	if how.signal != "" {
		unexplained.How += "; the signal may have come from outside"
	}
	if !before.Settle && !unexplained.Memory && unexplained.fault == nil && how.signal == "" &&
		diedOffHandler(output.head.String(), unexplained.call) {
		// The call in progress need not be the one that started the goroutine.
		unexplained.call, unexplained.offHandler, unexplained.duringCall = 0, true, unexplained.call
	}
	if unexplained.call != 0 {
		return out, unexplained, nil
	}
	// A stop request does not prevent the report of a death; Kill does.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-s.Kill:
			cancel()
		case <-ctx.Done():
		}
	}()
	out.Death, unexplained.LastSteps, err = s.investigate(ctx, rec)
	if how.signal != "" || unexplained.Memory || unexplained.fault != nil {
		unexplained.LastSteps = nil // they need not be the cause
	}
	switch {
	case ctx.Err() != nil:
		err = ErrKilled
	case err == nil && out.Death == nil:
		return out, unexplained, unexplained
	}
	return out, nil, err
}

// wait returns when the process has ended. The error means that it was killed here because it did not stop.
func (s *Supervisor) wait(ctx context.Context, p *child.Process, rec *flight.Recorder, start time.Time, overdue *overrun) error {
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	stop := ctx.Done()
	for {
		select {
		case <-p.Ended:
			return nil
		case <-s.Kill:
			p.Kill()
			return nil
		case <-stop:
			io.WriteString(p.Orders, exitcode.StopWord(context.Cause(ctx))+"\n")
			stop = nil
			overdue.told = true
		case <-tick.C:
			if err := overdue.look(rec); err != nil {
				p.Kill()
				return err
			}
			if s.Progress != nil {
				s.Progress(progressOf(rec, start))
			}
		}
	}
}

func progressOf(rec *flight.Recorder, start time.Time) search.Progress {
	return search.Progress{
		Elapsed: time.Since(start),
		Depth:   rec.Get(flight.Depth),
		Paths:   rec.Get(flight.Paths),
		States:  rec.Get(flight.States),
		Events:  rec.Get(flight.Events),
		Waiting: rec.Get(flight.Waiting),
		Phase:   rec.Phase(),
	}
}

// ReportProgress passes p to the supervisor.
func ReportProgress(rec *flight.Recorder, p search.Progress) {
	rec.Set(flight.Depth, p.Depth)
	rec.Set(flight.Paths, p.Paths)
	rec.Set(flight.States, p.States)
	rec.Set(flight.Events, p.Events)
	rec.Set(flight.Waiting, p.Waiting)
	rec.SetPhase(p.Phase)
}

// words forwards the output of a process up to its last words, which it only keeps.
type words struct {
	to   io.Writer
	mu   sync.Mutex
	last bool
	head head
}

var dying = regexp.MustCompile(`(?m)^(runtime: |fatal error: |panic: |SIG[A-Z]+: |` + simext.ProgramExits + `)`)

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := p
	if !w.last {
		at := dying.FindIndex(p)
		if at == nil {
			return w.to.Write(p)
		}
		w.last = true
		w.to.Write(p[:at[0]])
		rest = p[at[0]:]
	}
	w.head.Write(rest)
	return len(p), nil
}

// diedInRuntime reports whether, by its output, a process died of an error of the Go runtime outside handlers, which
// need not be due to checked code.
func diedInRuntime(output string) bool {
	all := stacks.Read(output)
	return strings.HasPrefix(lastWords.FindString(output), "fatal error: ") && (len(all) == 0 || !all[0].Calls(kernel.HandlerCaller))
}

// diedOffHandler reports whether, by its output, a process may have died on a goroutine that a handler had started, and
// thus after the handler's step. A process that left no stack has exited. If the call in progress is not a handler's,
// the call may have done that itself.
func diedOffHandler(output string, c call) bool {
	all := stacks.Read(output)
	return len(all) == 0 && c.isHandler() || len(all) > 0 && all[0].Creator.Function != "" && !all[0].Calls(kernel.HandlerCaller)
}
