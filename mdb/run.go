package mdb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// run is one path that was executed, and a position in it.
type run struct {
	name     string
	nodes    int
	file     string // "": not from a file
	cursor   *replay.Cursor
	whole    *replay.Trace // what was recorded of a run that cannot be executed; nil: cursor executes it
	first    stepInfo      // the first state
	boot     int           // questions answered in the first boots
	steps    []stepInfo
	finding  *sim.Finding // of the last step, which nothing can follow; nil: none
	violated *sim.Finding // of the first state that violates a property; nil: none does
	brokenAt int          // the step that led to that state
	at       int          // the step after which we stand; 0: the first state
	critical int          // 0: not known
	round    int          // so many last steps go on for ever; 0: none are known to
	from     *run         // what it is a branch of; nil: of nothing
	common   int          // steps that it shares with from
	why      string       // what the critical step was told by; "": not known
	saved    bool
	words    *replay.Words

	drawn   *eventgraph.Graph  // of whole, once it was wanted
	states  [][]goroutineState // of whole, by goroutine
	links   links
	windows []window // recorded parts, used last first
}

// stepInfo is what is kept of every step.
type stepInfo struct {
	key     string
	ev      sim.Event
	text    string       // for people
	refused bool         // it is the error of a connection that the peer did not take
	with    []sim.NodeID // that fell with the node of the event
	picks   int32        // questions answered
	cause   int32        // the step that it follows from; see links
	live    bool
	failing uint64 // properties that do not hold after it, by their index; those from 64 on are not kept
}

// nodes are the node of the event, negative for none, and those that fell with it. A step changes the states of no others.
func (s *stepInfo) nodes() []sim.NodeID { return append([]sim.NodeID{s.ev.Node}, s.with...) }

// inRound reports whether a step is one of those that go on for ever.
func (r *run) inRound(n int) bool { return n > r.len()-r.round }

// comesRound reports whether the last n steps lead back to the state before them.
func (r *run) comesRound(n int) bool {
	if n > r.len() || r.cursor.To(r.len()-n) != nil {
		return false
	}
	before := r.cursor.World().Fingerprint()
	return r.cursor.To(r.len()) == nil && r.cursor.World().Fingerprint() == before
}

func (s *stepInfo) String() string { return s.text }

type window struct {
	first int // its first step
	trace *replay.Trace
}

const (
	windowSteps = 64
	mostWindows = 8
)

// newRun executes a path.
func newRun(sys *sim.System, name string, path choose.Path) (*run, error) {
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	r := &run{name: name, nodes: sys.Nodes, cursor: c}
	if err = r.ended(err); err != nil {
		return nil, err
	}
	if r.words, err = replay.NewWords(sys); err != nil {
		return nil, err
	}
	c.Keep()
	r.boot = c.Pos()
	r.links.init(sys.Nodes)
	r.first = stepInfo{key: "first boots"}
	r.judge(&r.first, 0)
	return r, r.readOn()
}

// ended takes note of a finding; other errors are handed on.
func (r *run) ended(err error) error {
	if err == nil {
		return nil
	}
	if f := (*sim.Finding)(nil); errors.As(err, &f) {
		r.finding = f
		return nil
	}
	return err
}

// readOn executes what is left of the path behind the steps that are known.
func (r *run) readOn() error {
	r.steps = slices.Grow(r.steps, len(r.cursor.Path())-r.cursor.Pos()) // each has an answer at least
	for !r.cursor.AtEnd() {
		_, ev, err := r.cursor.Peek()
		if err != nil {
			return err
		}
		r.meet(ev)
		if err := r.ended(r.cursor.Next()); err != nil {
			return err
		}
		r.took()
	}
	return nil
}

// meet notes what can be known of a step only before it is executed.
func (r *run) meet(ev sim.Event) {
	w := r.cursor.World()
	label := w.Label(ev)
	s := stepInfo{key: label.String(), ev: ev, text: r.words.Describe(w, ev), picks: -int32(r.cursor.Pos()) - 1}
	s.refused = ev.Kind == sim.DeliverError && label.Content == sim.ErrRefused.Error()
	s.cause = r.links.cause(r.cursor, &s)
	r.steps = append(r.steps, s)
}

// took completes the step that was executed last.
func (r *run) took() {
	n := len(r.steps)
	s := &r.steps[n-1]
	s.picks += int32(r.cursor.Pos())
	s.with = slices.Clone(r.cursor.World().Last().With)
	r.judge(s, n)
	r.links.follow(r.cursor.World(), s, n)
}

// judge asks the properties about the state after step n.
func (r *run) judge(s *stepInfo, n int) {
	w := r.cursor.World()
	failing, found := kernel.Evaluate(w)
	if r.violated == nil && found != nil {
		r.violated, r.brokenAt = found, n
	}
	s.live = true
	for _, i := range failing {
		s.failing |= 1 << i // 0 from 64 on
		s.live = s.live && w.System().Properties[i].Eventually == nil
	}
}

// found is what is wrong with step n, or with the state after it and with none before; nil: nothing.
func (r *run) found(n int) *sim.Finding {
	switch {
	case n == r.len() && r.finding != nil:
		return r.finding
	case n == r.brokenAt:
		return r.violated
	}
	return nil
}

// violation describes a finding in one line: "SAFETY VIOLATION: one leader: n0 and n1 lead".
func violation(f *sim.Finding) string {
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

// firstFound is the first finding of the run, and its step; nil when there is none.
func (r *run) firstFound() (*sim.Finding, int) {
	if r.violated != nil {
		return r.violated, r.brokenAt
	}
	return r.finding, r.len()
}

// len is the number of steps.
func (r *run) len() int { return len(r.steps) }

// step returns what is known of step n; 0 is the first state.
func (r *run) step(n int) *stepInfo {
	if n == 0 {
		return &r.first
	}
	return &r.steps[n-1]
}

// world goes to the state after step n.
func (r *run) world(n int) (kernel.World, error) {
	if r.whole != nil {
		return nil, errors.New("the run was recorded and cannot be executed")
	}
	err := r.cursor.To(n)
	if f := (*sim.Finding)(nil); errors.As(err, &f) && r.cursor.Steps() == n {
		err = nil
	}
	return r.cursor.World(), err
}

// fields returns the state of a node after step n.
func (r *run) fields(n int, id sim.NodeID) ([]sim.Field, error) {
	if r.whole != nil {
		return r.recordedFields(n, int(id)), nil
	}
	w, err := r.world(n)
	if err != nil {
		return nil, err
	}
	return w.NodeFields(id), nil
}

// trace describes step n in full; step 0 is the first boots.
func (r *run) trace(n int) (*replay.TraceStep, error) {
	if r.whole != nil {
		return r.recordedStep(n), nil
	}
	first := max(0, n-1)/windowSteps*windowSteps + 1
	i := slices.IndexFunc(r.windows, func(w window) bool { return w.first == first })
	if i < 0 {
		t, err := r.cursor.Record(first, first+windowSteps-1)
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
	return nil, fmt.Errorf("the run has %d steps, there is no step %d", r.len(), n)
}

// branch returns a run of its own that ends after step n of r.
func (r *run) branch(name string, n int) (*run, error) {
	c, err := r.cursor.Branch(n)
	if err != nil {
		return nil, err
	}
	b := &run{name: name, nodes: r.nodes, cursor: c, words: r.words, first: r.first, boot: r.boot, steps: slices.Clone(r.steps[:n]), at: n, from: r, common: n}
	if r.critical <= n {
		b.critical = r.critical
	}
	if r.brokenAt <= n {
		b.violated, b.brokenAt = r.violated, r.brokenAt
	}
	return b, b.relink()
}

// relink finds out again what the links were after the last step.
func (r *run) relink() error {
	r.links.init(r.cursor.World().System().Nodes)
	n := r.len()
	if err := r.cursor.To(0); err != nil {
		return err
	}
	for i := range n {
		if err := r.ended(r.cursor.Next()); err != nil {
			return err
		}
		r.links.follow(r.cursor.World(), &r.steps[i], i+1)
	}
	return nil
}

// extend adds a step at the end of the run and goes there.
func (r *run) extend(index int, src choose.Source) error {
	if r.finding != nil {
		return fmt.Errorf("the run ends with a finding: %w", r.finding)
	}
	if _, err := r.world(r.len()); err != nil {
		return err
	}
	w := r.cursor.World()
	events := w.Injections(slices.Clone(w.Enabled()))
	if index < 0 || index >= len(events) {
		return fmt.Errorf("there is no event %d; \"options\" lists what can happen", index)
	}
	r.windows, r.saved = nil, false
	r.meet(events[index])
	if err := r.ended(r.cursor.Extend(index, src)); err != nil {
		r.steps = r.steps[:r.len()-1]
		return err
	}
	r.took()
	r.at = r.len()
	return nil
}

// common is the number of steps that two runs share at their beginning; the answers within the first boots and
// the steps must be the same, too.
func common(a, b *run) int {
	if a.whole != nil {
		return recordedCommon(a, b)
	}
	p, q := a.cursor.Path(), b.cursor.Path()
	if !slices.Equal(p[:a.boot], q[:b.boot]) {
		return 0
	}
	n, at := 0, a.boot
	for n < min(a.len(), b.len()) {
		x, y := &a.steps[n], &b.steps[n]
		end := at + 1 + int(x.picks)
		if x.key != y.key || x.picks != y.picks || !slices.Equal(p[at:end], q[at:end]) {
			break
		}
		n, at = n+1, end
	}
	return n
}
