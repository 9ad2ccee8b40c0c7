package properties

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

type (
	View      = simhook.View[sim.Service, sim.NodeID, sim.Envelope]
	Predicate = simhook.Predicate[sim.Service, sim.NodeID, sim.Envelope]
)

// State holds the properties of a machine and their cached values.
type State struct {
	view       sim.View
	Shown      *View      // the hook of view
	questions  []question // of all properties, in their order
	always     []question
	eventually []question
	last       int // the Eventually property that was the last to fail
	// MayBeStale means that some service is a [simext.Showing].
	MayBeStale bool
	Watching
	// judged and unjudged count values of properties. The value of a property that reads a node with an earlier state
	// shown is not judged.
	judged, unjudged int

	// Cached values of Each-predicates at single nodes.
	Predicates []answered
	next       int // index where the search for the next predicate begins
}

// Watching selects how calls of properties that do not return are detected.
type Watching struct {
	Apart     bool               // each is called on a goroutine of its own, unless contained
	Watch     *contain.Watch     // abandons such a goroutine
	Heartbeat *contain.Heartbeat // is notified of other calls, if non-nil
	Contained bool               // the caller runs on a contained goroutine
}

// answered is a predicate with its cached values at single nodes. Bit i is node i.
type answered struct {
	*Predicate
	known uint64
	holds uint64
}

// question is a property with the function that evaluates it.
type question struct {
	*sim.Property
	holds func(*sim.View) bool
}

func (c *State) question(p *sim.Property) question {
	holds := p.Sometimes
	switch {
	case p.Always != nil:
		holds = p.Always
	case p.Eventually != nil:
		holds = p.Eventually
	case p.Inevitably != nil:
		holds = p.Inevitably
	}
	if ask := holds; c.MayBeStale {
		holds = func(*sim.View) bool { return c.evaluateShown(ask, p.Always != nil) }
	} else if c.watched() {
		holds = func(*sim.View) bool { return c.Consult(ask) }
	}
	return question{p, holds}
}

// Init prepares for the properties of a system, which see it through a world.
func (c *State) Init(sys *sim.System, world simhook.World[sim.Service, sim.NodeID, sim.Envelope]) {
	c.Shown = c.view.Hook()
	c.Shown.World, c.Shown.Services = world, make([]sim.Service, sys.Nodes)
	for i := range sys.Properties {
		c.questions = append(c.questions, c.question(&sys.Properties[i]))
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

func (c *State) Reset() { c.forget(^uint64(0)) }

// Changed drops the cached values of a node.
func (c *State) Changed(id sim.NodeID) { c.forget(1 << (id & 63)) }

func (c *State) forget(nodes uint64) {
	for i := range c.Predicates {
		c.Predicates[i].known &^= nodes
	}
}

// mostPredicates bounds the number of predicates with cached values.
const mostPredicates = 64

// Slot returns the index of a predicate in Predicates. -1 means that its values are not cached. A new predicate gets no
// slot: it may never be evaluated again, because some properties make their predicates anew for each evaluation.
func (c *State) Slot(p *Predicate) int {
	k := c.next
	if k >= len(c.Predicates) || c.Predicates[k].Predicate != p {
		k = slices.IndexFunc(c.Predicates, func(a answered) bool { return a.Predicate == p })
	}
	if k < 0 {
		if !p.Again() || len(c.Predicates) == mostPredicates {
			return -1
		}
		k = len(c.Predicates)
		c.Predicates = append(c.Predicates, answered{Predicate: p})
	}
	c.next = k + 1
	return k
}

// Each reports whether p holds at every node. It evaluates only nodes that have changed, and stops at the first where p
// does not hold.
func (c *State) Each(v *View, p *Predicate) bool {
	nodes := len(c.Shown.Services)
	if nodes > 64 {
		v.Reads.Nodes = ^uint64(0)
		return HoldsAtAll(v, p, nodes)
	}
	all := ^uint64(0) >> (64 - nodes)
	v.Reads.Nodes |= all
	k := c.next
	if k < len(c.Predicates) && c.Predicates[k].Predicate == p {
		c.next = k + 1
	} else if k = c.Slot(p); k < 0 {
		return HoldsAtAll(v, p, nodes)
	}
	a := &c.Predicates[k]
	fails := a.known &^ a.holds
	before := all & (fails&-fails - 1) // nodes before the first failing one
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

// HoldsAtAll evaluates a predicate at each of the nodes.
func HoldsAtAll(v *View, p *Predicate, nodes int) bool {
	for id := range sim.NodeID(nodes) {
		if !p.HoldsAt(v, id) {
			return false
		}
	}
	return true
}

// DoesNotHold is the message of a safety violation without an explanation.
const DoesNotHold = "does not hold"

// Check returns the first safety violation of the state: an Always property that does not hold.
func (c *State) Check() (err error) {
	c.next = 0
	var asked *sim.Property
	defer func() {
		if r := recover(); r != nil {
			err = Panic(asked, r)
		}
	}()
	for i := range c.always {
		q := &c.always[i]
		asked = q.Property
		if !q.holds(&c.view) {
			return &sim.Finding{Kind: sim.Safety, Property: q.Name, Node: -1, Message: cmp.Or(c.Explain(q.Property), DoesNotHold)}
		}
	}
	return nil
}

// function names the code of a property that panicked.
const function = "the property's function"

// Panicked begins the message of a property that panicked.
const Panicked = function + " panicked: "

// Panic returns the finding that a property panicked, where r is the recovered value.
func Panic(p *sim.Property, r any) *sim.Finding {
	if f, ok := r.(*sim.Finding); ok {
		f.Property, f.Node = p.Name, -1
		return f
	}
	f := contain.Panicked(function, r)
	f.Property = p.Name
	return f
}

// blame, when deferred, turns a panic of a property's function into a panic with a finding.
func blame(p **sim.Property) {
	if r := recover(); r != nil {
		panic(Panic(*p, r))
	}
}

// Live reports whether all Eventually properties hold together. It panics as [kernel.World] documents.
func (c *State) Live() bool {
	live, at, panicked := Together(len(c.eventually), &c.last, func(i int) bool { return c.eventually[i].holds(&c.view) })
	if panicked != nil {
		panic(Panic(c.eventually[at].Property, panicked))
	}
	return live
}

// Together reports whether so many Eventually properties hold together. It evaluates them until one fails, beginning
// with the property that failed last, since that mostly fails again. This order affects only the cost: a panic counts
// only if no property fails, and then it is the panic of the first in order, at. A property that does not return ends
// the evaluation at once, where it was called: each further call would take the time limit.
func Together(properties int, lastFailed *int, holds func(int) bool) (live bool, at int, panicked any) {
	at = properties
	stuck := false
	ask := func(i int) (fails bool) {
		defer func() {
			if r := recover(); r != nil {
				f, ok := r.(*sim.Finding)
				if stuck = ok && contain.Overdue(f); stuck || i < at {
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

// Holds evaluates one property. If its function panics, Holds panics with a [*sim.Finding].
func (c *State) Holds(p *sim.Property) bool {
	defer blame(&p)
	for i := range c.questions {
		if q := &c.questions[i]; q.Property == p {
			return q.holds(&c.view)
		}
	}
	return c.question(p).holds(&c.view)
}

// evaluateShown is Consult, but it does not judge a property that reads a node with an earlier state shown, see
// [simext.Showing].
func (c *State) evaluateShown(holds func(*sim.View) bool, unjudged bool) (ok bool) {
	reads := &c.Shown.Reads
	before := *reads
	*reads = simhook.Reads{}
	defer func() {
		if c.stale(reads.All()) {
			if f, stuck := recover().(*sim.Finding); stuck {
				panic(f)
			}
			ok = unjudged
			c.unjudged++
		} else {
			c.judged++
		}
		reads.Nodes |= before.Nodes
		reads.Closely |= before.Closely | reads.Nodes // reads by more than predicates
		reads.InFlight = reads.InFlight || before.InFlight
	}()
	return c.Consult(holds)
}

// stale reports whether any of these nodes shows an earlier state. Bit i is node i. All bits set means all nodes.
func (c *State) stale(nodes uint64) bool {
	for i, s := range c.Shown.Services {
		if i < 64 && nodes>>i&1 == 0 {
			continue
		}
		if s, ok := s.(simext.Showing); ok && s.Stale() {
			return true
		}
	}
	return false
}

// HardlyJudged reports whether hardly any requested value was known, because nodes showed earlier states.
func (c *State) HardlyJudged() bool { return c.unjudged > 0 && 100*c.judged < c.unjudged }

// Consult calls the function of a property.
func (c *State) Consult(holds func(*sim.View) bool) bool {
	switch {
	case c.Contained || !c.watched():
		return holds(&c.view)
	case c.Apart:
		return contain.Value(c.Watch, func() bool { return holds(&c.view) })
	}
	c.Heartbeat.Begin()
	defer c.Heartbeat.End()
	return holds(&c.view)
}

func (c *State) watched() bool { return c.Apart || c.Heartbeat != nil }
