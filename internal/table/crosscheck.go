package table

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// crossCheck executes a sample of the runs of a world by the replay engine, too: only there do services
// live as long as a run, so that state which is not encoded shows.
type crossCheck struct {
	reference kernel.World // nil: not made yet
	closely   bool         // messages are checked
	active    bool         // the run under way is in the sample
	runs      int
	steps     int                 // of the run
	asked     []referenceQuestion // in the step under way
}

type referenceQuestion struct {
	kind  choose.Kind
	arity int
	label string
	pick  int
}

// referenceSteps is how long a run is followed.
const referenceSteps = 1000

// referenceRecorder hands answers on and keeps them.
type referenceRecorder struct {
	*crossCheck
	src choose.Source
}

func (s referenceRecorder) Choose(p choose.Point) int {
	pick := s.src.Choose(p)
	s.asked = append(s.asked, referenceQuestion{p.Kind, p.Arity, p.Label, pick})
	return pick
}

// referenceAnswers repeats what was recorded.
type referenceAnswers struct {
	asked []referenceQuestion
	next  int
	other string // the first question that was not asked before; "" if there was none
}

func (s *referenceAnswers) Choose(p choose.Point) int {
	before := "no more questions"
	if s.next < len(s.asked) {
		q := s.asked[s.next]
		s.next++
		if q.kind == p.Kind && q.arity == p.Arity && q.label == p.Label {
			return q.pick
		}
		before = fmt.Sprintf("%q", q.label)
	}
	if s.other == "" {
		s.other = fmt.Sprintf("%q, from the tables %s", p.Label, before)
	}
	return 0
}

// follow has a step, or the start of a run, executed by do, and if the run is in the sample by the
// replay engine, too.
func (w *World) follow(ev *sim.Event, src choose.Source) error {
	s := &w.cross
	s.asked = s.asked[:0]
	w.engine.unlisted = false
	own := w.execute(ev, referenceRecorder{s, src})
	_, unsupported := errors.AsType[*Unsupported](own)
	_, refused := errors.AsType[*sim.StateError](own)
	if unsupported || refused || isDivergence(own) || closer(own) || // the replay engine may not come back, or not tell
		overdue(own) || usedLate(own) || // the Env is the same in all of a run there
		w.engine.unlisted { // tables list events before the step has asked whether the node crashes inside it
		s.active = false
		return own
	}
	answers := &referenceAnswers{asked: s.asked}
	before, real := w.calls.call(runCall, uint64(s.runs)<<32|uint64(s.steps))
	switch {
	case real != nil:
	case ev == nil:
		real = s.reference.Start(answers)
	default:
		real = s.reference.Step(*ev, answers)
	}
	w.calls.end(before)
	if s.steps++; own != nil || s.steps >= referenceSteps {
		s.active = false
	}
	if closer(real) {
		s.active = false
		return real
	}
	if found := w.falls(own, real, answers); found != nil {
		s.active = false
		return found
	}
	return own
}

func (w *World) execute(ev *sim.Event, src choose.Source) error {
	if ev == nil {
		return w.start(src)
	}
	return w.doStep(ev, src)
}

// falls compares the state with that of the replay engine.
func (w *World) falls(own, real error, answers *referenceAnswers) error {
	if overdue(real) {
		return real
	}
	real, own = withoutStack(real), withoutStack(own)
	node := w.last.Event.Node
	switch {
	case answers.other != "":
		return w.differsFrom(w.cross.reference, node, "in the same run a step executed without tables asked "+answers.other)
	case answers.next != len(answers.asked):
		return w.differsFrom(w.cross.reference, node, fmt.Sprintf("in the same run a step executed without tables asked no more questions, from the tables %q",
			answers.asked[answers.next].label))
	case (own != nil || real != nil) && fmt.Sprint(own) != fmt.Sprint(real):
		return w.differsFrom(w.cross.reference, node, fmt.Sprintf("in the same run a step of the replay engine ended with %v, from the tables with %v", real, own))
	}
	here, there := w.last.Effects, w.cross.reference.Last().Effects
	if k := w.firstOther(there, here); k >= 0 {
		return w.differsFrom(w.cross.reference, node, fmt.Sprintf("in the same run a step executed without tables had other effects, from effect %d on: %s, from the tables %s",
			k+1, w.describe(there, k), w.describe(here, k)))
	}
	return w.sameState(node, w.cross.reference)
}

// sameState compares the state with that of another world; node is where to look first.
func (w *World) sameState(node sim.NodeID, other kernel.World) error {
	if w.Fingerprint() == other.Fingerprint() {
		return nil
	}
	for i := range w.nodes {
		id := sim.NodeID(i)
		if changes := encoding.Diff(w.NodeFields(id), other.NodeFields(id)); len(changes) > 0 {
			return w.differsFrom(other, id, "came to another state when the run was executed without tables"+list(changes))
		}
	}
	changes := encoding.Diff(w.NetFields(), other.NetFields())
	return w.differsFrom(other, node, "led to another state when the run was executed without tables"+list(changes))
}

// differsFrom is differs, and names what the encoding of the node's service leaves out and other, in which it happened, has otherwise.
func (w *World) differsFrom(other kernel.World, node sim.NodeID, what string) error {
	here, there := w.Service(node), other.Service(node)
	if here == nil || there == nil || reflect.TypeOf(here) != reflect.TypeOf(there) {
		return w.differs(node, what)
	}
	changes := w.bench.Hidden(here, there)
	if len(changes) == 0 {
		return w.differs(node, what)
	}
	text := ""
	for _, c := range changes {
		text += fmt.Sprintf("; %s is %s in one and %s in the other, and a rule or tag leaves it out of the encoding", c.Path, c.New, c.Old)
	}
	return &sim.Finding{Kind: sim.Nondeterminism, Node: node,
		Message: fmt.Sprintf("the service %T: two states are encoded equally and behave differently: %s%s", here, what, text)}
}

func withoutStack(err error) error {
	if f, ok := errors.AsType[*sim.Finding](err); ok {
		c := *f
		c.Stack = ""
		return &c
	}
	return err
}

// crossCheckStep decides whether the run that begins is in the sample.
func (w *World) crossCheckStep() (bool, error) {
	s := &w.cross
	s.runs++
	s.steps = 0
	s.active = w.samples.sampled(s.runs)
	if s.active && s.reference == nil {
		var err error
		opts := w.opts
		opts.CheckMessages = s.closely
		if s.reference, err = kernel.NewWorld(w.sys, opts); err != nil {
			return false, err
		}
	}
	return s.active, nil
}

// checkedChoices is how many choices a path may have for messages to be checked when it is retraced.
const checkedChoices = 100

// tracer returns a world of the replay engine that paths are executed in; to check messages takes long.
func (w *World) tracer(closely bool) (kernel.World, error) {
	made := &w.tracers[0]
	if closely {
		made = &w.tracers[1]
	}
	var err error
	if *made == nil {
		opts := w.opts
		opts.CheckMessages = closely
		*made, err = kernel.NewWorld(w.sys, opts)
	}
	return *made, err
}

// retrace has the replay engine execute a path, and compares the state at its end with that of w.
func (w *World) retrace(path choose.Path) error {
	real, err := w.tracer(len(path) <= checkedChoices)
	if err != nil {
		return err
	}
	before, err := w.calls.call(runCall, hashOf(fmt.Append(nil, path)))
	if err != nil {
		return err
	}
	defer w.calls.end(before)
	pos := 0
	answers := choose.SourceFunc(func(p choose.Point) int {
		if pos++; pos <= len(path) && int(path[pos-1]) < p.Arity {
			return int(path[pos-1])
		}
		return 0
	})
	err = real.Start(answers)
	node := sim.NodeID(0)
	for err == nil && pos < len(path) {
		events := real.Injections(slices.Clone(real.Enabled()))
		if int(path[pos]) >= len(events) {
			return w.differsFrom(real, node, "other events are enabled when the run is executed without tables")
		}
		ev := events[path[pos]]
		pos++
		node = max(0, ev.Node)
		err = real.Step(ev, answers)
	}
	switch {
	case closer(err), overdue(err):
		return err
	case err != nil:
		return w.differsFrom(real, node, fmt.Sprintf("when the run is executed without tables it ends with %v", err))
	case pos != len(path):
		return w.differsFrom(real, node, "when the run is executed without tables it asks other questions")
	}
	if err := w.sameState(node, real); err != nil {
		return err
	}
	for i := range w.nodes {
		if err := kernel.Lasting(real, sim.NodeID(i), w.Service(sim.NodeID(i))); err != nil {
			return err
		}
	}
	return nil
}
