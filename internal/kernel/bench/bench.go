// Package bench executes parts of steps outside of any run.
package bench

import (
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Bench executes parts of steps outside of any run: one handler of one node on a given local state, its effects on the
// node, or an operation of the network model. It uses the machine of the replay engine, set up piece by piece, so that
// there is one semantics. The table engine stores the results.
//
// A bench is not safe for concurrent use. Methods that take a *Local do not keep it.
type Bench struct {
	w      *kernel.Machine
	idle   stubNetwork
	real   netmodel.Model
	parted netmodel.Parted

	asked Answerer
	run   []Question

	shown    []*kernel.Local
	inFlight func(func(sim.Envelope) bool)
}

// Outcome is the result of a handler. Its slices belong to the bench and are valid until the next call.
type Outcome struct {
	After     *kernel.Local // before any of the effects
	Effects   []stepinfo.Effect
	Questions []Question
	Observed  []stepinfo.Observation
	Err       error // a finding; then the effects do not happen
}

// NewBench returns a bench for a system. The error is as for [kernel.NewWorld].
func NewBench(sys *sim.System, opts kernel.Options) (*Bench, error) {
	opts.Trace, opts.CheckMessages = false, false
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		return nil, err
	}
	b := &Bench{w: w.(*kernel.Machine)}
	b.w.OnBench = true
	b.real = b.w.Net
	b.parted, _ = b.real.(netmodel.Parted)
	b.idle.b = b
	b.w.Net, b.w.Idle, b.w.Holder, b.w.Groups = &b.idle, &b.idle, nil, nil
	b.shown = make([]*kernel.Local, sys.Nodes)
	b.w.Properties.Shown.World = benchView{b}
	b.inFlight = func(func(sim.Envelope) bool) {}
	return b, nil
}

// Parted returns the network model, or nil if the system has none, or one that cannot be decomposed. The model reads
// from the bench which nodes are up, see SetUp.
func (b *Bench) Parted() netmodel.Parted { return b.parted }

// SetUp sets whether the network model sees a node as up.
func (b *Bench) SetUp(id sim.NodeID, up bool) { b.w.Members[id].Up = up }

// Down returns the local state of a node that has never been up.
func (b *Bench) Down(id sim.NodeID) *kernel.Local {
	l := &kernel.Local{Counts: make([]int32, len(b.w.Actions))}
	l.Clock.Reset(int(id))
	return l
}

// Run runs the handler of an event on a local state. It consumes l, and must be the only user of its service. d is the
// content of a network event.
func (b *Bench) Run(id sim.NodeID, l *kernel.Local, ev netmodel.Event, d declared.Handed, answers Answerer) Outcome {
	w := b.w
	n := w.Put(id, l)
	w.Last().Reset(&ev)
	b.run, b.asked = b.run[:0], answers
	defer b.restore(id) // also when the handler ends the goroutine
	err := b.handle(n, ev, &d)
	b.classify()
	return Outcome{After: w.Take(n), Effects: w.Last().Effects, Questions: b.run, Observed: w.Last().Observed, Err: err}
}

func (b *Bench) handle(n *kernel.Node, ev netmodel.Event, d *declared.Handed) error {
	switch ev.Kind {
	case eventkind.Boot:
		if err := b.w.Load(n); err != nil {
			return err
		}
	case eventkind.DoAction:
		n.Counts[ev.Slot]++
	}
	return b.w.Handle(n, ev, d, b)
}

// Load builds the service of a node that has never been up: the local state before Boot is called. The
// error is a finding.
func (b *Bench) Load(id sim.NodeID) (*kernel.Local, error) {
	n := b.w.Put(id, b.Down(id))
	defer b.restore(id) // also when New ends the goroutine
	err := b.w.Load(n)
	return b.w.Take(n), err
}

// ApplyEffects applies the effects before end to the node that requested them. l is the state after the handler, and is
// returned if they do not change it. If an effect fails, failed is its number, and the effects before it have happened.
func (b *Bench) ApplyEffects(
	id sim.NodeID, l *kernel.Local, effects []stepinfo.Effect, end int,
) (after *kernel.Local, failed int, err error) {
	if !stepinfo.ChangeNode(effects[:end]) {
		return l, end, nil
	}
	n := b.prepare(id, l, effects)
	if err = b.w.Apply(n, 0, end); err == nil {
		return b.w.Take(n), end, nil
	}
	after = b.w.Take(n)
	for failed = range end {
		if b.w.Apply(b.prepare(id, l, effects), 0, failed+1) != nil {
			break
		}
	}
	return after, failed, err
}

func (b *Bench) prepare(id sim.NodeID, l *kernel.Local, effects []stepinfo.Effect) *kernel.Node {
	n := b.w.Put(id, l)
	b.w.Last().Reset(&netmodel.Event{Node: id, Peer: -1})
	b.w.Last().Effects = append(b.w.Last().Effects, effects...)
	b.w.Monitors = b.w.Monitors[:0]
	return n
}

// CrashInside applies the effects before cut to the node, and then a crash that keeps that many unsynced writes.
// outcomes is the number of possible values of kept.
func (b *Bench) CrashInside(id sim.NodeID, l *kernel.Local, effects []stepinfo.Effect, cut, kept int) (after *kernel.Local, outcomes int) {
	n := b.prepare(id, l, effects)
	src := fixed{pick: kept, arity: 1}
	b.w.Src = &src
	_ = b.w.CrashInside(n, cut) // the caller knows from ApplyEffects where effects fail
	b.restore(id)
	return b.w.Take(n), src.arity
}

// Crash takes the node down and keeps that many unsynced writes.
func (b *Bench) Crash(id sim.NodeID, l *kernel.Local, kept int) *kernel.Local {
	n := b.w.Put(id, l)
	b.w.Src = &fixed{pick: kept}
	_ = b.w.Crash(n) // no service has a Close
	b.restore(id)
	return b.w.Take(n)
}

// Halted returns the local state of a halted node, which does not depend on its earlier state.
func (b *Bench) Halted(id sim.NodeID) *kernel.Local {
	l := b.Down(id)
	l.Halted = true
	return l
}

// Moved returns a local state as one of another node. Its service is a copy and has read no clock. The error describes why
// it cannot be copied.
func (b *Bench) Moved(to sim.NodeID, l *kernel.Local) (moved *kernel.Local, err error) {
	if err := b.w.Copyable(l); err != nil {
		return nil, err
	}
	if moved, err = b.w.CopyLocal(l); err != nil {
		return nil, err
	}
	n := b.w.Put(to, moved)
	n.Clock.Reset(int(to))
	b.restore(to)
	return b.w.Take(n), nil
}

// restore makes properties see the shown service of a node again.
func (b *Bench) restore(id sim.NodeID) {
	if s := b.shown[id]; s != nil {
		b.w.Properties.Shown.Services[id] = s.Code
	}
}

// WhoFails returns by node whether it may crash when up, and whether it may halt. The error is a finding.
func (b *Bench) WhoFails() (crashing, halting []bool, err error) {
	w := b.w
	if err := w.WhoFails(); err != nil {
		return nil, nil, err
	}
	orAll := func(known []bool) []bool {
		if known == nil {
			return slices.Repeat([]bool{true}, len(w.Members))
		}
		return known
	}
	return orAll(w.May[sim.Crashes]), orAll(w.May[sim.Halts]), nil
}

// Events appends the events of the node that do not involve the network: actions and, if timers may fire, timers. For a
// node that is down it appends its boot.
func (b *Bench) Events(id sim.NodeID, l *kernel.Local, timers bool, buf []netmodel.Event) []netmodel.Event {
	n := b.w.Put(id, l)
	b.w.Quiet = timers
	var err error
	defer func() {
		if err != nil {
			panic(err)
		}
	}()
	defer b.w.CatchWhen(&err)
	buf, _ = b.w.AppendNode(n, buf)
	return buf
}

// EventsWatched is Events that panics with a finding when the When of an action changes the state.
func (b *Bench) EventsWatched(id sim.NodeID, l *kernel.Local, timers bool, buf []netmodel.Event) []netmodel.Event {
	b.w.Watching = true
	defer func() { b.w.Watching = false }()
	return b.Events(id, l, timers, buf)
}

// Quorums reports whether the system has quorums.
func (b *Bench) Quorums() bool { return len(b.w.Quorums) > 0 }

// Assemble returns the sets that the quorums of a running node take from the deliverable datagrams all, which are in
// the network's canonical order. If watched is set, it checks that the quorums' functions change nothing. The error is
// a finding.
func (b *Bench) Assemble(id sim.NodeID, l *kernel.Local, all []sim.From[any], watched bool) (made declared.Assembly, err error) {
	b.w.Watching = watched
	defer func() { b.w.Watching = false }()
	defer b.w.CatchWhen(&err)
	return b.w.Assemble(b.w.Put(id, l), all), nil
}

// Observe passes an announced event to a monitor, and returns the monitor's obligations afterwards. The error is a
// finding.
func (b *Bench) Observe(m sim.Monitor, from sim.NodeID, event any) (declared.Owed, error) {
	w := b.w
	w.Owed = declared.Owed{}
	w.Monitors = append(w.Monitors[:0], m)
	w.Last().Reset(&netmodel.Event{Node: from, Peer: -1})
	w.Last().Effects = append(w.Last().Effects, stepinfo.Effect{Kind: stepinfo.AnnounceEffect, Peer: -1, Value: event})
	err := w.Apply(&w.Members[from], 0, 1)
	w.Monitors = w.Monitors[:0]
	return w.Owed, err
}

// Contain runs f and turns a panic into a finding about node id.
func (b *Bench) Contain(id sim.NodeID, f func()) (err error) {
	defer b.w.Contain(id, &err)
	f()
	return nil
}

// Place makes l the state of a node for Label and the methods for people. The network is that of Parted.
func (b *Bench) Place(id sim.NodeID, l *kernel.Local) { b.w.Put(id, l) }

// Label is [kernel.World.Label] of an event that depends only on placed states.
func (b *Bench) Label(ev netmodel.Event) stepinfo.Label {
	b.w.Net = b.real
	defer func() { b.w.Net = &b.idle }()
	if ev.Kind == eventkind.TakeQuorum {
		b.w.AppendNode(&b.w.Members[ev.Node], nil) // lists the sets
	}
	return b.w.Label(ev)
}

// Hidden is [encoding.Plan.Hidden] of two services of one type.
func (b *Bench) Hidden(s, t sim.Service) []diff.Change { return b.w.PlanOf(s).Hidden(s, t) }

// NodeFields is [kernel.World.NodeFields] of a node that was placed.
func (b *Bench) NodeFields(id sim.NodeID) []diff.Field { return b.w.NodeFields(id) }

// NetFields is [kernel.World.NetFields].
func (b *Bench) NetFields(left sim.Limits) []diff.Field {
	b.w.Net, b.w.FaultsLeft = b.real, left
	defer func() { b.w.Net = &b.idle }()
	return b.w.NetFields()
}

// stubNetwork is the network while a handler runs and its effects are applied. It reports the room in streams, and its
// state does not change.
type stubNetwork struct {
	declared.NoNetwork
	b *Bench
}

func (n *stubNetwork) Room(from, to sim.NodeID) int {
	if p := n.b.parted; p != nil {
		if _, streams := p.Kinds(); !streams {
			return p.Room(from, to) // panics as it should
		}
	}
	return n.b.room(to)
}

func (n *stubNetwork) Capacity() int                                         { return n.b.real.Capacity() }
func (n *stubNetwork) SendDatagram(sim.NodeID, sim.NodeID, netmodel.Message) {}
func (n *stubNetwork) SendStream(sim.NodeID, sim.NodeID, netmodel.Message)   {}
func (n *stubNetwork) RefuseStream(sim.NodeID, sim.NodeID)                   {}

// Closes reports whether a service of the system has a Close.
func (b *Bench) Closes() bool { return b.w.Closing }
