package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// ExploreDepthFirst visits the states that [Explore] visits, depth first: it goes on from the first new state
// that a step leads to before it goes on from the others. States count as visited when they are come to, so that
// those that wait are few, and a path is known without anything being kept for each state. A finding is the
// first one met, by a path that may be long; DeadPath is that of Explore all the same.
//
// With MaxDepth a state is passed over only if it was seen at the same or a smaller depth, else it is expanded
// once more: so all states within that many steps are visited, and Transitions counts the steps of each once.
// MaxDepth must be less than 32,768 then. Go is not called. Depth is MaxDepth when that was what stopped the
// exploration, else the number of steps to the state farthest along.
func ExploreDepthFirst(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if opts.MaxDepth > deepest {
		return nil, fmt.Errorf("table: MaxDepth is %d, must be at most %d", opts.MaxDepth, deepest)
	}
	e, err := newEngine(sys, opts.World)
	if err != nil {
		return nil, err
	}
	path, err := rehearse(e)
	d := newDepthFirst(e, opts)
	x := d.x
	x.w.forgetCoverage()
	if err == nil {
		err = d.run(ctx)
		path = d.bad
	}
	if err == nil && x.out.Stopped == "" {
		err = x.liveness(ctx)
		if err != nil {
			path = x.path(x.bad, x.badEvent, x.badPicks)
		}
	}
	x.out.States, x.out.Bytes, x.out.Frontier = d.n, d.bytes(), d.most
	if x.prints != nil {
		x.out.Omission = x.prints.omission(d.n)
	}
	x.conclude()
	var u *Unsupported
	switch {
	case errors.As(err, &u):
		return &x.out, err
	case err != nil:
		x.out.Stopped, x.out.Finding, x.out.Path = "finding", err, path
	case x.out.Stopped == "":
		x.out.Complete = true
	}
	return &x.out, nil
}

// depthFirst is an exploration under way, which shares sets of states, properties and liveness with the
// breadth-first one.
type depthFirst struct {
	x       *explorer
	n       int // states
	stack   []pending
	vectors []uint32 // of the states on the stack, when fingerprints are kept
	most    int      // bytes of both
	trail   []turn   // from the start to the state that is expanded
	found   arrivals

	parents chunks[uint32] // of exact states, when liveness is to be checked: that it was found from, plus one
	depths  chunks[uint16] // of exact states, when depth is bounded
	prints  *printDepths   // of fingerprints, when depth is bounded
	checked int            // transitions when limits were checked last
	steps   int

	bad choose.Path // to a finding
}

// pending is a state that waits to be expanded.
type pending struct {
	id    uint32 // when exact
	depth int32
	turn
}

// turn is a step: the number of the event among all, and that of its answers in the order in which they are
// enumerated.
type turn struct{ event, answers int32 }

// arrivals are the states that the steps from one state lead to.
type arrivals struct {
	turns    []turn
	ordinary []bool
	vectors  []uint32
	roots    []uint64 // when exact
	prints   []print  // else
	onward   []pending
	at       []int32 // which arrival each of onward is
}

func (a *arrivals) reset() {
	a.turns, a.ordinary, a.vectors = a.turns[:0], a.ordinary[:0], a.vectors[:0]
	a.roots, a.prints, a.onward, a.at = a.roots[:0], a.prints[:0], a.onward[:0], a.at[:0]
}

// A bounded exploration keeps for each state the least depth at which it was met, and whether it was expanded.
const (
	deepest      = 1<<15 - 1
	expandedFlag = 1
)

func metAt(depth int32) uint16 { return uint16(depth) << 1 }

func newDepthFirst(e *engine, opts ExploreOptions) *depthFirst {
	x := newExplorer(e, opts)
	d := &depthFirst{x: x}
	x.deep = d
	if x.prints != nil && opts.MaxDepth > 0 {
		d.prints = newPrintDepths(x.prints.words)
	}
	return d
}

func (d *depthFirst) run(ctx context.Context) error {
	x := d.x
	if err := d.start(); err != nil {
		return err
	}
	d.stop(ctx)
	for x.out.Stopped == "" {
		k := len(d.stack) - 1
		if k < 0 {
			if x.out.Expanded < d.n {
				x.out.Stopped, x.out.Depth = "depth", x.opts.MaxDepth
			}
			return nil
		}
		p := d.stack[k]
		d.stack = d.stack[:k]
		d.trail = append(d.trail[:p.depth], p.turn)
		d.enter(&p)
		first, ok := d.open(&p)
		if !ok {
			continue
		}
		if first {
			x.out.Expanded++
		}
		if err := d.expand(&p, first); err != nil {
			return err
		}
		x.out.Depth = max(x.out.Depth, int(p.depth))
		if d.steps-d.checked >= successorsAtOnce {
			d.stop(ctx)
		}
	}
	return nil
}

// stop decides whether the exploration stops here.
func (d *depthFirst) stop(ctx context.Context) {
	x := d.x
	d.checked = d.steps
	if x.opts.Progress != nil {
		x.opts.Progress(d.n, x.out.Transitions, len(d.trail))
	}
	switch {
	case x.opts.MaxStates > 0 && d.n >= x.opts.MaxStates:
		x.out.Stopped = "states"
	case x.opts.MaxBytes > 0 && d.soon() > x.opts.MaxBytes:
		x.out.Stopped = "memory"
	case ctx.Err() != nil:
		x.out.Stopped = "interrupted"
	}
}

// start comes to the first states.
func (d *depthFirst) start() error {
	x := d.x
	k := int32(0)
	for x.answers.Reset(); x.answers.Next(); k++ {
		if err := x.w.start(&x.answers); err != nil {
			d.bad = x.answers.Path()
			return err
		}
		d.arrive(nil, turn{-1, k}, false)
	}
	return d.settle(nil, true)
}

// enter makes a state from the top of the stack, which was taken off, that of the world.
func (d *depthFirst) enter(p *pending) {
	x := d.x
	if x.prints == nil {
		x.seen.unfold(p.id, x.base)
	} else {
		words := x.seen.words
		copy(x.base, d.vectors[len(d.vectors)-words:])
		d.vectors = d.vectors[:len(d.vectors)-words]
		x.print = x.prints.of(x.base[:words])
	}
	copy(x.tree, x.base)
	x.w.changed = 0
}

// open reports whether the state that was entered is to be expanded, and whether it is for the first time.
func (d *depthFirst) open(p *pending) (first, ok bool) {
	most := d.x.opts.MaxDepth
	if most == 0 {
		return true, true
	}
	var met *uint16
	if d.prints == nil {
		met = d.depths.ref(p.id)
	} else {
		met = d.prints.at(d.x.print)
	}
	if int32(*met>>1) < p.depth || int(p.depth) >= most {
		return false, false // it was come to by a shorter way meanwhile, or lies at the bound
	}
	first = *met&expandedFlag == 0
	*met |= expandedFlag
	return first, true
}

// expand executes all that can happen in the state that was entered.
func (d *depthFirst) expand(p *pending, first bool) error {
	x, w := d.x, d.x.w
	w.derive()
	x.events = w.list(x.events[:0])
	up := w.up
	for i, ev := range x.events {
		k := int32(0)
		for x.answers.Reset(); x.answers.Next(); k++ {
			if err := w.advance(ev, &x.answers); err != nil {
				picks := x.answers.Path()
				if err := d.settle(p, first); err != nil {
					return err
				}
				d.bad = append(append(d.path(d.trail), int32(i)), picks...)
				return err
			}
			d.arrive(p, turn{int32(i), k}, x.recovering(ev))
			w.up = up
		}
	}
	return d.settle(p, first)
}

// arrive notes the state that a step led to, and goes back to the one before.
func (d *depthFirst) arrive(p *pending, t turn, ordinary bool) {
	x, f := d.x, &d.found
	f.turns, f.ordinary = append(f.turns, t), append(f.ordinary, ordinary)
	f.vectors = append(f.vectors, x.w.v...)
	d.steps++
	c := x.seen
	switch {
	case x.prints != nil && (p == nil || c.words > narrow):
		f.prints = append(f.prints, x.prints.of(x.w.v))
	case x.prints != nil:
		f.prints = append(f.prints, x.changedPrint())
	case p == nil:
		c.complete(x.tree, nil)
		f.roots = append(f.roots, c.root(x.tree))
	case c.above == nil:
		c.complete(x.tree, x.base)
		f.roots = append(f.roots, c.root(x.tree))
	default:
		over := c.over(x.w.changed)
		c.update(x.tree, over)
		f.roots = append(f.roots, c.root(x.tree))
	}
	if p != nil {
		copy(x.tree, x.base)
	}
	x.w.changed = 0
}

// settle looks up where the steps from a state led to, checks what is new, and puts on the stack what is to
// be expanded. The world's state is lost.
func (d *depthFirst) settle(p *pending, first bool) error {
	x, f := d.x, &d.found
	defer f.reset()
	from, depth := uint32(0), int32(0)
	if p != nil {
		from, depth = p.id+1, p.depth+1
		if first {
			x.out.Transitions += len(f.turns)
		}
	}
	words := x.seen.words
	x.seen.roots.prefetch(f.roots)
	if d.prints == nil {
		for i := range f.prints {
			x.prints.prefetch(&f.prints[i])
		}
	}
	for i, t := range f.turns {
		id, added, nearer := d.meet(i, depth)
		if !added && !nearer {
			continue
		}
		f.onward, f.at = append(f.onward, pending{id, depth, t}), append(f.at, int32(i))
		if !added {
			continue
		}
		d.n++
		copy(x.w.v, f.vectors[i*words:][:words])
		if err := d.check(t, from, f.ordinary[i]); err != nil {
			return err
		}
	}
	for k := len(f.onward) - 1; k >= 0; k-- { // the first is to be on top
		d.stack = append(d.stack, f.onward[k])
		if x.prints != nil {
			d.vectors = append(d.vectors, f.vectors[int(f.at[k])*words:][:words]...)
		}
	}
	d.most = max(d.most, d.waiting())
	return nil
}

// meet looks up an arrival: it may be new, or have been met farther from the start only.
func (d *depthFirst) meet(i int, depth int32) (id uint32, added, nearer bool) {
	x, f := d.x, &d.found
	switch {
	case d.prints != nil:
		added, nearer = d.prints.meet(f.prints[i], depth)
		return 0, added, nearer
	case x.prints != nil:
		return 0, x.prints.insert(&f.prints[i]), false
	}
	id, added = x.seen.roots.intern(f.roots[i])
	if x.opts.MaxDepth == 0 {
		return id, added, false
	}
	if added {
		d.depths.append(metAt(depth))
		return id, true, false
	}
	met := d.depths.ref(id)
	if nearer = int32(*met>>1) > depth; nearer {
		*met = metAt(depth) | *met&expandedFlag
	}
	return id, false, nearer
}

// check keeps what is to be known of a new state, which is that of the world, and checks it. It was come
// to by a step from the state that is expanded.
func (d *depthFirst) check(t turn, from uint32, ordinary bool) error {
	x, w := d.x, d.x.w
	err := w.Check()
	if err == nil {
		w.noteState()
		live := w.Live()
		if live {
			x.out.Live++
		}
		if x.goals {
			d.parents.append(from)
			x.recovers.append(d.n-1, live)
			x.ordinary.append(d.n-1, ordinary)
		}
		if d.n&(d.n-1) != 0 || len(d.trail) > auditedSteps {
			return nil
		}
	}
	v := slices.Clone(w.v)
	trail := d.trail
	if t.event >= 0 {
		trail = append(slices.Clone(trail), t)
	} else {
		trail = []turn{t}
	}
	path := d.path(trail)
	if err == nil {
		w.restore(v)
		err = w.retrace(path)
		w.changed = 0
	}
	if err != nil {
		d.bad = path
	}
	return err
}

// auditedSteps is how long a path may be for the replay engine to execute it.
const auditedSteps = 1 << 12

// path returns the path of some steps from the start, the first of which is the start itself. The world's state
// is lost.
func (d *depthFirst) path(trail []turn) (path choose.Path) {
	w := d.x.w
	defer w.samples.pause()()
	var answers choose.Enumerate
	v := make([]uint32, len(w.v))
	for k, t := range trail {
		var ev sim.Event
		if k > 0 {
			copy(v, w.v)
			w.derive()
			ev = w.list(nil)[t.event]
			path = append(path, t.event)
		}
		answers.Reset()
		for n := int32(0); n <= t.answers; n++ {
			answers.Next()
			if k == 0 {
				_ = w.start(&answers) // it went well before
				continue
			}
			w.restore(v)
			_ = w.advance(ev, &answers)
		}
		path = append(path, answers.Path()...)
	}
	return path
}

// waiting is the memory of the states that wait.
func (d *depthFirst) waiting() int {
	return cap(d.stack)*int(unsafe.Sizeof(pending{})) + 4*cap(d.vectors) + cap(d.trail)*int(unsafe.Sizeof(turn{}))
}

// bytes is the memory that is kept for the visited states.
func (d *depthFirst) bytes() int {
	x := d.x
	n := x.seen.bytes() + x.recovers.bytes() + x.ordinary.bytes() + d.parents.bytes() + d.depths.bytes()
	switch {
	case d.prints != nil:
		n += d.prints.bytes()
	case x.prints != nil:
		n += x.prints.bytes()
	}
	return n
}

// soon is about the memory that is taken, once there is room for some more states.
func (d *depthFirst) soon() int {
	n := d.bytes() + d.waiting() + d.x.tables() + d.x.seen.inner.growth() + d.x.seen.roots.growth()
	if d.prints != nil {
		n += d.prints.growth()
	}
	return n
}
