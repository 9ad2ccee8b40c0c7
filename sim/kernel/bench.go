package kernel

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/plan"
)

// Bench executes parts of steps outside of any run: one handler of one node on a given local state,
// what its effects do to the node, what the network model makes of an operation. It is the machine of
// the replay engine, set up piece by piece, so that there is one semantics. What becomes of the
// pieces is the caller's business: the table engine remembers it.
//
// A bench is for one goroutine. Methods that take a *Local do not keep it.
type Bench struct {
	w      *machine
	idle   idle
	real   sim.NetModel
	parted sim.Parted

	asked Answerer
	run   []Question

	shown    []*Local
	inFlight func(func(sim.Envelope) bool)
}

// Answerer answers the questions of a handler.
type Answerer interface {
	choose.Source
	// Room is what the network says of the room in the stream to peer, before the step.
	Room(peer sim.NodeID) int
}

// Question is a question that a handler asked.
type Question struct {
	Before int // how many effects it had asked for

	// Of a choice.
	Point choose.Point // with Weights of its own
	Pick  int

	// Of an observation, for which Point is zero: whether there is room in the stream to Peer.
	Peer  sim.NodeID
	Fresh bool // the step had closed the stream, so the room before the step does not matter
	Sent  int  // messages that the step had sent since
	Room  int  // what the network said
	Exact bool // the handler was told the number, not only whether there is any room
}

// Observation reports whether the question was about room in a stream.
func (q *Question) Observation() bool { return q.Point.Arity == 0 }

// Outcome is what a handler did. Its slices are the bench's, valid until the next call.
type Outcome struct {
	After     *Local // before any of the effects
	Effects   []Effect
	Questions []Question
	Observed  []Observation
	Err       error // a finding; then effects do not happen
}

// NewBench returns a bench for a system. The error is that of [NewWorld].
func NewBench(sys *sim.System, opts Options) (*Bench, error) {
	opts.Trace, opts.CheckMessages = false, false
	w, err := NewWorld(sys, opts)
	if err != nil {
		return nil, err
	}
	b := &Bench{w: w.(*machine)}
	b.w.bench = true
	b.real = b.w.net
	b.parted, _ = b.real.(sim.Parted)
	b.idle.b = b
	b.w.net, b.w.holder = &b.idle, nil
	b.shown = make([]*Local, sys.Nodes)
	b.w.check.shown.World = lens{b}
	b.inFlight = func(func(sim.Envelope) bool) {}
	return b, nil
}

// Parted is the network model, nil when the system has none, or one that cannot be taken apart. It
// asks the bench which nodes are up, see SetUp.
func (b *Bench) Parted() sim.Parted { return b.parted }

// SetUp says whether a node is up, as far as the network model is concerned.
func (b *Bench) SetUp(id sim.NodeID, up bool) { b.w.nodes[id].up = up }

// Down is the local state of a node that has never been up.
func (b *Bench) Down(id sim.NodeID) *Local {
	l := &Local{counts: make([]int32, len(b.w.actions))}
	l.clock.reset(id)
	return l
}

// Run runs the handler of an event on a local state. It consumes l, whose service must be nobody
// else's; d is what a network event hands over.
func (b *Bench) Run(id sim.NodeID, l *Local, ev sim.Event, d Handed, answers Answerer) Outcome {
	w := b.w
	n := w.put(id, l)
	w.last.reset(ev)
	b.run, b.asked = b.run[:0], answers
	err := b.handle(n, ev, &d)
	b.restore(id)
	b.classify()
	return Outcome{After: w.take(n), Effects: w.last.Effects, Questions: b.run, Observed: w.last.Observed, Err: err}
}

func (b *Bench) handle(n *node, ev sim.Event, d *Handed) error {
	switch ev.Kind {
	case sim.Boot:
		if err := b.w.load(n); err != nil {
			return err
		}
	case sim.DoAction:
		n.counts[ev.Slot]++
	}
	return b.w.handle(n, ev, d, b)
}

// Load builds the service of a node that has never been up: the local state before Boot is called. The
// error is a finding.
func (b *Bench) Load(id sim.NodeID) (*Local, error) {
	n := b.w.put(id, b.Down(id))
	err := b.w.load(n)
	b.restore(id)
	return b.w.take(n), err
}

// Choose implements [choose.Source] for the handler that is running.
func (b *Bench) Choose(p choose.Point) int {
	pick := b.asked.Choose(p)
	p.Weights = slices.Clone(p.Weights)
	b.run = append(b.run, Question{Before: len(b.w.last.Effects), Point: p, Pick: pick})
	return pick
}

func (b *Bench) room(peer sim.NodeID) int {
	if b.w.probing {
		return 0
	}
	q := Question{Before: len(b.w.last.Effects), Peer: peer, Room: b.asked.Room(peer)}
	for i := range b.w.last.Effects {
		switch f := &b.w.last.Effects[i]; {
		case f.Peer != peer:
		case f.Kind == StreamEffect:
			q.Sent++
		case f.Kind == CloseEffect:
			q.Fresh, q.Sent = true, 0
		}
	}
	b.run = append(b.run, q)
	return q.Room
}

// classify tells the observations of Stream.Send from those of Stream.Room: the last one before the
// effect of a Send is its own.
func (b *Bench) classify() {
	for i := range b.run {
		q := &b.run[i]
		if !q.Observation() {
			continue
		}
		q.Exact = true
		if q.Before < len(b.w.last.Effects) && (i+1 == len(b.run) || b.run[i+1].Before > q.Before) {
			f := &b.w.last.Effects[q.Before]
			q.Exact = f.Peer != q.Peer || f.Kind != StreamEffect && f.Kind != RefusedEffect
		}
	}
}

// Settle makes the effects before end happen to the node that asked for them; l is as after the
// handler. When an effect fails, failed is its number, and the effects before it have happened.
func (b *Bench) Settle(id sim.NodeID, l *Local, effects []Effect, end int) (after *Local, failed int, err error) {
	n := b.prepare(id, l, effects)
	if err = b.w.apply(n, 0, end); err == nil {
		return b.w.take(n), end, nil
	}
	after = b.w.take(n)
	for failed = range end {
		if b.w.apply(b.prepare(id, l, effects), 0, failed+1) != nil {
			break
		}
	}
	return after, failed, err
}

func (b *Bench) prepare(id sim.NodeID, l *Local, effects []Effect) *node {
	n := b.w.put(id, l)
	b.w.last.reset(sim.Event{Node: id, Peer: -1})
	b.w.last.Effects = append(b.w.last.Effects, effects...)
	b.w.monitors = b.w.monitors[:0]
	return n
}

// CrashInside makes the effects before cut happen to the node, and then a crash, which keeps that
// many unsynced writes. Outcomes is how many numbers of kept writes there are.
func (b *Bench) CrashInside(id sim.NodeID, l *Local, effects []Effect, cut, kept int) (after *Local, outcomes int) {
	n := b.prepare(id, l, effects)
	src := fixed{pick: kept, arity: 1}
	b.w.src = &src
	_ = b.w.crashInside(n, cut) // the caller knows from Settle where effects fail
	b.restore(id)
	return b.w.take(n), src.arity
}

// Crash takes the node down; it keeps that many unsynced writes.
func (b *Bench) Crash(id sim.NodeID, l *Local, kept int) *Local {
	n := b.w.put(id, l)
	b.w.src = &fixed{pick: kept}
	b.w.crash(n)
	b.restore(id)
	return b.w.take(n)
}

// restore makes properties see again what was shown.
func (b *Bench) restore(id sim.NodeID) {
	if s := b.shown[id]; s != nil {
		b.w.check.shown.Services[id] = s.service
	}
}

// fixed answers one question.
type fixed struct{ pick, arity int }

func (f *fixed) Choose(p choose.Point) int {
	f.arity = p.Arity
	return f.pick
}

// Carries reports whether the effect is about a message.
func (k EffectKind) Carries() bool {
	return k == SendEffect || k == StreamEffect || k == RefusedEffect
}

// Outlasts reports whether it makes a difference that the effect happened when the node crashes right
// after it.
func (k EffectKind) Outlasts() bool { return k.outlasts() }

// WhoCrashes tells by node which may crash when they are up. The error is a finding.
func (b *Bench) WhoCrashes() ([]bool, error) {
	w := b.w
	if err := w.whoCrashes(); err != nil || w.crashing != nil {
		return w.crashing, err
	}
	return slices.Repeat([]bool{true}, len(w.nodes)), nil
}

// Events appends the events of the node that the network has no part in: actions and, if timers may
// fire, timers; or the boot of a node that is down.
func (b *Bench) Events(id sim.NodeID, l *Local, timers bool, buf []sim.Event) []sim.Event {
	n := b.w.put(id, l)
	b.w.quiet = timers
	var err error
	defer func() {
		if err != nil {
			panic(err)
		}
	}()
	defer b.w.catchWhen(&err)
	return b.w.appendNode(n, buf)
}

// EventsWatched is Events that panics with a finding when the When of an action changes the state.
func (b *Bench) EventsWatched(id sim.NodeID, l *Local, timers bool, buf []sim.Event) []sim.Event {
	b.w.watching = true
	defer func() { b.w.watching = false }()
	return b.Events(id, l, timers, buf)
}

// Quorums reports whether the system has quorums.
func (b *Bench) Quorums() bool { return len(b.w.quorums) > 0 }

// Assemble tells what the quorums of a node that is up take of the datagrams that can be delivered to it, which are in the network's
// canonical order. Watched, it looks whether their functions change anything. The error is a finding.
func (b *Bench) Assemble(id sim.NodeID, l *Local, all []sim.From[any], watched bool) (made Assembly, err error) {
	b.w.watching = watched
	defer func() { b.w.watching = false }()
	defer b.w.catchWhen(&err)
	return b.w.assemble(b.w.put(id, l), all), nil
}

// AppendLocal appends the canonical encoding of a local state. It panics with a finding's text when
// the state holds something that cannot be encoded.
func (b *Bench) AppendLocal(id sim.NodeID, l *Local, buf []byte) []byte {
	return b.w.appendNodeState(b.w.put(id, l), buf)
}

// Hash is the component hash of an encoding.
func Hash(kind ComponentKind, index int, enc []byte) sim.Fingerprint {
	return plan.Hash(seed(kind, index), enc)
}

// HashBudgets is the component hash of the crashes that are left.
func (b *Bench) HashBudgets(crashesLeft int) sim.Fingerprint {
	b.w.crashesLeft = crashesLeft
	return b.w.budgets()
}

// Copyable reports why a local state cannot be copied; nil when it can.
func (b *Bench) Copyable(l *Local) error { return b.w.copyable(l) }

// Copy returns a deep copy.
func (b *Bench) Copy(l *Local) (*Local, error) { return b.w.copyLocal(l) }

// NewMessage returns a message with an identity, whose encoding and hash are known. It refers to
// body.
func (b *Bench) NewMessage(body any, id sim.MessageID) sim.Message {
	m := sim.Message{Body: body, ID: id}
	b.w.encoded(&m)
	b.w.HashMessage(&m)
	return m
}

// AppendValue appends the canonical encoding of a message or an announced event.
func (b *Bench) AppendValue(v any, buf []byte) []byte { return b.w.planOf(v).Append(buf, v) }

// CopyValue returns a private copy of a message or an announced event.
func (b *Bench) CopyValue(v any) any {
	return b.w.privateTo(v)
}

// NewMonitor returns monitor number i as at the start of a run.
func (b *Bench) NewMonitor(i int) sim.Monitor { return b.w.sys.Monitors[i]() }

// AppendMonitor appends the canonical encoding of a monitor.
func (b *Bench) AppendMonitor(m sim.Monitor, buf []byte) []byte {
	b.w.enc.Reset()
	b.w.enc.Add(b.w.planOf(m), m)
	return append(buf, b.w.enc.Bytes()...)
}

// CopyMonitor returns a deep copy. The error says why there is none.
func (b *Bench) CopyMonitor(m sim.Monitor) (c sim.Monitor, err error) {
	defer plan.Catch(&err)
	return b.w.planOf(m).Copy(m).(sim.Monitor), nil
}

// Observe tells a monitor of an announced event. The error is a finding.
func (b *Bench) Observe(m sim.Monitor, from sim.NodeID, event any) error {
	w := b.w
	w.monitors = append(w.monitors[:0], m)
	w.last.reset(sim.Event{Node: from, Peer: -1})
	w.last.Effects = append(w.last.Effects, Effect{Kind: AnnounceEffect, Peer: -1, Value: event})
	err := w.apply(&w.nodes[from], 0, 1)
	w.monitors = w.monitors[:0]
	return err
}

// Contain runs f and turns a panic into the finding that it is when node id asked for what f does.
func (b *Bench) Contain(id sim.NodeID, f func()) (err error) {
	defer b.w.contain(id, &err)
	f()
	return nil
}

// Place makes l the state of a node for Key and the methods for people; the network is that of
// Parted.
func (b *Bench) Place(id sim.NodeID, l *Local) { b.w.put(id, l) }

// Key is [World.Key] of an event that concerns nothing but what was placed.
func (b *Bench) Key(ev sim.Event) string {
	b.w.net = b.real
	defer func() { b.w.net = &b.idle }()
	if ev.Kind == sim.TakeQuorum {
		b.w.appendNode(&b.w.nodes[ev.Node], nil) // lists the sets
	}
	return b.w.Key(ev)
}

// Hidden is [plan.Plan.Hidden] of two services of one type.
func (b *Bench) Hidden(s, t sim.Service) []plan.Change { return b.w.planOf(s).Hidden(s, t) }

// NodeFields is [World.NodeFields] of a node that was placed.
func (b *Bench) NodeFields(id sim.NodeID) []sim.Field { return b.w.NodeFields(id) }

// NetFields is [World.NetFields].
func (b *Bench) NetFields(crashesLeft int) []sim.Field {
	b.w.net, b.w.crashesLeft = b.real, crashesLeft
	defer func() { b.w.net = &b.idle }()
	return b.w.NetFields()
}

// idle is the network while a handler runs and its effects are settled: it says how much room there
// is, and nothing happens to it.
type idle struct {
	noNetwork
	b *Bench
}

func (n *idle) Room(from, to sim.NodeID) int {
	if p := n.b.parted; p != nil {
		if _, streams := p.Kinds(); !streams {
			return p.Room(from, to) // panics as it should
		}
	}
	return n.b.room(to)
}

func (n *idle) Capacity() int                                    { return n.b.real.Capacity() }
func (n *idle) SendDatagram(sim.NodeID, sim.NodeID, sim.Message) {}
func (n *idle) SendStream(sim.NodeID, sim.NodeID, sim.Message)   {}
func (n *idle) RefuseStream(sim.NodeID, sim.NodeID)              {}
