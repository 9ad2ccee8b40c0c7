package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/search"
)

// Supervisor lets another process search, so that checked code which kills its process cannot take
// the report away. The zero value of each field but Respawn, Stdout and Stderr is a default.
type Supervisor struct {
	// Respawn makes a command that starts this program again to do the same.
	Respawn        func() *exec.Cmd
	Stdout, Stderr io.Writer // of the other process
	Workers        int       // of the search; 0: 1
	// Progress is called now and then while the other process searches. May be nil.
	Progress func(search.Progress)
	// HandlerLimit is as in [search.Config].
	HandlerLimit time.Duration
	// Kill ends the search at once when it is closed. May be nil.
	Kill <-chan struct{}
	// StopLimit is how long the other process may go on once it was told to stop, or once the time limit of its search is over, while it
	// does nothing that is not limited by that; then it is ended: checked code that nobody watches, as a network of one's own is, does not
	// return. 0: two minutes, or ten times HandlerLimit if that is more.
	StopLimit time.Duration
}

// Outcome is what became of the process that searched.
type Outcome struct {
	Status   int    // its exit status, when it came to its own end
	Death    *Death // how checked code killed it otherwise
	Progress search.Progress
	Found    []string // folders of what it found before, when it kept going
	Suspect  *InHand  // what it had in hand when it died; nil means nothing
}

// ErrKilled is the error of a search that was ended at once.
var ErrKilled = errors.New("the search was killed")

// ErrLost is the error of a search whose process died without leaving a run that shows why.
var ErrLost = errors.New("the search process died, and no run that it left reproduces this")

// ErrUnresponsive is the error of a search that was ended as it did not stop.
var ErrUnresponsive = errors.New("the search did not stop and was killed")

// UnresponsiveError is ErrUnresponsive with why it should have stopped.
type UnresponsiveError struct {
	limit, time time.Duration
	Told        bool   // to stop; else its time was over
	phase       string // that it was in
}

func (e *UnresponsiveError) Error() string {
	since := fmt.Sprintf("the time limit of %v", e.time)
	if e.Told {
		since = "the request to stop"
	}
	text := fmt.Sprintf("%v: no response within %v after %s", ErrUnresponsive, e.limit, since)
	if e.phase != "" {
		text += ", in the phase " + e.phase
	}
	return text + "; checked code or a network model may not have returned"
}

func (e *UnresponsiveError) Unwrap() error { return ErrUnresponsive }

// LostError is ErrLost with what is known of the death.
type LostError struct {
	how    string
	Memory bool          // there was too little of it
	fault  *defect.Error // of the checker; nil means that none is known
	call   uint64        // the call of checked code that went on; 0: none is known
	apart  bool          // it may have died on a goroutine that a handler had started
}

func (e *LostError) Error() string {
	if e.fault != nil {
		return e.fault.Error()
	}
	return fmt.Sprintf("%v: %s", ErrLost, e.how)
}

func (e *LostError) Unwrap() []error {
	if e.fault != nil {
		return []error{ErrLost, e.fault}
	}
	return []error{ErrLost}
}

// mostRefused is how many calls are refused at most.
const mostRefused = 8

// Run starts the other process and waits for it. When ctx is done that process is told to come to
// its end and to report. The error is [ErrUnresponsive] when it does not, or does not stop when its time is over, see StopLimit. When checked code ends it in a call that it has noted, another one is to search again and to refuse that call, which
// makes the way to it known. After a death on a goroutine that a handler had started, steps wait for such goroutines. But it may be that no run comes to it, as reductions try steps of which they do not know whether they can happen.
func (s *Supervisor) Run(ctx context.Context) (Outcome, error) {
	var refused []uint64
	settle := false
	out, last, err := s.search(ctx, nil, settle, "")
	for last != nil && (last.call != 0 || last.apart && !settle) {
		settle = settle || last.apart
		if last.call != 0 {
			refused = append(refused, last.call)
		}
		fmt.Fprintf(s.Stderr, "macemc: the search process died (%s); searching again for the run that kills it\n", last.how)
		folder := ""
		if out.Suspect != nil {
			folder = out.Suspect.Folder
		}
		again, next, e := s.search(ctx, refused, settle, folder)
		if next != nil && (next.call == 0 || len(refused) == mostRefused || slices.Contains(refused, next.call)) {
			return out, last
		}
		out, last, err = again, next, e
	}
	return out, err
}

// search is Run for one process, which goes on with the suspect in hand in that folder, if any. When it died and left no run, last says how.
func (s *Supervisor) search(ctx context.Context, refused []uint64, settle bool, hand string) (out Outcome, last *LostError, err error) {
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

	said := &words{to: s.Stderr}
	cmd := s.Respawn()
	assign(cmd, searching, file, refused)
	cmd.Env = append(cmd.Env, handVar+"="+hand)
	if settle {
		cmd.Env = append(cmd.Env, settleVar+"=1")
	}
	cmd.Stdout, cmd.Stderr = s.Stdout, said
	orders, err := cmd.StdinPipe()
	if err != nil {
		return Outcome{}, nil, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Outcome{}, nil, fmt.Errorf("cannot start a process for the search: %w", err)
	}
	deaf := s.wait(ctx, cmd, rec, orders, start)

	out = Outcome{Progress: progressOf(rec, start)}
	if out.Found, err = foundBefore(file); err != nil {
		return out, nil, err
	}
	if out.Suspect, err = readJSON[InHand](Beside(file, handFile)); err != nil {
		return out, nil, err
	}
	if status, ok := rec.Ended(); ok {
		out.Status = status
		return out, nil, nil
	}
	if deaf != nil {
		return out, nil, deaf
	}
	select {
	case <-s.Kill:
		return out, nil, ErrKilled
	default:
	}
	how := &Death{}
	how.classify(cmd.ProcessState, said.head.String(), rec.Get(flight.Memory))
	// It need not have been a handler: what a search remembers takes memory, too.
	last = &LostError{how: strings.Replace(how.Message, how.subject(), "it", 1), call: uint64(rec.Get(flight.Called)), Memory: how.memory,
		fault: defect.Died(said.head.String())}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !settle && !last.Memory && last.fault == nil && !(ok && status.Signaled()) && apart(said.head.String(), last.call) {
		last.call, last.apart = 0, true // the call that goes on need not be the one that started the goroutine
	}
	if last.call != 0 {
		return out, last, nil
	}
	// Being told to stop does not keep from telling what happened; being told to end at once does.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-s.Kill:
			cancel()
		case <-ctx.Done():
		}
	}()
	out.Death, err = s.investigate(ctx, rec)
	switch {
	case ctx.Err() != nil:
		err = ErrKilled
	case err == nil && out.Death == nil:
		return out, last, last
	}
	return out, nil, err
}

// waitEvery is how often is looked at what the process does.
const waitEvery = 100 * time.Millisecond

// wait returns when the process has ended. The error says that it was ended here, as it did not stop.
func (s *Supervisor) wait(ctx context.Context, cmd *exec.Cmd, rec *flight.Recorder, orders io.Writer, start time.Time) error {
	done := exit(cmd)
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	stop := ctx.Done()
	late := lateness{pid: cmd.Process.Pid, limit: cmp.Or(s.StopLimit, max(defaultStopLimit, ConfirmLimit(s.HandlerLimit)))}
	for {
		select {
		case <-done:
			return nil
		case <-s.Kill:
			cmd.Process.Kill()
			<-done
			return nil
		case <-stop:
			io.WriteString(orders, exitcode.StopWord(context.Cause(ctx))+"\n")
			stop = nil
			late.told = true
		case <-tick.C:
			if err := late.look(rec); err != nil {
				cmd.Process.Kill()
				<-done
				return err
			}
			if s.Progress != nil {
				s.Progress(progressOf(rec, start))
			}
		}
	}
}

// defaultStopLimit leaves time for what a search does that is told to stop, on a busy machine, too.
const defaultStopLimit = 2 * time.Minute

// lateness is for how long a process should have stopped. It is counted in looks, as those who look and the process may have been stopped
// together meanwhile.
type lateness struct {
	limit time.Duration
	told  bool
	pid   int
	clock *budget.Clock // of the process, since something is limited by time; nil: nothing was
	looks int
}

// look returns an error once that is too long.
func (l *lateness) look(rec *flight.Recorder) error {
	limited := time.Duration(rec.Get(flight.Limited))
	if limited > 0 && l.clock == nil {
		l.clock = budget.NewClock(l.pid)
	}
	switch {
	case l.told && rec.Phase() != Reporting: // which may wait for those who read it
	case !l.told && limited > 0 && l.clock.Elapsed() > limited:
	default:
		l.looks = 0
		return nil
	}
	if l.looks++; time.Duration(l.looks)*waitEvery < l.limit {
		return nil
	}
	return &UnresponsiveError{l.limit, limited, l.told, rec.Phase()}
}

// investigate executes what the dead process left, run by run, until one kills its process again.
func (s *Supervisor) investigate(ctx context.Context, rec *flight.Recorder) (*Death, error) {
	for run := range rec.Runs() {
		d, err := Examine(ctx, s.Respawn, rec.Left(run), ConfirmLimit(s.HandlerLimit))
		if d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// ConfirmLimit is how long a step may take in a fresh process: ten times what made it suspect.
func ConfirmLimit(handlerLimit time.Duration) time.Duration {
	if handlerLimit == 0 {
		handlerLimit = time.Second
	}
	return 10 * handlerLimit
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

// Reporting is the phase in which the process that searched prints its report: nobody else writes then.
const Reporting = "report"

// ReportProgress lets the supervisor know of p.
func ReportProgress(rec *flight.Recorder, p search.Progress) {
	rec.Set(flight.Depth, p.Depth)
	rec.Set(flight.Paths, p.Paths)
	rec.Set(flight.States, p.States)
	rec.Set(flight.Events, p.Events)
	rec.Set(flight.Waiting, p.Waiting)
	rec.SetPhase(p.Phase)
}

// words passes on what a process says, up to its last words: from then on they are only kept.
type words struct {
	to   io.Writer
	mu   sync.Mutex
	last bool
	head head
}

var dying = regexp.MustCompile(`(?m)^(runtime: |fatal error: |panic: |SIG[A-Z]+: )`)

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

// apart reports whether a process may have died, by what it wrote, on a goroutine that a handler had started, and so after the handler's
// step. Without a stack it exited, as the call may have that went on, which is odd if it is not of a handler.
func apart(said string, call uint64) bool {
	all := stacks.Read(said)
	return len(all) == 0 && call&1 == 0 || len(all) > 0 && all[0].Creator.Function != "" && !all[0].Calls(kernel.HandlerCaller)
}
