package table

import (
	"iter"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// World is a [kernel.World] that looks steps up. Besides a state it holds the tables, which stay when it
// is started anew. Messages that it shows have no identities.
type World struct {
	*engine
	v    []uint32 // the state
	up   uint64   // set of nodes
	last kernel.Step
	told *[]roomTold // what a step was told of room in streams is added here; nil: nobody asks

	// Sets of peers, by node.
	failing, ready, deliverable, established []uint64
	peers                                    []uint64 // all of these

	enabled blocks
	quiet   bool // as of the last listing; only kept under Prompt timing

	// bare: only the vector and the set of nodes that are up are kept up to date, see derive.
	bare   bool
	most   int  // entries of the tables
	inside bool // the node crashed inside the step, or halted
	halted bool // it halted

	askedOfGroup int // questions of the last step, its last ones, about the writes of nodes that crashed with its own

	handled  bool // the last step was that of a handler, and went the way of leaf
	leaf     uint32
	happened kernel.Cut // what happened of its effects

	acting     sim.NodeID // whose handler is running
	step       stepOf
	effects    []kernel.Effect // of Start
	properties properties
	covering   covering
	printed    printed
	cross      crossCheck
	tracers    [2]kernel.World // that execute paths again, without and with a look at messages; nil: not made yet
}

var _ kernel.World = (*World)(nil)

// NewWorld returns a world of the table engine, a [*World], that has not been started. Its arguments
// are those of [kernel.NewWorld]. Tracing and the check of messages watch handlers run, so with those
// options the result is a world of the replay engine. The error is that of kernel.NewWorld, or
// [*Unsupported].
//
// [kernel.World.Start] and Step may also fail with *Unsupported, when a state turns up that the tables
// cannot hold; the run must be repeated with the replay engine then.
func NewWorld(sys *sim.System, opts kernel.Options) (kernel.World, error) {
	if opts.Trace || opts.CheckMessages {
		return kernel.NewWorld(sys, opts)
	}
	e, err := newEngine(sys, opts, nil)
	if err != nil {
		return nil, err
	}
	return newWorld(e), nil
}

// newWorld makes a world on the tables of e. The engine serves one world at a time: the one that was
// made last.
func newWorld(e *engine) *World {
	w := &World{engine: e, most: DefaultLimit, v: make([]uint32, e.layout.words)}
	sets := make([]uint64, 4*e.nodes)
	w.peers = sets
	w.failing, w.ready = sets[:e.nodes], sets[e.nodes:2*e.nodes]
	w.deliverable, w.established = sets[2*e.nodes:3*e.nodes], sets[3*e.nodes:]
	w.enabled.init(e.nodes)
	w.properties.init(w)
	w.clear()
	return w
}

// newBareWorld makes a world likewise, of which only the vector and the nodes that are up are kept.
func newBareWorld(e *engine) *World {
	w := newWorld(e)
	w.bare = true
	return w
}

// System implements [kernel.World].
func (w *World) System() *sim.System { return w.sys }

// Last implements [kernel.World].
func (w *World) Last() *kernel.Step { return &w.last }

// Service implements [kernel.World].
func (w *World) Service(id sim.NodeID) sim.Service { return w.locals.list[w.v[id]].state.Service() }

// Stats tells what was done so far.
func (w *World) Stats() Stats {
	s := w.stats
	s.Locals, s.Messages, s.Leaves = len(w.locals.list), len(w.messages.list), w.steps.leaves.len()
	return s
}

// Plans tells how services and monitors are made for handlers to run on, as far as was necessary so
// far, by type.
func (w *World) Plans() []Plan { return w.plans.sorted() }

// clear makes the state that before the first boot.
func (w *World) clear() {
	l := &w.layout
	clear(w.v)
	copy(w.v, w.initial)
	copy(w.v[l.monitors:], w.monitors.first)
	if l.pairCount > 0 { // between two nodes it is emptyConn
		for id := range sim.NodeID(w.nodes) {
			w.v[l.conns+l.pair(id, id)] = emptySelf
		}
	}
	w.v[l.budget] = uint32(w.sys.Crashes*oneCrash + kernel.MostHalts(w.sys)*oneHalt)
	w.derive()
	w.enabled.all()
}

// restore makes v the state of a bare world.
func (w *World) restore(v []uint32) {
	copy(w.v, v)
	w.derive()
}

// derive brings the sets of nodes up to date with the vector.
func (w *World) derive() {
	w.up = 0
	for i := range w.nodes {
		if w.engine.up(w.v[i]) {
			w.up |= 1 << i
		}
	}
	w.refreshConns()
}

// Start implements [kernel.World].
func (w *World) Start(src choose.Source) error {
	if w.full() {
		if err := w.forget(); err != nil {
			return err
		}
	}
	accompanied, err := w.crossCheckStep()
	switch {
	case err != nil:
		return err
	case accompanied:
		return w.follow(nil, src)
	}
	return w.start(src)
}

func (w *World) start(src choose.Source) error {
	w.clear()
	w.last.Reset(&sim.Event{Kind: sim.Boot, Peer: -1})
	w.last.Effects = nil
	w.effects = w.effects[:0]
	if w.crashing == nil {
		before, err := w.calls.call(failCall, 0)
		if err == nil {
			w.crashing, w.halting, err = w.bench.WhoFails()
			w.calls.end(before)
		}
		if err != nil {
			return err
		}
	}
	for i := range w.nodes {
		w.setLocal(sim.NodeID(i), w.loaded[i]) // all are there before the first of them boots
	}
	if w.noLoad != nil {
		return w.noLoad
	}
	w.up = w.early
	for i := range w.nodes {
		if w.early>>i&1 == 0 {
			continue
		}
		w.prepare(&sim.Event{Kind: sim.Boot, Node: sim.NodeID(i), Peer: -1})
		w.step.local = w.initial[i]
		id, err := w.walk(&w.step, src, w)
		if err != nil {
			return err
		}
		l := w.steps.leaves.at(id)
		l.met = true
		w.observe(l)
		w.effects = append(w.effects, l.effects...)
		w.last.Effects = w.effects
		w.setLocal(w.step.ev.Node, l.next)
		if l.err != nil {
			return l.err
		}
		w.last.Applied = len(w.effects)
		if _, err := w.apply(id, kernel.Cut{At: len(l.effects)}); err != nil {
			return err
		}
	}
	return w.untold()
}

// forget drops all tables. The state is lost with them.
func (w *World) forget() error {
	e, err := newEngine(w.sys, w.opts, w.calls)
	if err != nil {
		return err
	}
	e.stats, e.samples, e.plans = w.stats, w.samples, w.plans
	e.stats.Dropped++
	w.engine = e
	w.printed = printed{}
	w.properties.init(w)
	return nil
}

// printed keeps the fingerprint of the state that it was last asked for.
type printed struct {
	v   []uint32
	sum sim.Fingerprint
	net sim.Fingerprint // the network's share
}

// Fingerprint implements [kernel.World]. It is that of the replay engine.
func (w *World) Fingerprint() sim.Fingerprint {
	w.print()
	return w.printed.sum
}

func (w *World) print() {
	p := &w.printed
	if p.v == nil {
		p.v = make([]uint32, len(w.v))
		copy(p.v, w.v)
		for i, word := range w.v {
			h, net := w.wordHash(i, word)
			p.add(h, net)
		}
		return
	}
	for i, word := range w.v {
		if old := p.v[i]; old != word {
			h, net := w.wordHash(i, old)
			p.sub(h, net)
			h, net = w.wordHash(i, word)
			p.add(h, net)
			p.v[i] = word
		}
	}
}

func (p *printed) add(h sim.Fingerprint, net bool) {
	p.sum = p.sum.Add(h)
	if net {
		p.net = p.net.Add(h)
	}
}

func (p *printed) sub(h sim.Fingerprint, net bool) {
	p.sum = p.sum.Sub(h)
	if net {
		p.net = p.net.Sub(h)
	}
}

// NodeFingerprint implements [kernel.World].
func (w *World) NodeFingerprint(id sim.NodeID) sim.Fingerprint { return w.locals.list[w.v[id]].hash }

// Components implements [kernel.World].
func (w *World) Components() iter.Seq2[kernel.Component, sim.Fingerprint] {
	return func(yield func(kernel.Component, sim.Fingerprint) bool) {
		w.print()
		for i := range w.nodes {
			if !yield(kernel.Component{Kind: kernel.NodeState, Index: i}, w.locals.list[w.v[i]].hash) {
				return
			}
		}
		if !yield(kernel.Component{Kind: kernel.NetState}, w.printed.net) {
			return
		}
		for i := range w.sys.Monitors {
			if !yield(kernel.Component{Kind: kernel.MonitorState, Index: i}, w.monitors.list[w.v[w.layout.monitors+i]].hash) {
				return
			}
		}
		yield(kernel.Component{Kind: kernel.Budgets}, w.budgetHash(w.v[w.layout.budget]))
	}
}

// Limit changes the number of entries.
func (w *World) Limit(entries int) { w.most = entries }

// full reports whether the tables are to be dropped.
func (w *World) full() bool { return w.entries() > w.most }
