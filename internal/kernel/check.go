package kernel

import (
	"cmp"
	"math/bits"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

type (
	shown     = simhook.View[sim.Service, sim.NodeID, sim.Envelope]
	predicate = simhook.Predicate[sim.Service, sim.NodeID, sim.Envelope]
)

// propertyState is what a machine knows of its properties' values.
type propertyState struct {
	view       sim.View
	shown      *shown     // by the view
	questions  []question // of all properties, in their order
	always     []question
	eventually []question
	last       int // the Eventually property that was the last to fail
	// mayBeStale: some service is a [simext.Showing].
	mayBeStale bool
	// judged and unjudged count values of properties. That of one which reads a node that shows an earlier state is not known.
	judged, unjudged int

	// What Each-properties said of single nodes.
	predicates []answered
	next       int // where the next predicate is looked for first
}

// answered is a predicate with what it said of single nodes. Bit i is node i.
type answered struct {
	*predicate
	known uint64
	holds uint64
}

// question is a property with the function that says whether it holds.
type question struct {
	*sim.Property
	holds func(*sim.View) bool
}

func (w *machine) question(p *sim.Property) question {
	holds := p.Sometimes
	switch {
	case p.Always != nil:
		holds = p.Always
	case p.Eventually != nil:
		holds = p.Eventually
	case p.Inevitably != nil:
		holds = p.Inevitably
	}
	if ask := holds; w.check.mayBeStale {
		holds = func(*sim.View) bool { return w.evaluateShown(ask, p.Always != nil) }
	} else if w.watched() {
		holds = func(*sim.View) bool { return w.consult(ask) }
	}
	return question{p, holds}
}

func (c *propertyState) init(w *machine) {
	c.shown = c.view.Seam()
	c.shown.World, c.shown.Services = w, make([]sim.Service, len(w.nodes))
	for i := range w.sys.Properties {
		c.questions = append(c.questions, w.question(&w.sys.Properties[i]))
	}
	for _, q := range c.questions {
		switch {
		case q.Always != nil:
			c.always = append(c.always, q)
		case q.Eventually != nil:
			c.eventually = append(c.eventually, q)
		}
	}
}

func (c *propertyState) reset() { c.forget(^uint64(0)) }

// changed forgets what is known of a node.
func (c *propertyState) changed(id sim.NodeID) { c.forget(1 << (id & 63)) }

func (c *propertyState) forget(nodes uint64) {
	for i := range c.predicates {
		c.predicates[i].known &^= nodes
	}
}

// mostPredicates is of how many predicates the values are kept.
const mostPredicates = 64

// slot is the number under which the values of a predicate are kept; -1: they are not. One that is asked for the first
// time may never be asked again, because a property makes its predicates anew each time.
func (c *propertyState) slot(p *predicate) int {
	if c.next < len(c.predicates) && c.predicates[c.next].predicate == p {
		return c.next
	}
	for i := range c.predicates {
		if c.predicates[i].predicate == p {
			return i
		}
	}
	if !p.Again() || len(c.predicates) == mostPredicates {
		return -1
	}
	c.predicates = append(c.predicates, answered{predicate: p})
	return len(c.predicates) - 1
}

// Each reports whether p holds at every node, asking only about nodes that have changed, and none behind one where it does not hold.
func (w *machine) Each(v *shown, p *predicate) bool {
	if len(w.nodes) > 64 {
		v.Reads.Nodes = ^uint64(0)
		return holdsAtAll(v, p, len(w.nodes))
	}
	all := ^uint64(0) >> (64 - len(w.nodes))
	v.Reads.Nodes |= all
	c := &w.check
	k := c.next
	if k >= len(c.predicates) || c.predicates[k].predicate != p {
		if k = c.slot(p); k < 0 {
			return holdsAtAll(v, p, len(w.nodes))
		}
	}
	c.next = k + 1
	a := &c.predicates[k]
	fails := a.known &^ a.holds
	before := all & (fails&-fails - 1) // the first of these
	for ask := before &^ a.known; ask != 0; ask &= ask - 1 {
		i := bits.TrailingZeros64(ask)
		ok := p.HoldsAt(v, sim.NodeID(i))
		a.known |= 1 << i
		if !ok {
			a.holds &^= 1 << i
			return false
		}
		a.holds |= 1 << i
	}
	return fails == 0
}

// holdsAtAll asks about every one of so many nodes.
func holdsAtAll(v *shown, p *predicate, nodes int) bool {
	for id := range sim.NodeID(nodes) {
		if !p.HoldsAt(v, id) {
			return false
		}
	}
	return true
}

// DoesNotHold is the message of a safety violation that nothing explains.
const DoesNotHold = "does not hold"

func (w *machine) Check() (err error) {
	c := &w.check
	c.next = 0
	var asked *sim.Property
	defer func() {
		if r := recover(); r != nil {
			err = propertyPanic(asked, r)
		}
	}()
	for i := range c.always {
		q := &c.always[i]
		asked = q.Property
		if !q.holds(&c.view) {
			return &sim.Finding{Kind: sim.Safety, Property: q.Name, Node: -1, Message: cmp.Or(w.Explain(q.Property), DoesNotHold)}
		}
	}
	return nil
}

func propertyPanic(p *sim.Property, r any) *sim.Finding {
	if f, ok := r.(*sim.Finding); ok {
		f.Property, f.Node = p.Name, -1
		return f
	}
	f := panicked("the property's function", r)
	f.Property = p.Name
	return f
}

// blame, when deferred, makes of a panic of a property's function a panic with the finding that it is.
func blame(p **sim.Property) {
	if r := recover(); r != nil {
		panic(propertyPanic(*p, r))
	}
}

func (w *machine) Live() bool {
	c := &w.check
	live, at, panicked := Together(len(c.eventually), &c.last, func(i int) bool { return c.eventually[i].holds(&c.view) })
	if panicked != nil {
		panic(propertyPanic(c.eventually[at].Property, panicked))
	}
	return live
}

// Together reports whether so many Eventually properties hold together. It asks them until one fails, that first which was the last to fail,
// as it mostly fails again. So that this matters only to how long it takes, a panic counts only if none fails: that of the first, in
// their order, which is at. But one that does not return ends it at once, where it is asked: each time would take the time limit.
func Together(properties int, lastFailed *int, holds func(int) bool) (live bool, at int, panicked any) {
	at = properties
	stuck := false
	ask := func(i int) (fails bool) {
		defer func() {
			if r := recover(); r != nil {
				f, ok := r.(*sim.Finding)
				if stuck = ok && Overdue(f); stuck || i < at {
					at, panicked = i, r
				}
			}
		}()
		return !holds(i)
	}
	if *lastFailed < properties && ask(*lastFailed) {
		return false, 0, nil
	}
	for i := 0; i < properties && !stuck; i++ {
		if i != *lastFailed && ask(i) {
			*lastFailed = i
			return false, 0, nil
		}
	}
	return panicked == nil, at, panicked
}

func (w *machine) Holds(p *sim.Property) bool {
	defer blame(&p)
	for i := range w.check.questions {
		if q := &w.check.questions[i]; q.Property == p {
			return q.holds(&w.check.view)
		}
	}
	return w.question(p).holds(&w.check.view)
}

// evaluateShown is consult, but a property that reads a node that shows an earlier state is not judged, see [simext.Showing].
func (w *machine) evaluateShown(holds func(*sim.View) bool, unjudged bool) (ok bool) {
	reads := &w.check.shown.Reads
	before := *reads
	*reads = simhook.Reads{}
	defer func() {
		if w.check.stale(reads.All()) {
			if f, stuck := recover().(*sim.Finding); stuck {
				panic(f)
			}
			ok = unjudged
			w.check.unjudged++
		} else {
			w.check.judged++
		}
		reads.Nodes |= before.Nodes
		reads.Closely |= before.Closely | reads.Nodes // more counts than what predicates say
		reads.InFlight = reads.InFlight || before.InFlight
	}()
	return w.consult(holds)
}

// stale reports whether one of these nodes shows an earlier state. Bit i is node i; all bits are all nodes.
func (c *propertyState) stale(nodes uint64) bool {
	for i, s := range c.shown.Services {
		if i < 64 && nodes>>i&1 == 0 {
			continue
		}
		if s, ok := s.(simext.Showing); ok && s.Stale() {
			return true
		}
	}
	return false
}

// Unjudged reports whether hardly any value of a property that a world was asked for was known, because nodes showed earlier states.
func Unjudged(w World) bool {
	m, ok := w.(*machine)
	return ok && m.check.unjudged > 0 && 100*m.check.judged < m.check.unjudged
}

// consult calls the function of a property.
func (w *machine) consult(holds func(*sim.View) bool) bool {
	switch {
	case w.contained || !w.watched():
		return holds(&w.check.view)
	case w.opts.Contain:
		return containedValue(w.watch, func() bool { return holds(&w.check.view) })
	}
	w.opts.Heartbeat.begin()
	defer w.opts.Heartbeat.end()
	return holds(&w.check.view)
}

// watched reports whether somebody looks after the functions of properties, that they return.
func (w *machine) watched() bool { return w.opts.Contain || w.opts.Heartbeat != nil }

func (w *machine) Explain(p *sim.Property) string {
	if p.Explain == nil {
		return ""
	}
	if !w.opts.Contain {
		if p := w.opts.Heartbeat; p != nil {
			p.begin()
			defer p.end()
		}
		return p.Explain(&w.check.view)
	}
	return containedValue(w.watch, func() string { return p.Explain(&w.check.view) })
}
