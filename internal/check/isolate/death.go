package isolate

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// Death is the end of a process caused by the checked code that it executed.
type Death struct {
	Before choose.Path     // all steps before the fatal one
	Steps  int             // number of the fatal step; 0 means the first boots
	Index  int             // of its event
	Picks  []pathfile.Pick // its answers until the process ended

	// Finding has the property under evaluation, if any, and the process's output at its end as its Stack.
	sim.Finding

	inExplain bool // the Explain of Property, which does not hold, was being called

	asked  string // the called function if it is neither a handler nor a property, as a function that makes a service; else empty
	Making bool   // building the system ends the process
	memory bool   // it ran out of memory

	// Running counts goroutines that handlers had started and that were still running after their steps. If it is not
	// 0, one of them may have ended the process, in any later step, and may end another process that executes the run.
	Running    int
	LeakStep   int         // the first step that left such goroutines; 0 means the first boots
	BeforeLeak choose.Path // the steps before that step
	After      bool        // all steps had been executed
	creator    string      // the function that had started the goroutine that ended the process; empty means unknown

	described *description // nil before Describe

	outline *pathfile.File // the run without header and comments; nil means that it is not known

	hugeStacks bool // the process had large stacks, or many of them, when it was killed

	// Endless means that the process did not die of itself, but was killed because the step did not end. Waited is the
	// time limit of that step; 0 means that more time would not have helped, because the step was blocked.
	Endless bool
	Waited  time.Duration

	signal string // that ended the process, and may have come from outside; an empty string means none

	mismatch bool // another execution of the run could not be followed beyond this step
}

// Run returns the run as a path file without a header; nil means that it is not known.
func (d *Death) Run() *pathfile.File { return d.outline }

// BecomeNondeterminism turns the last step of a run that ended its process once, and does not do so again, into a finding of
// nondeterminism. how describes that end. surely reports that the process ended in this step.
func (d *Death) BecomeNondeterminism(how string, surely bool) {
	again := "does not end its process"
	if d.mismatch {
		again = fmt.Sprintf("cannot be followed beyond step %d", max(0, d.Steps-1))
	}
	step := "is the first that differs"
	if !surely {
		step = "had begun then; the process may have ended in another run in progress, or in a goroutine"
	}
	d.Kind, d.Property, d.Running = sim.Nondeterminism, "", 0
	d.Message = fmt.Sprintf("%s (%s) was found but does not recur: executed again, the run %s; step %d of the original run %s",
		sim.Panic, how, again, d.Steps, step)
}

// compare turns a death into a finding of nondeterminism if another execution of its run does not end in the same step.
// again is the death of that execution; if nil, last is its last step.
func (d *Death) compare(again, last *Death) {
	switch {
	case again == nil:
		d.mismatch = last.mismatch
		d.BecomeNondeterminism(d.Message, true)
	case again.Steps != d.Steps:
		*d, *again = *again, *d // the shorter run is known to its end, and the other one continues after it
		d.Message = fmt.Sprintf("%s (%s) was found but does not recur: executed again, the run ends in step %d: %s; "+
			"step %d of the original run is the first that differs", d.Kind, d.Message, again.Steps, again.Message, d.Steps)
		d.Kind, d.Property = sim.Nondeterminism, ""
	}
}

// subject names the function that caused the death.
func (d *Death) subject() string {
	asked := cmp.Or(d.asked, handlerSubject)
	if d.inExplain && d.Running == 0 {
		return ""
	}
	if d.Property != "" {
		asked = fmt.Sprintf("property %q", d.Property)
	}
	if d.Running > 0 {
		return d.orGoroutine(asked)
	}
	return asked
}

const handlerSubject = "the handler"

// orGoroutine names the functions that may have ended the process if goroutines of earlier handlers still ran. asked is the
// function that was being called.
func (d *Death) orGoroutine(asked string) string {
	if d.creator != "" {
		return "a goroutine started by " + d.creator
	}
	by := "a goroutine that a first boot started"
	if d.LeakStep > 0 {
		by = fmt.Sprintf("a goroutine that the handler of step %d started", d.LeakStep)
	}
	if d.After {
		return by
	}
	return asked + ", or " + by + ","
}

// Hollow returns a system that this process can describe. If building sys is fatal, all functions that build it are
// removed; otherwise the result is sys.
func (d *Death) Hollow(sys sim.System) sim.System {
	if d.Making {
		sys.New, sys.Late, sys.Monitors = func(sim.NodeID) sim.Service { return hollow{} }, nil, nil
	}
	return sys
}

// hollow replaces a service that cannot be built.
type hollow struct{ sim.Nop }

// Path returns the path of the whole run.
func (d *Death) Path() choose.Path {
	p := d.Before.Clone()
	if d.Steps > 0 {
		p = append(p, int32(d.Index))
	}
	for _, pick := range d.Picks {
		p = append(p, int32(pick.Pick))
	}
	return p
}

// Cause identifies similar deaths: by kind, property and the first words of the message.
func (d *Death) Cause() string {
	words := strings.Fields(d.Message)
	return fmt.Sprint(d.Kind, d.Property, words[:min(3, len(words))])
}

// Messages of the Go runtime for fatal errors.
var (
	stackOverflow = regexp.MustCompile(`goroutine stack exceeds|fatal error: stack overflow`)
	outOfMemory   = regexp.MustCompile(`out of memory|cannot allocate memory|failed to allocate|` + noMemory)
	lastWords     = regexp.MustCompile(`(?m)^(fatal error: .*|panic: .*|SIG[A-Z]+: .*)$`)
	// sentSignal matches a fatal signal that a process has sent, in contrast to one that a fault of the code raised. Its
	// code is SI_USER or, negative, SI_TKILL.
	sentSignal = regexp.MustCompile(`(?m)^(SIG[A-Z]+): .*\nPC=\S+ m=\S+ sigcode=(?:0|-6|18446744073709551610)\b`)
)

// signalNames are the names of signals that end a process by default.
var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGHUP: "SIGHUP", syscall.SIGILL: "SIGILL",
	syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL", syscall.SIGPIPE: "SIGPIPE", syscall.SIGQUIT: "SIGQUIT", syscall.SIGSEGV: "SIGSEGV",
	syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP",
}

// SignalOf returns the name of the signal that ended a process and may have come from outside, according to its state
// and its standard error. An empty string means none.
func SignalOf(state *os.ProcessState, said string) string {
	if m := sentSignal.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return ""
	}
	return cmp.Or(signalNames[status.Signal()], "signal: "+status.Signal().String())
}

// noMemory matches the death of the garbage collector of Go 1.26 if its own allocation fails: (*spanQueue).tryDrain
// and similar functions use the allocated memory without a nil check, on the stack of the runtime.
const noMemory = `SIGSEGV: [^\n]*\nPC=[^\n]* addr=0x0\n\ngoroutine 0 [^\n]*\nruntime\.`

// classify sets the cause of death from a process's exit status, its standard error and its memory limit, see
// [flight.Memory].
func (d *Death) classify(state *os.ProcessState, said string, memory int) {
	d.Stack, d.signal = said, SignalOf(state, said)
	words := lastWords.FindString(said)
	if value, ok := stacks.RaisedAgain(said); ok {
		words = "panic: " + value
	}
	switch {
	case stackOverflow.MatchString(said):
		d.Kind, d.Message = sim.Divergence, d.subject()+" overflows the stack"
	case outOfMemory.MatchString(said):
		d.Kind, d.Message, d.memory = sim.Divergence, d.subject()+" exhausts the memory", true
		if memory > 0 { // which may be small because of other processes
			d.Message += fmt.Sprintf(": more than %d MB, three quarters of what was available when its process began", memory>>20)
		}
	case d.signal == signalNames[syscall.SIGKILL]: // by the code, another process, or the kernel for lack of memory
		d.Kind, d.Message = sim.Panic, d.subject()+" is killed by SIGKILL"+used(state, memory)
	case d.signal != "":
		d.Kind, d.Message = sim.Panic, d.subject()+" is killed by "+d.signal
	case words != "":
		d.Kind, d.Message = sim.Panic, d.subject()+" kills the process: "+words
	default:
		d.Kind, d.Message = sim.Panic, fmt.Sprintf("%s ends the process with exit status %d", d.subject(), state.ExitCode())
	}
	d.explained()
}

// explained makes a death in an Explain the violation that it explains.
func (d *Death) explained() {
	if d.inExplain && d.Running == 0 {
		d.Kind, d.Message, d.Endless = sim.Safety, properties.Unexplained(strings.TrimSpace(d.Message)), false
	}
}

// used describes the known memory of a process: its peak resident size and its limit.
func used(state *os.ProcessState, limit int) string {
	var parts []string
	if peak := peakMemory(state); peak > 0 {
		parts = append(parts, fmt.Sprintf("peak resident size %d MB", peak>>20))
	}
	if limit > 0 {
		parts = append(parts, fmt.Sprintf("limit %d MB", limit>>20))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// diverges records that the step was still running after limit, with that stack. remark ends the message.
func (d *Death) diverges(limit time.Duration, stack, remark string) {
	d.Stack, d.Endless = stack, true
	d.Kind, d.Message = sim.Divergence, fmt.Sprintf("%s did not return within %v", d.subject(), limit.Round(time.Millisecond))
	if at := askedAt(d.Stack); at != "" && d.subject() != handlerSubject {
		d.Message += " (" + replay.NewPlaces().Short(at) + ")"
	}
	d.Message += remark
	d.explained()
}

// head is a writer that keeps the beginning of its input. The first output of a dying process matters; a stack
// overflow prints thousands of lines.
type head struct {
	mu   sync.Mutex
	text strings.Builder
}

const headLimit = 8 << 10

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(p[:min(len(p), headLimit-h.text.Len())])
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}
