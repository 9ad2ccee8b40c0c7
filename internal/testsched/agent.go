package testsched

import (
	"io"
	"os"
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Agent executes schedules for the explorer, which is another process.
type Agent struct {
	mu         sync.Mutex // held during a call
	connection *Connection
	dies       Dying
	executed   int // number of runs of the exploration
}

// NewAgent returns the agent of this process; nil means that nothing is explored, which the explorer reports. It hides the variables of the
// environment that control it.
func NewAgent() *Agent {
	fd, err := strconv.Atoi(os.Getenv(VariableAgent))
	hideEnvironment()
	if err != nil {
		return nil
	}
	stream, err := inherited(fd)
	if err != nil {
		return nil
	}
	a := &Agent{connection: Connect(stream)}
	check(a.connection.Send(&Call{What: Connects, Base: int64(reflect.ValueOf(NewAgent).Pointer())}))
	return a
}

// check ends the process if the connection fails. If the explorer has ended, that says why. os.Exit would call the agent again.
func check(err error) {
	if err == nil {
		return
	}
	if err != io.EOF && err != syscall.EPIPE && err != syscall.ECONNRESET {
		os.Stderr.WriteString(Disconnected + ", perhaps because the test closes descriptors that it has not opened: " + err.Error() + "\n")
	}
	syscall.Exit(2)
}

// Disconnected begins the line that says why a process has ended itself.
const Disconnected = "macemc: the connection to the explorer fails"

// Executor executes the schedules of a test or of a part.
type Executor interface {
	Runner
	// Weigh sets the weights of later runs with policy SURW.
	Weigh([]Weight)
	// Weights returns those of the runs that have changed since the last call.
	Weights() []Weight
	// Effects reports whether the process has changed files that other processes may use.
	Effects() bool
}

// Explore asks the explorer for schedules, executes them, and returns what to do about the test.
func (a *Agent) Explore(call *Call, whole Executor) *Verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	call.Processor = program.ProcessorTime()
	check(a.connection.Send(call))
	parts := map[string]Executor{"": whole}
	for {
		var q Request
		check(a.connection.Receive(&q))
		if q.What == Concludes {
			return &q.Verdict
		}
		if parts[q.Part] == nil {
			parts[q.Part] = whole.Part(q.Part).(Executor)
		}
		r := a.respond(&q, parts[q.Part])
		r.Processor = program.ProcessorTime()
		check(a.connection.Send(r))
	}
}

// Bounds of the runs of one request: the number of scheduling points, and the time for runs that have few of them.
const (
	batchPoints = 20_000
	batchTime   = 50 * time.Millisecond
)

// respond executes a request.
func (a *Agent) respond(q *Request, runner Executor) *Response {
	r := &Response{}
	switch q.What {
	case Run:
		a.dies, a.executed = q.Dies, q.Executed
		if q.Debugged {
			repeats = q.Repeats
			runBegins()
		}
		if len(q.Weights) > 0 {
			runner.Weigh(q.Weights)
		}
		points, begun := uint64(0), time.Now()
		for i, s := range q.Schedules {
			a.executed = q.Executed + i
			o := runner.Run(s, q.Traced)
			r.Outcomes = append(r.Outcomes, o)
			if points += o.Points; o.Kind != Passed || len(o.Left) > 0 || points > batchPoints || time.Since(begun) > batchTime {
				break
			}
			o.keep()
		}
		r.Weights, r.Effects = runner.Weights(), runner.Effects()
	case Changed:
		r.Names = runner.Changed()
	case Located:
		for _, at := range q.Places {
			r.Names = append(r.Names, Frames([]uintptr{at}).Where())
		}
	case Subtests:
		r.Subtests = runner.Subtests()
	case Specs:
		r.Names = []string{runner.Specs()}
	case Select:
		runner.Select(q.Only, q.Without, q.Shown)
	}
	return r
}

// TimesOut returns the report about a test that -timeout ends.
func (a *Agent) TimesOut(test string) string {
	if !a.mu.TryLock() {
		return "" // an exploration does not end, and the test waits for it
	}
	defer a.mu.Unlock()
	var q Request
	if a.connection.Send(&Call{What: TimesOut, Unit: Unit{Test: test}}) != nil || a.connection.Receive(&q) != nil {
		return ""
	}
	return q.Verdict.Finding
}

// Continue makes the next stage follow when this process has ended with a status.
func (a *Agent) Continue(call *Call) { check(a.connection.Send(call)) }

// Died returns the line that precedes the message of a panic of a goroutine outside the test, which ends the process.
func (a *Agent) Died() string {
	if a.dies.After == "" {
		return a.dies.Before + "\n"
	}
	return a.dies.Before + strconv.Itoa(a.executed) + a.dies.After + "\n"
}

// DebugAgain is the exit status of the debugger that asks for a new process of the test, with a new debugger.
const DebugAgain = 75

// repeats reports to the debugger whether the latest run had the outcome of the first one.
var repeats bool

// runBegins is where the debugger stops before each run.
//
//go:noinline
func runBegins() bool { return repeats }
