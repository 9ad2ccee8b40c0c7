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
	return guarded(ctx, opts, func(ctx context.Context, opts ExploreOptions) (*Exploration, error) {
		return exploreDepthFirst(ctx, sys, opts)
	})
}

func exploreDepthFirst(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
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
	defer x.close()
	x.w.forgetCoverage()
	x.limitBy(ctx)
	if err == nil {
		err = x.stopped(d.run(ctx))
		path = d.bad
	}
	if err == nil && x.out.Stopped == "" {
		err = x.liveness(ctx)
		if err != nil {
			path = x.path(x.bad, x.badEvent, x.badPicks)
		}
	}
	x.unlimited()
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

// turn is a step: its number among all steps from a state, or among the ways to start.
type turn int32

// arrivals are the states that the steps from one state lead to: those that are to be expanded.
type arrivals struct {
	onward []pending
	at     []int32 // which step each of these is
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
	f := x.found
	v := make([]uint32, f.words)
	for x.answers.Reset(); x.answers.Next(); {
		if err := x.w.start(&x.answers); err != nil {
			d.bad = x.answers.Path()
			return err
		}
		x.sites.pack(x.w.v, v)
		f.vectors, f.ends, f.notes = append(f.vectors, v...), append(f.ends, 0), append(f.notes, 0)
		if x.seen == nil {
			p := x.sites.fingerprint(v)
			f.prints, f.others = append(f.prints, p.Lo), append(f.others, p.Hi)
			continue
		}
		copy(x.tree, v)
		x.seen.complete(x.tree, nil)
		f.prints = append(f.prints, x.seen.root(x.tree))
		if x.answers.stop() != nil {
			break // the limits are looked at once more when these were looked up
		}
	}
	return d.settle(nil, true)
}

// enter makes a state from the top of the stack, which was taken off, the one that is expanded.
func (d *depthFirst) enter(p *pending) {
	x := d.x
	if x.prints == nil {
		x.see(p.id)
		return
	}
	words := x.found.words
	x.here = append(x.here[:0], d.vectors[len(d.vectors)-words:]...)
	d.vectors = d.vectors[:len(d.vectors)-words]
	if x.opts.MaxDepth > 0 {
		x.fingerprint = x.sites.fingerprint(x.here) // it is looked up again, see open
	}
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
		met = d.prints.at(d.x.fingerprint)
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
	x, f := d.x, d.x.found
	err := x.expandState(uint32(x.out.Expanded), f)
	if x.seen != nil {
		x.pushTrees(f, 0)
		x.seen.resolve(f)
	}
	d.steps += len(f.ends)
	if err == nil {
		return d.settle(p, first)
	}
	event, picks := x.badEvent, x.badPicks
	if errors.Is(err, errLimit) && first {
		x.out.Expanded--
	}
	if found := d.settle(p, first); found != nil {
		return found
	} else if errors.Is(err, errLimit) {
		return err
	}
	d.bad = append(append(d.path(d.trail), int32(event)), picks...)
	return err
}

// settle looks up where the steps from a state led to, checks what is new, and puts on the stack what is to
// be expanded. The world's state is lost.
func (d *depthFirst) settle(p *pending, first bool) error {
	x, f, a := d.x, d.x.found, &d.found
	defer f.reset()
	a.onward, a.at = a.onward[:0], a.at[:0]
	from, depth := uint32(0), int32(0)
	if p != nil {
		from, depth = p.id+1, p.depth+1
		if x.w.stats.Steps += f.steps; first {
			x.out.Transitions += len(f.ends)
		}
	}
	vector := func(t int) []uint32 {
		if p == nil {
			return f.vectors[t*f.words:][:f.words]
		}
		return f.to(t, x.here)
	}
	switch {
	case x.seen != nil:
		x.seen.roots.prefetch(f.prints)
	case d.prints == nil:
		x.prints.prefetch(f.prints)
	}
	for t := range f.ends {
		id, added, nearer := d.meet(t, depth)
		if !added && !nearer {
			continue
		}
		if added {
			d.n++
			bar, err := d.check(vector(t), turn(t), from, f.notes[t])
			if err != nil {
				return err
			}
			if bar {
				d.bar(id, t)
				continue
			}
		}
		a.onward, a.at = append(a.onward, pending{id, depth, turn(t)}), append(a.at, int32(t))
	}
	for k := len(a.onward) - 1; k >= 0; k-- { // the first is to be on top
		d.stack = append(d.stack, a.onward[k])
		if x.prints != nil {
			d.vectors = append(d.vectors, vector(int(a.at[k]))...)
		}
	}
	d.most = max(d.most, d.waiting())
	return nil
}

// meet looks up where a step leads: to a new state, or one that was met farther from the start only.
func (d *depthFirst) meet(t int, depth int32) (id uint32, added, nearer bool) {
	x, f := d.x, d.x.found
	if x.prints != nil {
		p := sim.Fingerprint{Lo: f.prints[t]}
		if x.two {
			p.Hi = f.others[t]
		}
		if d.prints != nil {
			added, nearer = d.prints.meet(p, depth)
			return 0, added, nearer
		}
		return 0, x.prints.insert(p), false
	}
	id, added = x.seen.roots.intern(f.prints[t])
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

// check keeps what is to be known of a new state, and checks it. It was come to by a step from the state that
// is expanded, which is number from less one, 0: it is a first state. Bar says that it violates a known property.
func (d *depthFirst) check(v []uint32, t turn, from uint32, note uint8) (bar bool, err error) {
	x, w := d.x, d.x.w
	start := len(d.trail) == 0
	live, err := x.check(uint32(d.n-1), v, start, note)
	if bar = x.known(err); bar {
		err = nil
	}
	if x.opts.Known != nil && x.seen != nil {
		x.barred.append(d.n-1, bar)
	}
	if err == nil {
		if live {
			x.out.Live++
		}
		if x.goals {
			d.parents.append(from)
			x.recovers.append(d.n-1, live || bar)
			x.ordinary.append(d.n-1, note&noteOrdinary != 0)
		}
		if bar || d.n&(d.n-1) != 0 || len(d.trail) > auditedSteps {
			return bar, nil
		}
	}
	path := d.path(append(slices.Clone(d.trail), t))
	if err == nil {
		w.restore(x.unpacked(v))
		err = w.retrace(path)
	}
	if err != nil {
		d.bad = path
	}
	return false, err
}

// bar has the state that a step leads to never expanded.
func (d *depthFirst) bar(id uint32, t int) {
	d.x.out.Expanded++
	switch f := d.x.found; {
	case d.prints != nil:
		p := sim.Fingerprint{Lo: f.prints[t]}
		if d.x.two {
			p.Hi = f.others[t]
		}
		*d.prints.at(p) = metAt(0)
	case d.x.opts.MaxDepth > 0:
		*d.depths.ref(id) = metAt(0)
	}
}

// auditedSteps is how long a path may be for the replay engine to execute it.
const auditedSteps = 1 << 12

// path returns the path of some steps from the start, the first of which is the start itself. The world's state
// is lost.
func (d *depthFirst) path(trail []turn) (path choose.Path) {
	w := d.x.w
	defer w.samples.pause()()
	var answers choose.Enumerate
	for k, t := range trail {
		if k > 0 {
			path = append(path, d.step(t)...)
			continue
		}
		for n := turn(0); n <= t; n++ {
			answers.Next()
			_ = w.start(&answers) // it went well before
		}
		path = append(path, answers.Path()...)
	}
	return path
}

// step takes a step from the world's state, and returns the path of it.
func (d *depthFirst) step(t turn) choose.Path {
	w := d.x.w
	v := slices.Clone(w.v)
	w.derive()
	var answers choose.Enumerate
	for i, ev := range w.list(nil) {
		for answers.Reset(); answers.Next(); t-- {
			w.restore(v)
			_ = w.advance(ev, &answers) // it went well before, or was not looked up
			if t == 0 {
				return append(choose.Path{int32(i)}, answers.Path()...)
			}
		}
	}
	panic("table: a state has fewer steps than before")
}

// waiting is the memory of the states that wait.
func (d *depthFirst) waiting() int {
	return cap(d.stack)*int(unsafe.Sizeof(pending{})) + 4*cap(d.vectors) + cap(d.trail)*int(unsafe.Sizeof(turn(0)))
}

// bytes is the memory that is kept for the visited states.
func (d *depthFirst) bytes() int {
	x := d.x
	n := x.recovers.bytes() + x.ordinary.bytes() + d.parents.bytes() + d.depths.bytes()
	switch {
	case x.seen != nil:
		n += x.seen.bytes()
	case d.prints != nil:
		n += d.prints.bytes()
	case x.prints != nil:
		n += x.prints.bytes()
	}
	return n
}

// soon is about the memory that is taken, once there is room for some more states.
func (d *depthFirst) soon() int {
	n := d.bytes() + d.waiting() + d.x.tables()
	if c := d.x.seen; c != nil {
		n += c.inner.growth() + c.roots.growth()
	}
	if d.prints != nil {
		n += d.prints.growth()
	}
	return n
}
