package predict

import (
	"cmp"
	"fmt"
	"slices"
)

// edge is an edge of the lock-order graph: a goroutine holds the lock from since event outer, and requests the lock to at event inner. Or
// it waits at event wait for another goroutine, which requests the lock to before.
type edge struct {
	goroutine, other int // the same one without a wait
	from, to         uint64
	fromR, toR       bool // read locks
	outer, inner     int
	wait             int           // -1 means none
	guards           []acquisition // all locks held at inner and at wait
	atOuter, atInner clock
}

// Bounds of the search for cycles.
const (
	maxEdges     = 1 << 12
	maxRequests  = 1 << 14
	maxAwaited   = 64 // requests of one goroutine for which another one waits
	maxEdge      = 3  // edges of one goroutine with the same locks, modes and contexts
	maxCycle     = 16 // edges of a cycle
	maxWriters   = 1 << 10
	maxSteps     = 200_000 // of the search in one record
	maxCycles    = 50      // of one record
	maxSignature = 3       // cycles with the same contexts
)

// lockOrder is the lock-order graph of a record.
type lockOrder struct {
	edges []edge
	from  map[uint64][]int // indexes of edges by lock
	seen  map[edgeKey]int
	again []edge        // whose goroutine holds the requested lock already, which matters for read locks
	alone []edge        // with a wait, whose locks are the same: cycles of one edge
	locks []request     // write locks
	by    map[int][]int // indexes of locks by goroutine
}

// request is an event that requests a lock, with the clock before it.
type request struct {
	goroutine, event int
	lock             uint64
	read             bool
	clock            clock
	guards           []acquisition // locks held then
}

type edgeKey struct {
	goroutine    int
	from, to     uint64
	outer, inner uint64 // contexts
	modes        int
}

func newLockOrder() *lockOrder {
	return &lockOrder{from: map[uint64][]int{}, seen: map[edgeKey]int{}, by: map[int][]int{}}
}

// add adds the edges of an event that requests a lock. r has begun the event and not ended it.
func (o *lockOrder) add(r *run, i int) {
	o.await(r)
	e, g := &r.events[i], r.goroutine(i)
	if e.Op != Lock && e.Op != RLock {
		return
	}
	q := request{g, i, e.Object, e.Op == RLock, r.share(g), slices.Clone(r.held[g])}
	for _, h := range q.guards {
		o.insert(r, edge{goroutine: g, other: g, outer: h.event, inner: i, wait: -1, guards: q.guards, atOuter: h.clock, atInner: q.clock},
			h, &q)
	}
	if len(o.locks) < maxRequests {
		o.by[g] = append(o.by[g], len(o.locks))
		o.locks = append(o.locks, q)
	}
}

// await adds the edges of goroutines that wait for others while they hold locks.
func (o *lockOrder) await(r *run) {
	for _, w := range r.waits {
		held := r.held[w.goroutine]
		for n, k := range slices.Backward(o.by[w.other]) {
			q := &o.locks[k]
			if q.event < int(w.from) || len(o.by[w.other])-n > maxAwaited {
				break
			}
			if q.event >= int(w.to) || excluded(held, q.guards) {
				continue
			}
			for _, h := range held {
				x := edge{goroutine: w.goroutine, other: w.other, outer: h.event, inner: q.event, wait: w.event,
					guards: slices.Concat(held, q.guards), atOuter: h.clock, atInner: q.clock}
				o.insert(r, x, h, q)
			}
		}
	}
	r.waits = r.waits[:0]
}

// insert adds an edge from a lock that is held to a requested one, unless there are too many.
func (o *lockOrder) insert(r *run, x edge, h acquisition, q *request) {
	x.from, x.to, x.fromR, x.toR = h.lock, q.lock, h.read, q.read
	k := edgeKey{x.goroutine, x.from, x.to, r.events[x.outer].Context, r.events[x.inner].Context, len(x.guards) << 3}
	for bit, set := range []bool{x.fromR, x.toR, x.wait >= 0} {
		if set {
			k.modes |= 1 << bit
		}
	}
	if o.seen[k]++; o.seen[k] > maxEdge || len(o.edges) == maxEdges {
		return
	}
	switch {
	case x.from != x.to:
		o.from[x.from] = append(o.from[x.from], len(o.edges))
		o.edges = append(o.edges, x)
	case x.wait < 0:
		o.again = append(o.again, x)
	case !x.fromR || !x.toR:
		o.alone = append(o.alone, x)
	}
}

// excluded reports whether two goroutines cannot have their locksets at once, because of a lock that not both hold for reading.
func excluded(one, other []acquisition) bool {
	for _, a := range one {
		for _, b := range other {
			if a.lock == b.lock && !(a.read && b.read) {
				return true
			}
		}
	}
	return false
}

// compatible reports whether two edges can be part of one deadlock: neither happens before the other, and no guard excludes one of them.
func (x *edge) compatible(y *edge) bool {
	if x.goroutine == y.goroutine && x.inner == y.inner || excluded(x.guards, y.guards) {
		return false
	}
	// One goroutine of the record, such as that of a connection, may do the work of several.
	return x.goroutine == y.goroutine && x.wait < 0 && y.wait < 0 || !x.precedes(y) && !y.precedes(x)
}

// precedes reports whether the requested lock of an edge is requested before both locks of another edge.
func (x *edge) precedes(y *edge) bool {
	return y.atOuter.precededBy(x.other, x.inner) || y.wait >= 0 && y.atInner.precededBy(x.other, x.inner)
}

// cycles calls found with the edges of each cycle, and the requests of write locks between its read locks.
func (o *lockOrder) cycles(found func(cycle []*edge, writers []*request)) {
	s := cycleSearch{lockOrder: o, found: found}
	for i := range o.alone {
		found([]*edge{&o.alone[i]}, nil)
	}
	for i := range o.edges {
		s.path = append(s.path[:0], i)
		s.extend()
	}
}

// cycleSearch enumerates cycles from their first edges.
type cycleSearch struct {
	*lockOrder
	path         []int // indexes of edges
	writers      []*request
	steps, count int
	found        func([]*edge, []*request)
}

func (s *cycleSearch) extend() {
	start, last := s.path[0], &s.edges[s.path[len(s.path)-1]]
	for _, k := range s.from[last.to] {
		if s.steps++; s.steps > maxSteps || s.count >= maxCycles {
			return
		}
		next := &s.edges[k]
		if k < start || k == start && len(s.path) == 1 || k > start && (len(s.path) == maxCycle || !s.compatible(next)) {
			continue
		}
		before := len(s.writers)
		if last.toR && next.fromR { // they exclude each other only together with a writer
			w := s.writer(last, next)
			if w == nil {
				continue
			}
			s.writers = append(s.writers, w)
		}
		if k == start {
			s.count++
			s.found(s.list(), s.writers)
		} else {
			s.path = append(s.path, k)
			s.extend()
			s.path = s.path[:len(s.path)-1]
		}
		s.writers = s.writers[:before]
	}
}

// writer returns a request of the write lock between two read locks, by a goroutine outside the path. nil means that there is none.
func (s *cycleSearch) writer(last, next *edge) *request {
	for i := range s.locks[:min(len(s.locks), maxWriters)] {
		w := &s.locks[i]
		if w.read || w.lock != last.to || excluded(w.guards, next.guards) || next.atOuter.precededBy(w.goroutine, w.event) ||
			w.clock.precededBy(last.other, last.inner) || w.goroutine == next.goroutine ||
			slices.ContainsFunc(s.path, func(k int) bool { return s.edges[k].goroutine == w.goroutine || excluded(s.edges[k].guards, w.guards) }) {
			continue
		}
		return w
	}
	return nil
}

func (s *cycleSearch) compatible(next *edge) bool {
	return !slices.ContainsFunc(s.path, func(k int) bool { return !s.edges[k].compatible(next) })
}

func (s *cycleSearch) list() (cycle []*edge) {
	for _, k := range s.path {
		cycle = append(cycle, &s.edges[k])
	}
	return cycle
}

// described is a cycle as predictCycle needs it.
type described struct {
	signature
	pairs  []Pair
	inner  []Hold // before the inner requests
	early  []Hold // as inner, but before the outermost lock of a goroutine for which another one waits, because others may need that lock
	any    []Hold // as inner, of any goroutine
	reused bool   // a goroutine has several edges
	waits  int    // number of edges with a wait
	inside bool   // a lock belongs to the distribution: one of its goroutines requests it
}

// describe describes a cycle. The writers request their locks after the outer locks and before the inner ones.
func (r *run) describe(cycle []*edge, writers []*request) (d described) {
	for i, e := range cycle {
		d.a, d.b = d.a+Mix(r.events[e.outer].Context), d.b+Mix(r.events[e.inner].Context)
		h := Hold{Context: r.events[e.inner].Context, Op: uint32(r.events[e.inner].Op), Mode: Locked, Order: last}
		if e.wait < 0 {
			d.pairs = append(d.pairs, Pair{r.operation(e.outer), r.operation(e.inner)})
		} else {
			d.pairs = append(d.pairs, Pair{r.operation(e.outer), r.operation(e.wait)}, Pair{r.operation(e.inner), r.operation(e.inner)})
			h.Mode = 0
			d.waits++
		}
		d.inner, d.early = append(d.inner, r.hold(e.inner, last)), append(d.early, r.hold(e.inner, last))
		if e.wait >= 0 {
			d.early[i] = r.holdOutermost(e.inner, last)
		}
		d.inside = d.inside || r.events[e.inner].Place == 0
		if !slices.Contains(d.any, h) {
			d.any = append(d.any, h)
		}
		d.reused = d.reused || slices.ContainsFunc(cycle[:i], func(f *edge) bool { return f.goroutine == e.goroutine })
	}
	for _, w := range writers {
		d.b += Mix(r.events[w.event].Context)
		d.pairs = append(d.pairs, Pair{r.operation(w.event), r.operation(w.event)})
		d.inner, d.early = append(d.inner, r.hold(w.event, 0)), append(d.early, r.hold(w.event, 0))
	}
	if d.reused {
		d.a++
	}
	return d
}

// predictCycle adds the directed schedules for a cycle of k locks, at most k+3.
func (p *Predictor) predictCycle(r *run, cycle []*edge, writers []*request) {
	d := r.describe(cycle, writers)
	known := p.signatures[d.signature] > 0
	if p.signatures[d.signature]++; p.signatures[d.signature] > maxSignature || d.reused && known {
		return
	}
	x := Prediction{What: cycleText(len(cycle), d.waits), Pairs: d.pairs, Effect: Blocks, rank: rankCycle, group: p.group()}
	switch {
	case known:
		x.rank = rankKnownCycle
	case d.waits > 0:
		x.rank = rankWaits
	}
	if d.inside {
		x.rank += rankUnknown
	}
	if d.reused {
		p.push(x.with(d.any, 3))
		return
	}
	inner := d.inner
	p.push(x.with(inner, 0))
	p.push(x.with(d.early, 1)) // known already without waits
	if delay, ok := p.delay(span(r.events, cycle)); ok && delay > 0 {
		late := x
		late.Delay = delay
		p.push(late.with(inner, 0))
	}
	// The goroutine whose critical section comes first in the record may have to wait for others.
	order := slices.SortedFunc(slices.Values(cycle), func(a, b *edge) int { return cmp.Compare(a.outer, b.outer) })
	for _, e := range order {
		p.push(x.with(append([]Hold{r.holdOutermost(e.outer, 0)}, inner...), 1))
	}
	p.push(x.with(d.any, 1))
	var all []Hold
	for k, e := range order {
		all = append(all, r.holdOutermost(e.outer, uint32(min(k, last))))
	}
	p.push(x.with(append(all, inner...), 2))
}

// holdOutermost returns a hold before the outermost lock that is held at an event, because others may need that lock, or before the event.
func (r *run) holdOutermost(event int, order uint32) Hold {
	if out := r.outermost[event]; out >= 0 {
		event = int(out)
	}
	return r.hold(event, order)
}

// cycleText describes a cycle.
func cycleText(locks, waits int) string {
	text := "cycle of " + plural(locks, "lock")
	if waits > 0 {
		text += " and " + plural(waits, "wait")
	}
	return text
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// span returns the instants of the first and the last inner request of a cycle.
func span(events []Event, cycle []*edge) (from, to int64) {
	for i, e := range cycle {
		at := events[e.inner].Time
		if i == 0 {
			from, to = at, at
		}
		from, to = min(from, at), max(to, at)
	}
	return from, to
}

// predictAgain adds directed schedules in which a writer waits between two read locks of one goroutine.
func (p *Predictor) predictAgain(r *run, o *lockOrder) {
	for i := range o.again {
		x := &o.again[i]
		for _, w := range o.locks {
			outside := !slices.ContainsFunc(x.guards, func(h acquisition) bool {
				return h.lock != w.lock && slices.ContainsFunc(w.guards, func(g acquisition) bool { return g.lock == h.lock })
			})
			if w.read || w.lock != x.to || w.goroutine == x.goroutine || !outside ||
				x.atOuter.precededBy(w.goroutine, w.event) || w.clock.precededBy(x.goroutine, x.inner) {
				continue
			}
			s := signature{Mix(r.events[x.inner].Context), Mix(r.events[w.event].Context)}
			if p.signatures[s]++; p.signatures[s] > maxSignature {
				continue
			}
			y := Prediction{What: "read lock requested again", Effect: Blocks, rank: rankCycle, group: p.group(),
				Pairs: []Pair{{r.operation(x.outer), r.operation(x.inner)}, {r.operation(w.event), r.operation(w.event)}}}
			p.push(y.with([]Hold{r.hold(x.inner, last)}, 0))
			p.push(y.with([]Hold{r.hold(w.event, 0), r.hold(x.inner, last)}, 1))
		}
	}
}
