package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

// Record executes path on sys from the first state and describes every step. A finding on the way is
// part of the trace, not an error; a finding of a step ends it, a property that does not hold does
// not. The run ends with the path: that a service's Close fails then is a finding, too. A path that does not fit is an error; the trace holds the steps before it then.
func Record(sys *sim.System, path choose.Path, opts kernel.Options) (*Trace, error) {
	rec, err := record(sys, path, opts)
	if rec == nil {
		return nil, err
	}
	return rec.end(), err
}

// End is Record, but describes no step: the trace says how the run ends, by its finding and properties. That is far less work where states are large.
func End(sys *sim.System, path choose.Path, opts kernel.Options) (*Trace, error) {
	c, err := NewCursor(sys, path, opts)
	if c == nil {
		return nil, err
	}
	rec, e := newRecorder(c.run, NewPlaces())
	if e != nil {
		return nil, e
	}
	for err = rec.found(err); err == nil; err = rec.found(c.Next()) {
		if rec.judge(); c.AtEnd() {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return rec.end(), nil
}

// end is the trace of a run that is over.
func (rec *Recorder) end() *Trace {
	t := rec.Trace()
	if f := kernel.Finish(rec.run.World); f != nil && t.Finding == nil {
		t.Finding, t.FoundAt = f, rec.run.Steps()
	}
	return t
}

// record is Record, but does not ask the properties at the end.
func record(sys *sim.System, path choose.Path, opts kernel.Options) (*Recorder, error) {
	opts.Trace = true
	c, err := NewCursor(sys, path, opts)
	if c == nil {
		return nil, err
	}
	rec, e := newRecorder(c.run, NewPlaces())
	if e != nil {
		return nil, e
	}
	if err := rec.found(err); err != nil {
		return nil, err
	}
	rec.start()
	return rec, rec.follow(c, len(path))
}

// follow describes the steps of a path up to step to.
func (rec *Recorder) follow(c *Cursor, to int) error {
	for !c.AtEnd() && c.Steps() < to {
		index, err := c.peek()
		if err == nil {
			rec.before(index)
			if err = rec.found(c.Next()); err == nil {
				rec.after()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Record describes the steps from..to of the path, both inclusive, or as many of them as there are; the
// first step is 1. Where the trace has to tell of messages that were sent before, it says 0 for the step
// that sent them unless the cursor has kept that, see [Cursor.Keep]. The cursor stays where it is. The
// error says how the path does not fit; a finding is part of the trace.
func (c *Cursor) Record(from, to int) (*Trace, error) {
	if c.traced == nil {
		opts := c.opts
		opts.Trace = true
		t, err := NewCursor(c.run.World.System(), c.path, opts)
		if t == nil {
			return nil, err
		}
		t.places = NewPlaces()
		c.traced = t
	}
	t := c.traced
	t.path, t.src.Path, t.keep = c.path, c.path, nil
	if c.keep != nil { // read, never added to: a traced world is slower
		t.keep = &checkpoints{list: c.keep.list, bounds: c.keep.bounds, borrowed: true}
	}
	rec, err := newRecorder(t.run, t.places)
	if err != nil {
		return nil, err
	}
	err = t.To(max(0, from-1))
	if err == nil || errors.Is(err, ErrEnd) {
		err = t.failed // earlier
	}
	if err := rec.found(err); err != nil {
		return nil, err
	}
	rec.begin(func(id sim.MessageID) int {
		sent, _ := c.SentAt(id)
		return sent
	})
	err = rec.follow(t, to)
	return rec.Trace(), err
}

// begin describes the state that the trace begins with.
func (rec *Recorder) begin(sent func(sim.MessageID) int) {
	n := rec.run.Steps()
	if n == 0 {
		rec.start()
		return
	}
	b := TraceStep{Number: n, Index: -1, Node: -1, Peer: -1, Kind: sim.Boot.String(), Key: fmt.Sprintf("state after step %d", n)}
	rec.describe(&b)
	rec.allFields(&b)
	rec.trace.Boot = b
	for m := range rec.run.World.InFlight() {
		rec.message(m, sent(m.ID))
	}
	t := rec.trace
	slices.SortFunc(t.Messages, func(a, b TraceMessage) int { return a.ID - b.ID })
	t.Messages = slices.CompactFunc(t.Messages, func(a, b TraceMessage) bool { return a.ID == b.ID }) // duplicates
}

func asFinding(err error, f **sim.Finding) bool { return errors.As(err, f) }

// A Recorder describes a run while it is driven by someone else, step by step.
type Recorder struct {
	run    *Run
	trace  *Trace
	words  *Words
	places *Places

	step TraceStep
	// Per node, before the step; from one step to the next, after as many steps as shown says.
	kept   []kernel.Kept
	hashes []sim.Fingerprint
	shown  int // -1: nothing is known
}

// NewRecorder starts r, whose first questions are answered by src, and describes the first state. The
// world of r must have been made with Options.Trace. The error is a finding, or says that the state
// cannot be shown.
func NewRecorder(r *Run, src choose.Source) (*Recorder, error) {
	rec, err := newRecorder(r, NewPlaces())
	if err != nil {
		return nil, err
	}
	err = r.Start(src)
	if e := rec.found(err); e != nil {
		return nil, e
	}
	rec.start()
	return rec, err
}

// Step executes the event with that index, see [Run.Step], and describes the step. The error is that
// of Run.Step; a property that does not hold is no error.
func (rec *Recorder) Step(index int, src choose.Source) error {
	if _, ok := rec.run.Event(index); !ok {
		return rec.run.Step(index, src)
	}
	rec.before(index)
	err := rec.run.Step(index, src)
	if e := rec.found(err); e != nil {
		return e
	}
	rec.after()
	return err
}

// Trace returns what was recorded so far. It is the recorder's and grows with the run.
func (rec *Recorder) Trace() *Trace {
	w, t := rec.run.World, rec.trace
	t.Properties = t.Properties[:0]
	props := w.System().Properties
	for i := range props {
		p := &props[i]
		state := PropertyState{Name: p.Name, Kind: propertyKind(p)}
		state.Holds, _ = holds(w, p)
		if !state.Holds {
			state.Explain = explain(w, p)
		}
		t.Properties = append(t.Properties, state)
	}
	return t
}

func newRecorder(r *Run, places *Places) (*Recorder, error) {
	sys := r.World.System()
	words, err := NewWords(sys)
	if err != nil {
		return nil, err
	}
	return &Recorder{
		run:    r,
		trace:  &Trace{System: sys.Name, Nodes: sys.Nodes, Names: nodeNames(sys)},
		words:  words,
		places: places,
		kept:   make([]kernel.Kept, sys.Nodes),
		hashes: make([]sim.Fingerprint, sys.Nodes),
		shown:  -1,
	}, nil
}

// found keeps a finding and hands any other error through.
func (rec *Recorder) found(err error) error {
	var f *sim.Finding
	if !errors.As(err, &f) {
		return err
	}
	if rec.trace.Finding == nil {
		rec.trace.Finding, rec.trace.FoundAt = f, rec.run.Steps()
	}
	return nil
}

func (rec *Recorder) start() {
	b := TraceStep{Index: -1, Node: -1, Peer: -1, Kind: sim.Boot.String(), Key: "first boots"}
	rec.took(&b)
	rec.describe(&b)
	rec.allFields(&b)
	rec.trace.Boot = b
}

// allFields makes the whole state of all nodes the changes of a step.
func (rec *Recorder) allFields(b *TraceStep) {
	for id := range sim.NodeID(rec.trace.Nodes) {
		for _, f := range rec.run.World.NodeFields(id) {
			b.Changes = append(b.Changes, NodeChange{Node: int(id), Path: f.Path, New: f.Value, Inside: f.Inside})
		}
	}
}

// before notes the state that a step may change.
func (rec *Recorder) before(index int) {
	w := rec.run.World
	ev, _ := rec.run.Event(index)
	rec.step = TraceStep{
		Number:  rec.run.Steps() + 1,
		Index:   index,
		Enabled: len(w.Enabled()),
		Event:   ev,
		Kind:    ev.Kind.String(),
		Node:    int(ev.Node),
		Peer:    int(ev.Peer),
		Key:     w.Key(ev),
	}
	rec.step.What = what(ev, rec.step.Key)
	now := rec.nodeHashes()
	if rec.shown != rec.run.Steps() || !slices.Equal(now, rec.hashes) { // someone else drove the run
		for id := range rec.kept {
			rec.kept[id] = kernel.KeepNode(w, sim.NodeID(id))
		}
	}
	rec.hashes, rec.shown = now, -1
}

func (rec *Recorder) after() {
	s := rec.step
	w := rec.run.World
	rec.took(&s)
	now := rec.nodeHashes()
	for id, before := range rec.kept {
		if now[id] == rec.hashes[id] && id != s.Node {
			continue
		}
		for _, c := range kernel.NodeChanges(w, sim.NodeID(id), before) {
			s.Changes = append(s.Changes, NodeChange{Node: id, Path: c.Path, Old: c.Old, New: c.New, Inside: c.Inside})
		}
		rec.kept[id] = kernel.KeepNode(w, sim.NodeID(id))
	}
	rec.hashes, rec.shown = now, rec.run.Steps()
	rec.describe(&s)
	rec.trace.Steps = append(rec.trace.Steps, s)
}

// Functions of properties may panic; in a trace that counts as not holding, and for holds is a finding, too.
