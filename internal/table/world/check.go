package world

import (
	"math/bits"

	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Properties shows the state to properties, and caches the values of those that read few nodes: each by the local
// states of the nodes that it has ever read (Property.values), and all together by those that any has read (Verdicts).
// A property that reads another node, or the messages in flight, for the first time empties the caches.
type Properties struct {
	Shown      []uint32 // local states shown last, plus one
	asked      int      // number of states shown
	Verdicts   steptree.Verdicts
	nodes      uint64   // nodes that any property has ever read
	Read       []int32  // nodes that verdicts depend on, ascending: the same, or all while there are none
	Key        []uint32 // scratch: their local states
	Always     []Property
	Eventually []Property
	Inevitably []Property
	last       int  // index of the last Eventually property that failed
	InFlight   bool // some property has read the messages in flight
}

// Property is a property with a cache of its values.
type Property struct {
	*sim.Property
	number   int        // index in the properties of the system
	Nodes    uint64     // nodes that it has ever read; its reads in a state may depend on earlier reads
	InFlight bool       // it has ever read the messages in flight
	values   store.Memo // by the local states of one or two nodes
}

func (p *Properties) init(w *World) {
	*p = Properties{Shown: make([]uint32, w.Nodes), Key: make([]uint32, w.Nodes)}
	for i := range int32(w.Nodes) {
		p.Read = append(p.Read, i)
	}
	w.Bench.ShowInFlight(w.inFlight)
	for i := range w.Sys.Properties {
		switch q := &w.Sys.Properties[i]; {
		case q.Always != nil:
			p.Always = append(p.Always, Property{Property: q, number: i})
		case q.Eventually != nil:
			p.Eventually = append(p.Eventually, Property{Property: q, number: i})
		case q.Inevitably != nil:
			p.Inevitably = append(p.Inevitably, Property{Property: q, number: i})
		}
	}
}

// Reads records that a property has read nodes.
func (p *Properties) Reads(nodes uint64) {
	if nodes|p.nodes == p.nodes {
		return
	}
	p.nodes |= nodes
	p.Read, p.Verdicts = p.Read[:0], steptree.Verdicts{}
	for nodes := p.nodes; nodes != 0; nodes &= nodes - 1 {
		p.Read = append(p.Read, int32(bits.TrailingZeros64(nodes)))
	}
	p.Key = p.Key[:len(p.Read)]
}

// ReadLocals returns the local states that verdicts depend on. The result is valid until the next call.
func (w *World) ReadLocals() []uint32 {
	p := &w.Properties
	if len(p.Read) == w.Nodes {
		return w.Vector[:w.Nodes]
	}
	for i, node := range p.Read {
		p.Key[i] = w.Vector[node]
	}
	return p.Key
}

// Remember caches a verdict on the state if it depends on local states alone.
func (w *World) Remember(verdict uint32) {
	if p := &w.Properties; !p.InFlight {
		*p.Verdicts.Of(w.ReadLocals()) |= verdict
	}
}

// key encodes the local states that p depends on. Ok is false if they do not fit into a key.
func (p *Property) key(v []uint32) (key uint64, ok bool) {
	if p.InFlight || p.Nodes == 0 {
		return 0, false
	}
	first := bits.TrailingZeros64(p.Nodes)
	rest := p.Nodes & (p.Nodes - 1)
	if rest == 0 {
		return uint64(v[first]), true
	}
	if rest&(rest-1) != 0 {
		return 0, false
	}
	return uint64(v[first])<<32 | uint64(v[bits.TrailingZeros64(rest)]), true
}

// Value evaluates a property. A panic of its function propagates.
func (w *World) Value(p *Property) bool {
	key, few := p.key(w.Vector)
	if few {
		if known, ok := p.values.Get(key); ok {
			return known == 1
		}
	}
	nodes := p.Nodes
	holds, _ := w.Evaluate(p)
	if p.Nodes != nodes || p.InFlight {
		key, few = p.key(w.Vector)
	}
	if few {
		known := uint64(0)
		if holds {
			known = 1
		}
		p.values.Put(key, known)
	}
	return holds
}

// Evaluate evaluates a property without the cache, and records what it reads.
func (w *World) Evaluate(p *Property) (holds bool, reads simhook.Reads) {
	if w.Calls != nil {
		defer w.NoteProperty(p.number, w.Vector[:w.Nodes]...)()
	}
	w.show()
	w.Bench.Reads()
	defer func() { // also after a panic
		reads = w.Bench.Reads()
		if more := p.Nodes | reads.All(); more != p.Nodes || reads.InFlight && !p.InFlight {
			p.Nodes, p.InFlight, p.values = more, p.InFlight || reads.InFlight, store.Memo{}
			w.Properties.InFlight = w.Properties.InFlight || reads.InFlight
			w.Properties.Reads(more)
		}
	}()
	return w.Bench.Holds(p.Property), reads
}

// show updates the local states that properties can read.
func (w *World) show() {
	for i, id := range w.Vector[:w.Nodes] {
		if w.Properties.Shown[i] != id+1 {
			w.Properties.Shown[i] = id + 1
			w.Bench.Show(sim.NodeID(i), w.Locals.List[id].State)
		}
	}
}

// Check implements [kernel.World].
func (w *World) Check() error {
	if ok, stuck := w.AlwaysHold(); stuck != nil {
		return stuck
	} else if !ok {
		w.show()
		return w.Bench.Check() // returns the violation
	}
	if w.Properties.asked++; w.Samples.Sampled(w.Properties.asked) {
		return w.CheckUnchanged()
	}
	return nil
}

// AlwaysHold reports whether all Always properties hold. A panic counts as a violation. The error reports a
// property that does not return, and must not be evaluated again.
func (w *World) AlwaysHold() (ok bool, stuck error) {
	defer func() {
		if !ok {
			if err, yes := recover().(error); yes && store.IsOverdue(err) {
				stuck = err
			}
		}
	}()
	p := &w.Properties
	if *p.Verdicts.Of(w.ReadLocals())&steptree.IsSound != 0 {
		return true, nil
	}
	for i := range p.Always {
		if !w.Value(&p.Always[i]) {
			return false, nil
		}
	}
	w.Remember(steptree.IsSound)
	return true, nil
}

// Live implements [kernel.World].
func (w *World) Live() bool {
	p := &w.Properties
	if len(p.Eventually) == 0 {
		return true
	}
	if verdict := *p.Verdicts.Of(w.ReadLocals()); verdict&(steptree.IsLive|steptree.NotLive) != 0 {
		return verdict&steptree.IsLive != 0
	}
	live, _, panicked := properties.Together(len(p.Eventually), &p.last, func(i int) bool { return w.Value(&p.Eventually[i]) })
	switch {
	case panicked != nil:
		panic(panicked)
	case live:
		w.Remember(steptree.IsLive)
	default:
		w.Remember(steptree.NotLive)
	}
	return live
}

// Holds implements [kernel.World].
func (w *World) Holds(p *sim.Property) bool {
	w.show()
	return w.Bench.Holds(p)
}

// Explain implements [kernel.World].
func (w *World) Explain(p *sim.Property) string {
	w.show()
	return w.Bench.Explain(p)
}

// inFlight yields the messages in flight by receiver. For each receiver it yields first stream messages, by sender
// and in sending order, then datagrams by content and sender.
func (w *World) inFlight(yield func(sim.Envelope) bool) {
	for to := range sim.NodeID(w.Nodes) {
		if !w.streamsTo(to, yield) || !datagramsTo(w, to, yield) {
			return
		}
	}
}

func (w *World) streamsTo(to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if w.Layout.PairCount == 0 {
		return true
	}
	for from := range sim.NodeID(w.Nodes) {
		word, side := w.connection(from, to)
		for _, msg := range w.Conns.Queue(w.Vector[word], side) {
			if !yield(sim.Envelope{From: from, To: to, Msg: w.Contents.List[msg].Body, Stream: true}) {
				return false
			}
		}
	}
	return true
}

func datagramsTo(w *World, to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if w.Layout.InboxCount == 0 {
		return true
	}
	for _, it := range w.Inboxes.List[w.Vector[w.Layout.Inboxes+int(to)]].Items {
		if !yield(netmodel.QueuedEnvelope(it.From, to, w.Contents.List[it.Msg].Body, 0)) {
			return false
		}
	}
	return true
}
