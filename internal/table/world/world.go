package world

import (
	"iter"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// World is a [kernel.World] that looks steps up. Its tables persist between runs. Messages that it shows have no
// identities.
type World struct {
	*steptree.Engine
	Vector      []uint32           // the state; Layout names its words
	UpNodes     uint64             // set of nodes
	last        stepinfo.Step      // not updated by a bare world
	RoomAnswers *[]RoomObservation // if not nil, collects the observations of room in streams

	// Sets of peers, by node: from which it can receive an error, news of room, or a message, and the connections that
	// may break, by their lower node. They follow from the connections in Vector.
	Failing, Ready, Deliverable, Established []uint64
	peers                                    []uint64 // all of these

	enabled eventList
	Quiet   bool // at the last listing; only set under Prompt timing

	// bare worlds update only the vector and the set of nodes that are up, see Refresh.
	bare         bool
	MaxEntries   int  // limit of table entries
	FailedInside bool // the node crashed or halted inside the step
	Halted       bool // the node halted

	AskedOfGroup int // number of last questions of the step about the writes of nodes that crashed together with its own

	Handled  bool         // the last step was a handler's
	Leaf     uint32       // its outcome; undefined unless Handled
	Happened stepinfo.Cut // the executed part of its effects

	Acting        sim.NodeID        // the node of the running handler
	Current       store.Situation   // its step
	effects       []stepinfo.Effect // scratch: of all boots of Start
	Properties    Properties
	Covering      covering
	printed       printed
	CrossCheck    CrossCheck
	retraceWorlds [2]kernel.World // worlds that retrace paths, without and with a check of messages; nil until needed
}

var _ kernel.World = (*World)(nil)

// New returns a world of the table engine, a [*World], that has not been started. Its arguments are those of
// [kernel.NewWorld]. Tracing and the check of messages need running handlers, so with those options the result is a
// world of the replay engine. The error is that of kernel.NewWorld, or [*options.Unsupported].
//
// [kernel.World.Start] and Step also fail with *Unsupported if the tables cannot hold a state. The run must be
// repeated on the replay engine then.
func New(sys *sim.System, opts kernel.Options) (kernel.World, error) {
	if opts.Trace || opts.CheckMessages {
		return kernel.NewWorld(sys, opts)
	}
	e, err := steptree.NewEngine(sys, opts, nil)
	if err != nil {
		return nil, err
	}
	return NewOn(e), nil
}

// NewOn makes a world on the tables of e. The engine serves one world at a time, the last one made.
func NewOn(e *steptree.Engine) *World {
	w := &World{Engine: e, MaxEntries: store.DefaultLimit, Vector: make([]uint32, e.Layout.Words)}
	sets := make([]uint64, 4*e.Nodes)
	w.peers = sets
	w.Failing, w.Ready = sets[:e.Nodes], sets[e.Nodes:2*e.Nodes]
	w.Deliverable, w.Established = sets[2*e.Nodes:3*e.Nodes], sets[3*e.Nodes:]
	w.enabled.Blocks = netmodel.NewBlocks(e.Nodes)
	w.Properties.init(w)
	w.clear()
	return w
}

// NewBareOn is NewOn for a bare world, which updates only the vector and the set of nodes that are up.
func NewBareOn(e *steptree.Engine) *World {
	w := NewOn(e)
	w.bare = true
	return w
}

// System implements [kernel.World].
func (w *World) System() *sim.System { return w.Sys }

// Last implements [kernel.World].
func (w *World) Last() *stepinfo.Step { return &w.last }

// Service implements [kernel.World].
func (w *World) Service(id sim.NodeID) sim.Service {
	return w.Locals.List[w.Vector[id]].State.Service()
}

// Stats returns the counters of the engine.
func (w *World) Stats() steptree.Stats {
	s := w.Counters
	s.Locals, s.Messages, s.Leaves = len(w.Locals.List), len(w.Contents.List), w.Trees.Leaves.Len()
	return s
}

// Plans lists how services and monitors are copied for handlers, by type, for the types copied so far.
func (w *World) Plans() []store.Plan { return w.CopyPlans.Sorted() }

// clear sets the state before the first boot.
func (w *World) clear() {
	l := &w.Layout
	clear(w.Vector)
	copy(w.Vector, w.Boots.Initial)
	copy(w.Vector[l.Monitors:], w.Monitors.First)
	if l.PairCount > 0 { // between two nodes it is the empty connection, 0
		for id := range sim.NodeID(w.Nodes) {
			w.Vector[l.Conns+l.Pair(id, id)] = store.EmptySelf
		}
	}
	w.Vector[l.Budget] = uint32(w.Sys.Crashes*store.OneCrash + declared.MostHalts(w.Sys)*store.OneHalt)
	w.Refresh()
	w.enabled.MarkAll()
}

// Restore sets the state of a bare world to v.
func (w *World) Restore(v []uint32) {
	copy(w.Vector, v)
	w.Refresh()
}

// Refresh updates the sets of nodes from the vector.
func (w *World) Refresh() {
	w.UpNodes = 0
	for i := range w.Nodes {
		if w.Engine.IsUp(w.Vector[i]) {
			w.UpNodes |= 1 << i
		}
	}
	w.refreshConns()
}

// Start implements [kernel.World].
func (w *World) Start(src choose.Source) (err error) {
	defer w.Engine.CatchRule(&err)
	if w.full() {
		if err := w.forget(); err != nil {
			return err
		}
	}
	sampled, err := w.crossCheckStep()
	switch {
	case err != nil:
		return err
	case sampled:
		return w.follow(nil, src)
	}
	return w.Begin(src)
}

func (w *World) Begin(src choose.Source) error {
	w.clear()
	w.last.Reset(&netmodel.Event{Kind: eventkind.Boot, Peer: -1})
	w.last.Effects = nil
	w.effects = w.effects[:0]
	if w.Sys.Timing.Sometimes() && src.Choose(kernel.Unbounded) == 0 {
		return options.BoundedDelays(w.Sys.Timing)
	}
	if w.Failures.Crashing == nil {
		before, err := w.Calls.Enter(options.FailCall, 0)
		if err == nil {
			w.Failures.Crashing, w.Failures.Halting, err = w.Bench.WhoFails()
			w.Calls.Leave(before)
		}
		if err != nil {
			return err
		}
	}
	for i := range w.Nodes {
		w.setLocal(sim.NodeID(i), w.Boots.Loaded[i]) // all are loaded before the first of them boots
	}
	if w.Boots.Err != nil {
		return w.Boots.Err
	}
	w.UpNodes = w.Boots.Early
	for i := range w.Nodes {
		if w.Boots.Early>>i&1 == 0 {
			continue
		}
		w.Prepare(&netmodel.Event{Kind: eventkind.Boot, Node: sim.NodeID(i), Peer: -1})
		w.Current.Local = w.Boots.Initial[i]
		id, err := w.Walk(&w.Current, src, w)
		if err != nil {
			return err
		}
		l := w.Trees.Leaves.At(id)
		l.Taken = true
		w.observe(l)
		w.effects = append(w.effects, l.Effects...)
		w.last.Effects = w.effects
		w.setLocal(w.Current.Event.Node, l.Next)
		if l.Err != nil {
			return l.Err
		}
		w.last.Applied = len(w.effects)
		if _, err := w.apply(id, stepinfo.Cut{At: len(l.Effects)}); err != nil {
			return err
		}
	}
	return w.UnlistedQuorums()
}

// forget drops all tables, and the state with them.
func (w *World) forget() error {
	e, err := steptree.NewEngine(w.Sys, w.Opts, w.Calls)
	if err != nil {
		return err
	}
	e.Counters, e.Samples, e.CopyPlans = w.Counters, w.Samples, w.CopyPlans
	e.Counters.Dropped++
	w.Engine = e
	w.printed = printed{}
	w.Properties.init(w)
	return nil
}

// printed caches the fingerprint of the last state.
type printed struct {
	v   []uint32
	sum encoding.Fingerprint
	net encoding.Fingerprint // the network's share
}

// Fingerprint implements [kernel.World]. It equals that of the replay engine.
func (w *World) Fingerprint() encoding.Fingerprint {
	w.print()
	return w.printed.sum
}

func (w *World) print() {
	p := &w.printed
	if p.v == nil {
		p.v = make([]uint32, len(w.Vector))
		copy(p.v, w.Vector)
		for i, word := range w.Vector {
			h, net := w.WordHash(i, word)
			p.add(h, net)
		}
		return
	}
	for i, word := range w.Vector {
		if old := p.v[i]; old != word {
			h, net := w.WordHash(i, old)
			p.sub(h, net)
			h, net = w.WordHash(i, word)
			p.add(h, net)
			p.v[i] = word
		}
	}
}

func (p *printed) add(h encoding.Fingerprint, net bool) {
	p.sum = p.sum.Add(h)
	if net {
		p.net = p.net.Add(h)
	}
}

func (p *printed) sub(h encoding.Fingerprint, net bool) {
	p.sum = p.sum.Sub(h)
	if net {
		p.net = p.net.Sub(h)
	}
}

// NodeFingerprint implements [kernel.World].
func (w *World) NodeFingerprint(id sim.NodeID) encoding.Fingerprint {
	return w.Locals.List[w.Vector[id]].Hash
}

// Components implements [kernel.World].
func (w *World) Components() iter.Seq2[kernel.Component, encoding.Fingerprint] {
	return func(yield func(kernel.Component, encoding.Fingerprint) bool) {
		w.print()
		for i := range w.Nodes {
			if !yield(kernel.Component{Kind: kernel.NodeState, Index: i}, w.Locals.List[w.Vector[i]].Hash) {
				return
			}
		}
		if !yield(kernel.Component{Kind: kernel.NetState}, w.printed.net) {
			return
		}
		for i := range w.Sys.Monitors {
			if !yield(kernel.Component{Kind: kernel.MonitorState, Index: i}, w.Monitors.List[w.Vector[w.Layout.Monitors+i]].Hash) {
				return
			}
		}
		yield(kernel.Component{Kind: kernel.Budgets}, w.Budgets.Hash(w.Vector[w.Layout.Budget]))
	}
}

// Limit sets the limit of entries.
func (w *World) Limit(entries int) { w.MaxEntries = entries }

// full reports whether to drop the tables.
func (w *World) full() bool { return w.Entries() > w.MaxEntries }
