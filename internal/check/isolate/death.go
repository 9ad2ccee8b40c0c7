package isolate

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/sim"
)

// Death is the end of a process caused by the checked code that it executed.
type Death struct {
	Before  choose.Path       // all steps before the fatal one
	Steps   int               // number of the fatal step; 0 means the first boots
	Index   int               // of its event
	Picks   []choose.FilePick // its answers until the process ended
	Kind    sim.FindingKind
	Message string
	Stack   string // the process's output at its end

	// Property names the property under evaluation; an empty string means none.
	Property string

	asked  string // the called function if it is neither a handler nor a property; else empty
	Making bool   // building the system ends the process
	memory bool   // it ran out of memory

	// Running counts goroutines that handlers of earlier steps had started and that were still running after their
	// steps. If it is not 0, one of them may have ended the process, in any later step, and may end another process that
	// executes the run.
	Running int

	outline *choose.File // the run without header and comments; nil means that it is not known

	// Endless means that the process did not die of itself, but was killed because the step did not end.
	Endless bool
}

// subject names the function that caused the death.
func (d *Death) subject() string {
	if d.Property != "" {
		return fmt.Sprintf("property %q", d.Property)
	}
	if d.Running > 0 {
		return "the handler, or a goroutine that an earlier handler started,"
	}
	return cmp.Or(d.asked, handlerSubject)
}

const handlerSubject = "the handler"

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

// step describes the fatal step, which cannot be executed. The first boots have no such step.
func (d *Death) step(sys *sim.System) (replay.TraceStep, error) {
	c, err := replay.NewCursor(sys, d.Before, kernel.Options{Trace: true})
	if err != nil {
		return replay.TraceStep{}, err
	}
	if err := c.To(d.Steps - 1); err != nil {
		return replay.TraceStep{}, err
	}
	w := c.World()
	events := EventsOf(w)
	if d.Index >= len(events) {
		return replay.TraceStep{}, fmt.Errorf("step %d: no event %d is enabled", d.Steps, d.Index)
	}
	ev := events[d.Index]
	label := w.Label(ev)
	s := replay.TraceStep{
		Number: d.Steps, Index: d.Index, Enabled: len(w.Enabled()), Event: ev,
		Kind: ev.Kind.String(), Node: int(ev.Node), Peer: int(ev.Peer), Key: label.String(), What: replay.What(&label),
	}
	for _, p := range d.Picks {
		s.Choices = append(s.Choices, stepinfo.Answer{Kind: p.Kind, Label: p.Label, Pick: p.Pick})
	}
	return s, nil
}

// Script returns the run in the form for shrinking.
func (d *Death) Script(sys *sim.System) (shrink.Script, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return shrink.Script{}, err
	}
	p := &shrink.Player{Run: replay.NewRun(w)}
	before, err := p.Follow(d.Before)
	if err != nil {
		return shrink.Script{}, err
	}
	last, ok := p.Event(d.Index)
	if !ok || before.Finding != nil {
		return shrink.Script{}, fmt.Errorf("step %d: no event %d is enabled", d.Steps, d.Index)
	}
	s := before.Script
	last.Picks = d.Picks
	s.Steps = append(s.Steps, last)
	return s, nil
}

// Cause identifies similar deaths: by kind, property and the first words of the message.
func (d *Death) Cause() string {
	words := strings.Fields(d.Message)
	return fmt.Sprint(d.Kind, d.Property, words[:min(3, len(words))])
}

// complete adds the fatal step to the trace of the steps before it.
func (d *Death) complete(sys *sim.System, t *replay.Trace) error {
	t.Finding, t.FoundAt = &sim.Finding{Kind: d.Kind, Property: d.Property, Message: d.Message, Node: -1, Stack: d.Stack}, d.Steps
	if d.Steps == 0 {
		return nil
	}
	s, err := d.step(sys)
	if err != nil {
		return err
	}
	t.Finding.Node = sim.NodeID(s.Node)
	before := &t.Boot
	if n := len(t.Steps); n > 0 {
		before = &t.Steps[n-1]
	}
	s.Live, s.Failing = before.Live, before.Failing // there is no state after it
	t.Steps = append(t.Steps, s)
	return nil
}

// Trace describes the run. near is as in [replay.RecordNear].
func (d *Death) Trace(sys *sim.System, near func(step int) bool) (*replay.Trace, error) {
	if d.Steps == 0 { // not even the first state can be reached
		t := &replay.Trace{System: sys.Name, Nodes: sys.Nodes}
		return t, d.complete(sys, t)
	}
	t, err := replay.RecordNear(sys, d.Before, kernel.Options{Trace: true}, near)
	if err != nil {
		return nil, err
	}
	return t, d.complete(sys, t)
}

// File returns the run as a path file.
func (d *Death) File(sys *sim.System, h choose.Header) (*choose.File, error) {
	if d.Steps == 0 {
		return &choose.File{Header: replay.HeaderOf(sys, h), Boot: d.Picks}, nil
	}
	f, err := replay.WriteFile(sys, h, d.Before)
	if err != nil {
		return nil, err
	}
	s, err := d.step(sys)
	if err != nil {
		return nil, err
	}
	f.Steps = append(f.Steps, choose.FileStep{Index: d.Index, Key: s.Key, Picks: d.Picks, Comment: d.Message})
	return f, nil
}

// Messages of the Go runtime for fatal errors.
var (
	stackOverflow = regexp.MustCompile(`goroutine stack exceeds|fatal error: stack overflow`)
	outOfMemory   = regexp.MustCompile(`out of memory|cannot allocate memory|failed to allocate|` + noMemory)
	lastWords     = regexp.MustCompile(`(?m)^(fatal error: .*|panic: .*)$`)
)

// noMemory matches the death of the garbage collector of Go 1.26 if its own allocation fails: (*spanQueue).tryDrain
// and similar functions use the allocated memory without a nil check, on the stack of the runtime.
const noMemory = `SIGSEGV: [^\n]*\nPC=[^\n]* addr=0x0\n\ngoroutine 0 [^\n]*\nruntime\.`

// classify sets the cause of death from a process's exit status, its standard error and its memory limit, see
// [flight.Memory].
func (d *Death) classify(state *os.ProcessState, said string, memory int) {
	d.Stack = said
	status, _ := state.Sys().(syscall.WaitStatus)
	words := lastWords.FindString(said)
	switch {
	case stackOverflow.MatchString(said):
		d.Kind, d.Message = sim.Divergence, d.subject()+" overflows the stack"
	case outOfMemory.MatchString(said):
		d.Kind, d.Message, d.memory = sim.Divergence, d.subject()+" exhausts the memory", true
		if memory > 0 { // which may be small because of other processes
			d.Message += fmt.Sprintf(": more than %d MB, three quarters of what was available when its process began", memory>>20)
		}
	case words != "":
		d.Kind, d.Message = sim.Panic, d.subject()+" kills the process: "+words
	case status.Signaled() && status.Signal() == syscall.SIGKILL: // by the code, another process, or the kernel for lack of memory
		d.Kind, d.Message = sim.Panic, d.subject()+" is killed by SIGKILL"+used(state, memory)
	case status.Signaled():
		d.Kind, d.Message = sim.Panic, d.subject()+" kills the process: "+status.Signal().String()
	default:
		d.Kind, d.Message = sim.Panic, fmt.Sprintf("%s ends the process with exit status %d", d.subject(), state.ExitCode())
	}
}

// used describes the memory of a process, as far as known: its peak resident size and its limit.
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

// diverges records that the step was still running after limit, with that stack.
func (d *Death) diverges(limit time.Duration, stack string) {
	d.Stack, d.Endless = stack, true
	d.Kind, d.Message = sim.Divergence, fmt.Sprintf("%s did not return within %v", d.subject(), limit.Round(time.Millisecond))
	if at := askedAt(d.Stack); at != "" && d.subject() != handlerSubject {
		d.Message += " (" + replay.NewPlaces().Short(at) + ")"
	}
}

// exit waits for cmd in the background.
func exit(cmd *exec.Cmd) <-chan error {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	return done
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

func EventsOf(w kernel.World) []sim.Event {
	return w.Injections(slices.Clone(w.Enabled()))
}
