package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Record executes path on sys from the first state and describes every step. A finding is part of the trace, not an
// error. A finding of a step ends the trace; a violated property does not. The run ends with the path, so a failing
// Close of a service is a finding, too. If the path does not fit Record returns an error and the trace of the steps
// before it.
func Record(sys *sim.System, path choose.Path, opts kernel.Options) (*Trace, error) {
	return RecordNear(sys, path, opts, nil)
}

// RecordNear is Record for a trace with only some steps in full. In the others the fields that take long to
// describe are outlined, see [simext.Outliner]. A nil near means all steps.
func RecordNear(sys *sim.System, path choose.Path, opts kernel.Options, near func(step int) bool) (*Trace, error) {
	rec, err := record(sys, path, opts, near)
	if rec == nil {
		return nil, err
	}
	return rec.end(), err
}

// End is Record without descriptions of steps: the trace has only the finding and the properties at the end of the
// run. It is much faster for large states.
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
		if rec.evaluateProperties(); c.AtEnd() {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return rec.end(), nil
}

// end returns the trace of a finished run.
func (rec *recorder) end() *Trace {
	t := rec.told()
	if len(t.Observed) > 0 {
		if part := Decisive(rec.run.World.System(), rec.run.Path.Clone(), t.FoundAt, t.Finding); part != nil {
			t.Observed = part
		}
	}
	if f := kernel.Finish(rec.run.World); f != nil && t.Finding == nil {
		t.Finding, t.FoundAt = f, rec.run.Steps()
	}
	return t
}

// Outlined is an argument for [RecordNear]: no step is described in full.
func Outlined(int) bool { return false }

// record is Record without the properties at the end.
func record(sys *sim.System, path choose.Path, opts kernel.Options, near func(step int) bool) (*recorder, error) {
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
	rec.near = near
	rec.start()
	return rec, rec.follow(c, len(path))
}

// follow describes the steps of a path up to step to.
func (rec *recorder) follow(c *Cursor, to int) error {
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

// Record describes the steps from..to of the path, both inclusive and counted from 1, or as many as there are. For
// messages sent before that range the sending step is 0 unless the cursor knows it, see [Cursor.Keep]. The cursor
// does not move. The error describes why the path does not fit; a finding is part of the trace.
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
	if c.keep != nil { // read only, since a traced world is slower
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
	return rec.told(), err
}

// begin describes the state at the beginning of the trace.
func (rec *recorder) begin(sent func(sim.MessageID) int) {
	n := rec.run.Steps()
	if n == 0 {
		rec.start()
		return
	}
	b := TraceStep{Number: n, Index: -1, Node: -1, Peer: -1, Kind: eventkind.Boot.String(), Key: fmt.Sprintf("state after step %d", n)}
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

// recorder describes a run, step by step.
type recorder struct {
	run    *Run
	trace  *Trace
	words  *Words
	places *Places
	near   func(step int) bool // selects the steps described in full; nil: all

	label stepinfo.Label // of the event of the step
	step  TraceStep
	// Per node, before the step.
	kept   []kernel.Snapshot
	hashes []encoding.Fingerprint // nil before the first step
}

// told returns the trace so far, with the properties of the current state.
func (rec *recorder) told() *Trace {
	w, t := rec.run.World, rec.trace
	props := w.System().Properties
	failing, _ := Evaluate(w) // findings were recorded before
	for i := range props {
		p := &props[i]
		state := PropertyState{Name: p.Name, Kind: propertyKind(p), Holds: !slices.Contains(failing, i)}
		if !state.Holds {
			state.Explain = w.Explain(p)
			if p.Eventually != nil {
				if state.FailsAt = kernel.FailsAt(w, p.Name); state.FailsAt == nil {
					state.Reads = kernel.ReadBy(w, p.Name)
				}
			}
		}
		t.Properties = append(t.Properties, state)
	}
	if f := t.Finding; f != nil && f.Kind == sim.Safety && slices.Contains(w.System().MonitorNames(), f.Property) {
		t.Observed = t.Boot.Announced()
		for i := range t.Steps {
			t.Observed = append(t.Observed, t.Steps[i].Announced()...)
		}
	}
	return t
}

func newRecorder(r *Run, places *Places) (*recorder, error) {
	sys := r.World.System()
	words, err := NewWords(sys)
	if err != nil {
		return nil, err
	}
	return &recorder{
		run:    r,
		trace:  &Trace{System: sys.Name, Nodes: sys.Nodes, Names: nodeNames(sys)},
		words:  words,
		places: places,
		kept:   make([]kernel.Snapshot, sys.Nodes),
	}, nil
}

// found records a finding, and returns any other error.
func (rec *recorder) found(err error) error {
	var f *sim.Finding
	if !errors.As(err, &f) {
		return err
	}
	if rec.trace.Finding == nil {
		rec.trace.Finding, rec.trace.FoundAt = f, rec.run.Steps()
		if f.Kind == sim.Safety {
			rec.trace.Read = kernel.ReadBy(rec.run.World, f.Property)
		}
	}
	return nil
}

func (rec *recorder) start() {
	b := TraceStep{Index: -1, Node: -1, Peer: -1, Kind: eventkind.Boot.String(), Key: "all nodes boot"}
	rec.took(&b)
	rec.describe(&b)
	rec.allFields(&b)
	rec.trace.Boot = b
}

// allFields lists the whole state of all nodes as changes of a step.
func (rec *recorder) allFields(b *TraceStep) {
	for id := range sim.NodeID(rec.trace.Nodes) {
		for _, f := range rec.run.World.NodeFields(id) {
			b.Changes = append(b.Changes, NodeChange{Node: int(id), Path: f.Path, New: f.Value, Inside: f.Inside, Part: f.Part})
		}
	}
}

// before records the state before a step.
func (rec *recorder) before(index int) {
	w := rec.run.World
	ev, _ := rec.run.Event(index)
	rec.label = w.Label(ev)
	rec.step = TraceStep{
		Number:  rec.run.Steps() + 1,
		Index:   index,
		Enabled: len(w.Enabled()),
		Event:   ev,
		Kind:    ev.Kind.String(),
		Node:    int(ev.Node),
		Peer:    int(ev.Peer),
		Key:     rec.label.String(),
		What:    What(&rec.label),
	}
	if rec.hashes == nil {
		rec.hashes = rec.nodeHashes()
		for id := range rec.kept {
			rec.kept[id] = kernel.TakeSnapshot(w, sim.NodeID(id))
		}
	}
}

func (rec *recorder) after() {
	s := rec.step
	w := rec.run.World
	rec.took(&s)
	now := rec.nodeHashes()
	for id, before := range rec.kept {
		if now[id] == rec.hashes[id] && id != s.Node {
			continue
		}
		kernel.OutlineNode(w, sim.NodeID(id), rec.near != nil && !rec.near(s.Number))
		for _, c := range kernel.NodeChanges(w, sim.NodeID(id), before) {
			if c.Part.Kind == Disk && id == s.Node && s.Event.Kind == eventkind.Boot && stores(w.Service(sim.NodeID(id))) {
				continue // the operations that were recorded become an image of the files, which stay as they were
			}
			s.Changes = append(s.Changes, NodeChange{Node: id, Path: c.Path, Old: c.Old, New: c.New, Inside: c.Inside, Part: c.Part})
		}
		rec.kept[id] = kernel.TakeSnapshot(w, sim.NodeID(id))
	}
	rec.hashes = now
	rec.describe(&s)
	rec.trace.Steps = append(rec.trace.Steps, s)
}

// stores reports whether a service keeps files on its disk.
func stores(s sim.Service) bool {
	f, ok := s.(simext.Storing)
	return ok && f.Storage() != nil
}

// Functions of properties may panic. In a trace that counts as not holding, and in holds as a finding, too.
