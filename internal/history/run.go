package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Run is an executed path with a current position. It has the fields of executed and of recorded runs, which users see
// alike.
type Run struct {
	Name     string
	Nodes    int
	File     string // empty if the run does not come from a file
	Cursor   *replay.Cursor
	Whole    *replay.Trace // recorded trace of a run that cannot be executed; nil means that Cursor executes the run
	first    Step          // the first state
	boot     int           // number of answers in the first boots
	steps    []Step
	Finding  *sim.Finding // finding of the last step, which ends the run; nil means none
	violated *sim.Finding // finding of the first state that violates a property; nil means none
	brokenAt int          // step that led to that state
	At       int          // current step; 0 means the first state
	Critical int          // critical step; 0 means unknown
	Round    int          // number of last steps that form an infinite cycle; 0 means unknown
	From     *Run         // run from which this one branches; nil means none
	Common   int          // number of steps shared with From
	Why      string       // evidence for the critical step; empty if unknown
	Saved    bool
	Words    *replay.Words

	drawn   *eventgraph.Graph  // graph of Whole, once requested
	States  [][]GoroutineState // states of Whole, by goroutine
	causes  causes
	windows []window // cached traces of parts of the run, most recently used first
}

// Step is the record of one step. There is one for each step of a run.
type Step struct {
	Key     string
	Ev      netmodel.Event
	text    string       // for display
	refused bool         // whether it is the error of a connection that the peer refused
	With    []sim.NodeID // nodes that failed with the node of the event
	Picks   int32        // number of answers
	Cause   int32        // step that caused it, see causes
	Live    bool
	Failing uint64 // indexes of properties that do not hold after it, as bits; indexes from 64 on are not stored
}

// nodes returns the node of the event, which is negative if there is none, and the nodes that failed with it. The step changes no other
// node.
func (s *Step) nodes() []sim.NodeID { return append([]sim.NodeID{s.Ev.Node}, s.With...) }

// InRound reports whether a step is part of the infinite cycle.
func (r *Run) InRound(n int) bool { return n > r.Len()-r.Round }

// ComesRound reports whether the last n steps form a cycle.
func (r *Run) ComesRound(n int) bool {
	if n > r.Len() || r.Cursor.To(r.Len()-n) != nil {
		return false
	}
	before := r.Cursor.World().Fingerprint()
	return r.Cursor.To(r.Len()) == nil && r.Cursor.World().Fingerprint() == before
}

func (s *Step) String() string { return s.text }

type window struct {
	first int // number of its first step
	trace *replay.Trace
}

const (
	WindowSteps = 64
	mostWindows = 8
)

// New executes a path and returns its run.
func New(sys *sim.System, name string, path choose.Path) (*Run, error) {
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	r := &Run{Name: name, Nodes: sys.Nodes, Cursor: c}
	if err = r.ended(err); err != nil {
		return nil, err
	}
	if r.Words, err = replay.NewWords(sys); err != nil {
		return nil, err
	}
	c.Keep()
	r.boot = c.Pos()
	r.causes.init(sys.Nodes)
	r.first = Step{Key: "all nodes boot"}
	r.evaluateProperties(&r.first, 0)
	return r, r.readOn()
}

// FirstBoots returns the path of the first state, with answer 0 to each question of the first boots.
func FirstBoots(sys *sim.System) (choose.Path, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	run := replay.NewRun(w)
	_ = run.Start(choose.SourceFunc(func(choose.Point) int { return 0 })) // New records a finding
	return append(choose.Path{}, run.Path...), nil
}

// ended records a finding and returns other errors.
func (r *Run) ended(err error) error {
	if err == nil {
		return nil
	}
	if f := (*sim.Finding)(nil); errors.As(err, &f) {
		r.Finding = f
		return nil
	}
	return err
}

// readOn executes the rest of the path after the known steps.
func (r *Run) readOn() error {
	r.steps = slices.Grow(r.steps, len(r.Cursor.Path())-r.Cursor.Pos()) // each step has at least one answer
	for !r.Cursor.AtEnd() {
		_, ev, err := r.Cursor.Peek()
		if err != nil {
			return err
		}
		r.recordBefore(ev)
		if err := r.ended(r.Cursor.Next()); err != nil {
			return err
		}
		r.recordAfter()
	}
	return nil
}

// recordBefore records the data of a step that is available only before its execution.
func (r *Run) recordBefore(ev netmodel.Event) {
	w := r.Cursor.World()
	label := w.Label(ev)
	s := Step{Key: label.String(), Ev: ev, text: r.Words.Describe(w, ev), Picks: -int32(r.Cursor.Pos()) - 1}
	s.refused = ev.Kind == eventkind.DeliverError && label.Content == sim.ErrRefused.Error()
	s.Cause = r.causes.cause(r.Cursor, &s)
	r.steps = append(r.steps, s)
}

// recordAfter completes the record of the step that was executed last.
func (r *Run) recordAfter() {
	n := len(r.steps)
	s := &r.steps[n-1]
	s.Picks += int32(r.Cursor.Pos())
	s.With = slices.Clone(r.Cursor.World().Last().With)
	r.evaluateProperties(s, n)
	r.causes.follow(r.Cursor.World(), s, n)
}

// evaluateProperties evaluates the properties in the state after step n.
func (r *Run) evaluateProperties(s *Step, n int) {
	w := r.Cursor.World()
	failing, found := replay.Evaluate(w)
	if r.violated == nil && found != nil {
		r.violated, r.brokenAt = found, n
	}
	s.Live = true
	for _, i := range failing {
		s.Failing |= 1 << i // 0 for indexes from 64 on
		s.Live = s.Live && w.System().Properties[i].Eventually == nil
	}
}

// Found returns the finding of step n, or of the state after it if it is the first violating state. nil means none.
func (r *Run) Found(n int) *sim.Finding {
	switch {
	case n == r.Len() && r.Finding != nil:
		return r.Finding
	case n == r.brokenAt:
		return r.violated
	}
	return nil
}

// Violation describes a finding in one line: "SAFETY VIOLATION: one leader: n0 and n1 lead".
func Violation(f *sim.Finding) string {
	text := strings.ToUpper(string(f.Kind))
	if f.Kind == sim.Safety || f.Kind == sim.Liveness {
		text += " VIOLATION"
	}
	if f.Property != "" {
		text += ": " + f.Property
	}
	if f.Message != "" && f.Message != properties.DoesNotHold {
		text += ": " + textfmt.FirstLine(f.Message)
	}
	return text
}

// FirstFound returns the first finding of the run and its step; nil means none.
func (r *Run) FirstFound() (*sim.Finding, int) {
	if r.violated != nil {
		return r.violated, r.brokenAt
	}
	return r.Finding, r.Len()
}

// Unsaved reports whether the run is a branch that the end of the session drops.
func (r *Run) Unsaved() bool { return r.From != nil && !r.Saved && r.Name != "live" }

// InCode reports whether a step is one of a system, or of a test in code outside the standard library.
func (r *Run) InCode(n int) bool {
	return r.Whole == nil || strings.Contains(r.Whole.Steps[n-1].Source, ":")
}

// Summary describes the length of a run, its origin and its end.
func (r *Run) Summary() string {
	text := fmt.Sprintf("%d steps, at step %d", r.Len(), r.At)
	if r.From != nil {
		text += fmt.Sprintf(", branched from %s at step %d", r.From.Name, r.Common)
	}
	if r.Critical > 0 {
		text += fmt.Sprintf(", critical step %d", r.Critical)
	}
	switch f, _ := r.FirstFound(); {
	case f != nil:
		text += ", " + Violation(f)
	case r.Step(r.Len()).Live:
		text += ", live in the end"
	case r.Whole != nil:
		text += ", the test passes"
	}
	if !r.Saved {
		text += ", not saved"
	}
	return text
}

// Len returns the number of steps.
func (r *Run) Len() int { return len(r.steps) }

// Step returns the stored data of step n; 0 is the first state.
func (r *Run) Step(n int) *Step {
	if n == 0 {
		return &r.first
	}
	return &r.steps[n-1]
}

// World moves to the state after step n.
func (r *Run) World(n int) (kernel.World, error) {
	if r.Whole != nil {
		return nil, errors.New("the run was recorded and cannot be executed")
	}
	err := r.Cursor.To(n)
	if f := (*sim.Finding)(nil); errors.As(err, &f) && r.Cursor.Steps() == n {
		err = nil
	}
	return r.Cursor.World(), err
}

// Fields returns the state of a node after step n.
func (r *Run) Fields(n int, id sim.NodeID) ([]diff.Field, error) {
	if r.Whole != nil {
		return r.recordedFields(n, int(id)), nil
	}
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	return w.NodeFields(id), nil
}

// Trace returns the full description of step n; step 0 is the first boots.
func (r *Run) Trace(n int) (*replay.TraceStep, error) {
	if r.Whole != nil {
		return r.recordedStep(n), nil
	}
	first := max(0, n-1)/WindowSteps*WindowSteps + 1
	i := slices.IndexFunc(r.windows, func(w window) bool { return w.first == first })
	if i < 0 {
		t, err := r.Cursor.Record(first, first+WindowSteps-1)
		if err != nil {
			return nil, err
		}
		r.windows = slices.Insert(r.windows[:min(len(r.windows), mostWindows-1)], 0, window{first, t})
	} else if i > 0 {
		w := r.windows[i]
		copy(r.windows[1:], r.windows[:i])
		r.windows[0] = w
	}
	t := r.windows[0].trace
	switch {
	case n == 0:
		return &t.Boot, nil
	case n-first < len(t.Steps):
		return &t.Steps[n-first], nil
	}
	return nil, fmt.Errorf("no step %d; the run has %d", n, r.Len())
}

// Branch returns a new run that ends after step n of r.
func (r *Run) Branch(name string, n int) (*Run, error) {
	c, err := r.Cursor.Branch(n)
	if err != nil {
		return nil, err
	}
	b := &Run{Name: name, Nodes: r.Nodes, Cursor: c, Words: r.Words, first: r.first, boot: r.boot,
		steps: slices.Clone(r.steps[:n]), At: n, From: r, Common: n}
	if r.Critical <= n {
		b.Critical = r.Critical
	}
	if r.brokenAt <= n {
		b.violated, b.brokenAt = r.violated, r.brokenAt
	}
	return b, b.recomputeCauses()
}

// recomputeCauses recomputes causes up to the last step.
func (r *Run) recomputeCauses() error {
	r.causes.init(r.Cursor.World().System().Nodes)
	n := r.Len()
	if err := r.Cursor.To(0); err != nil {
		return err
	}
	for i := range n {
		if err := r.ended(r.Cursor.Next()); err != nil {
			return err
		}
		r.causes.follow(r.Cursor.World(), &r.steps[i], i+1)
	}
	return nil
}

// Extend adds a step at the end of the run and moves there.
func (r *Run) Extend(index int, src choose.Source) error {
	if r.Finding != nil {
		return fmt.Errorf("the run ends with a finding: %w", r.Finding)
	}
	if _, err := r.World(r.Len()); err != nil {
		return err
	}
	w := r.Cursor.World()
	events := w.Injections(slices.Clone(w.Enabled()))
	if index < 0 || index >= len(events) {
		return fmt.Errorf("there is no event %d; \"options\" lists what can happen", index)
	}
	r.windows, r.Saved = nil, false
	r.recordBefore(events[index])
	if err := r.ended(r.Cursor.Extend(index, src)); err != nil {
		r.steps = r.steps[:r.Len()-1]
		return err
	}
	r.recordAfter()
	r.At = r.Len()
	return nil
}

// Common returns the length of the common prefix of two runs in steps. Equal steps have equal answers, and the answers in the first boots
// must be equal, too.
func Common(a, b *Run) int {
	if a.Whole != nil {
		return recordedCommon(a, b)
	}
	p, q := a.Cursor.Path(), b.Cursor.Path()
	if !slices.Equal(p[:a.boot], q[:b.boot]) {
		return 0
	}
	n, at := 0, a.boot
	for n < min(a.Len(), b.Len()) {
		x, y := &a.steps[n], &b.steps[n]
		end := at + 1 + int(x.Picks)
		if x.Key != y.Key || x.Picks != y.Picks || !slices.Equal(p[at:end], q[at:end]) {
			break
		}
		n, at = n+1, end
	}
	return n
}
