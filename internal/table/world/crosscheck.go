package world

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// CrossCheck executes a sample of the runs of a world on the replay engine, too. There a service lives for the
// whole run, which exposes state that is not encoded.
type CrossCheck struct {
	Reference kernel.World        // nil until needed
	Strict    bool                // check messages
	active    bool                // the current run is in the sample
	runs      int                 // started so far
	steps     int                 // of the run
	asked     []referenceQuestion // in the current step
}

// referenceQuestion is a question of a step with its answer.
type referenceQuestion struct {
	kind  choose.Kind
	arity int
	label string
	pick  int
}

// referenceSteps is the maximum number of steps of a run that are compared.
const referenceSteps = 1000

// referenceRecorder passes answers on and records them.
type referenceRecorder struct {
	*CrossCheck
	src choose.Source
}

func (s referenceRecorder) Choose(p choose.Point) int {
	pick := s.src.Choose(p)
	s.asked = append(s.asked, referenceQuestion{p.Kind, p.Arity, p.Label, pick})
	return pick
}

// referenceAnswers replays recorded answers.
type referenceAnswers struct {
	asked []referenceQuestion
	next  int
	other string // first question that was not recorded, or ""
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

// follow executes a step, or the start of a run if ev is nil. If the run is in the sample, it executes it on the
// replay engine, too.
func (w *World) follow(ev *netmodel.Event, src choose.Source) error {
	s := &w.CrossCheck
	s.asked = s.asked[:0]
	w.Engine.Unlisted = false
	own := w.execute(ev, referenceRecorder{s, src})
	_, unsupported := errors.AsType[*options.Unsupported](own)
	_, refused := errors.AsType[*encoding.Error](own)
	// The replay engine may not return, or not reproduce it
	if unsupported || refused || store.IsDivergence(own) || store.NeedsReference(own) ||
		store.IsOverdue(own) || store.IsUseAfterReturn(own) || // it has one Env for the whole run
		w.Engine.Unlisted { // the tables list events before the question whether the node crashes inside the step
		s.active = false
		return own
	}
	answers := &referenceAnswers{asked: s.asked}
	before, real := w.Calls.Enter(options.RunCall, uint64(s.runs)<<32|uint64(s.steps))
	switch {
	case real != nil:
	case ev == nil:
		real = s.Reference.Start(answers)
	default:
		real = s.Reference.Step(*ev, answers)
	}
	w.Calls.Leave(before)
	if s.steps++; own != nil || s.steps >= referenceSteps {
		s.active = false
	}
	if store.NeedsReference(real) {
		s.active = false
		return real
	}
	if found := w.compareReference(own, real, answers); found != nil {
		s.active = false
		return found
	}
	return own
}

func (w *World) execute(ev *netmodel.Event, src choose.Source) error {
	if ev == nil {
		return w.Begin(src)
	}
	return w.doStep(ev, src)
}

// compareReference compares the state with that of the replay engine.
func (w *World) compareReference(own, real error, answers *referenceAnswers) error {
	if store.IsOverdue(real) {
		return real
	}
	real, own = withoutStack(real), withoutStack(own)
	node := w.last.Event.Node
	switch {
	case answers.other != "":
		return w.differsFrom(w.CrossCheck.Reference, node, "in the same run a step executed without tables asked "+answers.other)
	case answers.next != len(answers.asked):
		return w.differsFrom(w.CrossCheck.Reference, node,
			fmt.Sprintf("in the same run a step executed without tables asked no more questions, from the tables %q",
				answers.asked[answers.next].label))
	case (own != nil || real != nil) && fmt.Sprint(own) != fmt.Sprint(real):
		return w.differsFrom(w.CrossCheck.Reference, node,
			fmt.Sprintf("in the same run a step executed without tables ended with %s, from the tables with %s",
				ended(real), ended(own)))
	}
	here, there := w.last.Effects, w.CrossCheck.Reference.Last().Effects
	if k := w.FirstDifference(there, here); k >= 0 {
		return w.differsFrom(w.CrossCheck.Reference, node,
			fmt.Sprintf("in the same run a step executed without tables had other effects, from effect %d on: %s, from the tables %s",
				k+1, w.DescribeEffect(there, k), w.DescribeEffect(here, k)))
	}
	return w.sameState(node, w.CrossCheck.Reference)
}

// sameState compares the state with that of another world, first at node.
func (w *World) sameState(node sim.NodeID, other kernel.World) error {
	if w.Fingerprint() == other.Fingerprint() {
		return nil
	}
	for i := range w.Nodes {
		id := sim.NodeID(i)
		if changes := diff.Between(w.NodeFields(id), other.NodeFields(id)); len(changes) > 0 {
			return w.differsFrom(other, id, "reached another state when the run was executed without tables"+store.ChangeText(changes))
		}
	}
	changes := diff.Between(w.NetFields(), other.NetFields())
	return w.differsFrom(other, node, "led to another state when the run was executed without tables"+store.ChangeText(changes))
}

// differsFrom is Differs with the fields that differ and that the encoding of the node's service leaves out. The
// step happened in other.
func (w *World) differsFrom(other kernel.World, node sim.NodeID, what string) error {
	here, there := w.Service(node), other.Service(node)
	if here == nil || there == nil || reflect.TypeOf(here) != reflect.TypeOf(there) {
		return w.Differs(node, what)
	}
	changes := w.Bench.Hidden(here, there)
	if len(changes) == 0 {
		return w.Differs(node, what)
	}
	text := ""
	for _, c := range changes {
		text += fmt.Sprintf("; %s is %s in one and %s in the other, and a rule or tag leaves it out of the encoding", c.Path, c.New, c.Old)
	}
	return &sim.Finding{Kind: sim.Nondeterminism, Node: node,
		Message: fmt.Sprintf("the service %T: two states have the same encoding but behave differently: %s%s", here, what, text)}
}

func ended(err error) string {
	if err == nil {
		return "no finding"
	}
	return err.Error()
}

func withoutStack(err error) error {
	if f, ok := errors.AsType[*sim.Finding](err); ok {
		c := *f
		c.Stack = ""
		return &c
	}
	return err
}

// crossCheckStep decides whether the new run is in the sample.
func (w *World) crossCheckStep() (bool, error) {
	s := &w.CrossCheck
	s.runs++
	s.steps = 0
	s.active = w.Samples.Sampled(s.runs)
	if s.active && s.Reference == nil {
		var err error
		opts := w.Opts
		opts.CheckMessages = s.Strict
		if s.Reference, err = kernel.NewWorld(w.Sys, opts); err != nil {
			return false, err
		}
	}
	return s.active, nil
}

// checkedChoices is the maximum length of a path that is retraced with a check of messages.
const checkedChoices = 100

// retraceWorld returns a world of the replay engine for executing paths, with a check of messages if checkMessages is true,
// which is slow.
func (w *World) retraceWorld(checkMessages bool) (kernel.World, error) {
	made := &w.retraceWorlds[0]
	if checkMessages {
		made = &w.retraceWorlds[1]
	}
	var err error
	if *made == nil {
		opts := w.Opts
		opts.CheckMessages = checkMessages
		*made, err = kernel.NewWorld(w.Sys, opts)
	}
	return *made, err
}

// Retrace executes a path on the replay engine, and compares the state at its end with that of w.
func (w *World) Retrace(path choose.Path) error {
	real, err := w.retraceWorld(len(path) <= checkedChoices)
	if err != nil {
		return err
	}
	before, err := w.Calls.Enter(options.RunCall, store.ContentHash(fmt.Append(nil, path)))
	if err != nil {
		return err
	}
	defer w.Calls.Leave(before)
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
			return w.differsFrom(real, node, "executed without tables the run has other enabled events")
		}
		ev := events[path[pos]]
		pos++
		node = max(0, ev.Node)
		err = real.Step(ev, answers)
	}
	switch {
	case store.NeedsReference(err), store.IsOverdue(err):
		return err
	case err != nil:
		return w.differsFrom(real, node, fmt.Sprintf("when the run is executed without tables it ends with %v", err))
	case pos != len(path):
		return w.differsFrom(real, node, "executed without tables the run makes other choices")
	}
	if err := w.sameState(node, real); err != nil {
		return err
	}
	for i := range w.Nodes {
		if err := kernel.Lasting(real, sim.NodeID(i), w.Service(sim.NodeID(i))); err != nil {
			return err
		}
	}
	return nil
}
