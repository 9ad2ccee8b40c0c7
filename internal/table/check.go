package table

import (
	"math/bits"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// properties shows the state to properties, and remembers the values of those that read few nodes.
type properties struct {
	shown      []uint32 // local states that are shown, plus one
	asked      int
	verdicts   verdicts
	nodes      uint64   // all that some property has ever read
	read       []int32  // those that verdicts hang on: these, ascending, or all, as long as there are none
	key        []uint32 // scratch: their local states
	always     []property
	eventually []property
	inevitably []property
	last       int  // the Eventually property that was the last to fail
	inFlight   bool // some property was seen to read the messages in flight
}

// property is a property with its values by what it reads.
type property struct {
	*sim.Property
	number   int
	nodes    uint64 // all that it has ever read: what it reads in a state may hang on what it read before
	inFlight bool
	values   memo // by the local states of one or two nodes
}

func (p *properties) init(w *World) {
	*p = properties{shown: make([]uint32, w.nodes), key: make([]uint32, w.nodes)}
	for i := range int32(w.nodes) {
		p.read = append(p.read, i)
	}
	w.bench.ShowInFlight(w.inFlight)
	for i := range w.sys.Properties {
		switch q := &w.sys.Properties[i]; {
		case q.Always != nil:
			p.always = append(p.always, property{Property: q, number: i})
		case q.Eventually != nil:
			p.eventually = append(p.eventually, property{Property: q, number: i})
		case q.Inevitably != nil:
			p.inevitably = append(p.inevitably, property{Property: q, number: i})
		}
	}
}

// reads notes that some property reads nodes.
func (p *properties) reads(nodes uint64) {
	if nodes|p.nodes == p.nodes {
		return
	}
	p.nodes |= nodes
	p.read, p.verdicts = p.read[:0], verdicts{}
	for nodes := p.nodes; nodes != 0; nodes &= nodes - 1 {
		p.read = append(p.read, int32(bits.TrailingZeros64(nodes)))
	}
	p.key = p.key[:len(p.read)]
}

// readNow is the local states that verdicts hang on. It is valid until the next call.
func (w *World) readNow() []uint32 {
	p := &w.properties
	if len(p.read) == w.nodes {
		return w.v[:w.nodes]
	}
	for i, node := range p.read {
		p.key[i] = w.v[node]
	}
	return p.key
}

// say remembers what was said of the state, unless it may hang on more.
func (w *World) say(said uint32) {
	if p := &w.properties; !p.inFlight {
		*p.verdicts.said(w.readNow()) |= said
	}
}

// key tells states apart in which p may have different values; ok is false when there is none.
func (p *property) key(v []uint32) (key uint64, ok bool) {
	if p.inFlight || p.nodes == 0 {
		return 0, false
	}
	first := bits.TrailingZeros64(p.nodes)
	rest := p.nodes & (p.nodes - 1)
	if rest == 0 {
		return uint64(v[first]), true
	}
	if rest&(rest-1) != 0 {
		return 0, false
	}
	return uint64(v[first])<<32 | uint64(v[bits.TrailingZeros64(rest)]), true
}

// value evaluates a property. A panic of its function goes on.
func (w *World) value(p *property) bool {
	key, few := p.key(w.v)
	if few {
		if known, ok := p.values.get(key); ok {
			return known == 1
		}
	}
	nodes := p.nodes
	holds, _ := w.ask(p)
	if p.nodes != nodes || p.inFlight {
		key, few = p.key(w.v)
	}
	if few {
		known := uint64(0)
		if holds {
			known = 1
		}
		p.values.put(key, known)
	}
	return holds
}

// ask evaluates a property, and notes what it reads.
func (w *World) ask(p *property) (holds bool, reads simhook.Reads) {
	if w.calls != nil {
		defer w.asking(p.number, w.v[:w.nodes]...)()
	}
	w.show()
	w.bench.Reads()
	defer func() { // also of one that panics
		reads = w.bench.Reads()
		if more := p.nodes | reads.All(); more != p.nodes || reads.InFlight && !p.inFlight {
			p.nodes, p.inFlight, p.values = more, p.inFlight || reads.InFlight, memo{}
			w.properties.inFlight = w.properties.inFlight || reads.InFlight
			w.properties.reads(more)
		}
	}()
	return w.bench.Holds(p.Property), reads
}

// show brings what is shown up to date.
func (w *World) show() {
	for i, id := range w.v[:w.nodes] {
		if w.properties.shown[i] != id+1 {
			w.properties.shown[i] = id + 1
			w.bench.Show(sim.NodeID(i), w.locals.list[id].state)
		}
	}
}

// Check implements [kernel.World].
func (w *World) Check() error {
	if ok, stuck := w.sound(); stuck != nil {
		return stuck
	} else if !ok {
		w.show()
		return w.bench.Check() // says what is wrong
	}
	if w.properties.asked++; w.samples.sampled(w.properties.asked) {
		return w.unchanged()
	}
	return nil
}

// sound reports whether all Always properties hold; a panic counts as not. The error is that one does not return: it is not to
// be asked again.
func (w *World) sound() (ok bool, stuck error) {
	defer func() {
		if !ok {
			if err, yes := recover().(error); yes && overdue(err) {
				stuck = err
			}
		}
	}()
	p := &w.properties
	if *p.verdicts.said(w.readNow())&isSound != 0 {
		return true, nil
	}
	for i := range p.always {
		if !w.value(&p.always[i]) {
			return false, nil
		}
	}
	w.say(isSound)
	return true, nil
}

// Live implements [kernel.World].
func (w *World) Live() bool {
	p := &w.properties
	if len(p.eventually) == 0 {
		return true
	}
	if said := *p.verdicts.said(w.readNow()); said&(isLive|notLive) != 0 {
		return said&isLive != 0
	}
	live, _, panicked := kernel.Together(len(p.eventually), &p.last, func(i int) bool { return w.value(&p.eventually[i]) })
	switch {
	case panicked != nil:
		panic(panicked)
	case live:
		w.say(isLive)
	default:
		w.say(notLive)
	}
	return live
}

// Holds implements [kernel.World].
func (w *World) Holds(p *sim.Property) bool {
	w.show()
	return w.bench.Holds(p)
}

// Explain implements [kernel.World].
func (w *World) Explain(p *sim.Property) string {
	w.show()
	return w.bench.Explain(p)
}

// inFlight yields the messages in flight: by receiver; there first what is in streams, by sender and
// in the order in which it was sent, then datagrams by content and sender.
func (w *World) inFlight(yield func(sim.Envelope) bool) {
	for to := range sim.NodeID(w.nodes) {
		if !w.streamsTo(to, yield) || !w.datagramsTo(to, yield) {
			return
		}
	}
}

func (w *World) streamsTo(to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if w.layout.pairCount == 0 {
		return true
	}
	for from := range sim.NodeID(w.nodes) {
		word, side := w.connection(from, to)
		for _, msg := range w.conns.queue(w.v[word], side) {
			if !yield(sim.Envelope{From: from, To: to, Msg: w.messages.list[msg].Body, Stream: true}) {
				return false
			}
		}
	}
	return true
}

func (w *World) datagramsTo(to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if w.layout.inboxCount == 0 {
		return true
	}
	for _, it := range w.inboxes.list[w.v[w.layout.inboxes+int(to)]].items {
		if !yield(sim.QueuedEnvelope(it.from, to, w.messages.list[it.msg].Body, 0)) {
			return false
		}
	}
	return true
}
