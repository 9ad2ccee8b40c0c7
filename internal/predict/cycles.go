package predict

import (
	"cmp"
	"fmt"
	"slices"
)

// edge is a nested acquisition: a goroutine requests the lock to at event inner, and holds the lock from since event outer.
type edge struct {
	goroutine    int
	from, to     uint64
	fromR, toR   bool // read locks
	outer, inner int
	guards       []acquisition // all locks held at inner
	atOuter      clock
	atInner      clock
}

// Bounds of the search for cycles.
const (
	maxEdges     = 1 << 12
	maxEdge      = 3       // edges of one goroutine with the same locks, modes and contexts
	maxCycle     = 16      // edges of a cycle
	maxSteps     = 200_000 // of the search in one record
	maxCycles    = 50      // of one record
	maxSignature = 3       // cycles with the same contexts
)

// lockOrder is the lock-order graph of a record.
type lockOrder struct {
	edges []edge
	from  map[uint64][]int // indexes of edges by lock
	seen  map[edgeKey]int
	again []edge    // read locks that their goroutines request again
	locks []request // of write locks
}

// request is an event that requests a write lock, with the clock before it.
type request struct {
	goroutine, event int
	lock             uint64
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
	return &lockOrder{from: map[uint64][]int{}, seen: map[edgeKey]int{}}
}

// add adds the edges of an event that requests a lock. r has begun the event and not ended it.
func (o *lockOrder) add(r *run, i int) {
	e, g := &r.events[i], r.goroutine(i)
	if e.Op != Lock && e.Op != RLock {
		return
	}
	read := e.Op == RLock
	for _, h := range r.held[g] {
		k := edgeKey{g, h.lock, e.Object, r.events[h.event].Context, e.Context, len(r.held[g]) << 2}
		if h.read {
			k.modes |= 1
		}
		if read {
			k.modes |= 2
		}
		if o.seen[k]++; o.seen[k] > maxEdge || len(o.edges) == maxEdges {
			continue
		}
		x := edge{goroutine: g, from: h.lock, to: e.Object, fromR: h.read, toR: read, outer: h.event, inner: i,
			guards: slices.Clone(r.held[g]), atOuter: h.clock, atInner: r.share(g)}
		if h.lock == e.Object {
			o.again = append(o.again, x)
			continue
		}
		o.from[h.lock] = append(o.from[h.lock], len(o.edges))
		o.edges = append(o.edges, x)
	}
	if !read && len(o.locks) < maxEdges {
		o.locks = append(o.locks, request{g, i, e.Object, r.share(g), slices.Clone(r.held[g])})
	}
}

// compatible reports whether two edges can be part of one deadlock: neither happens before the other, and no guard excludes one of them.
func (x *edge) compatible(y *edge) bool {
	if x.goroutine == y.goroutine && x.inner == y.inner {
		return false
	}
	for _, a := range x.guards {
		for _, b := range y.guards {
			if a.lock == b.lock && !(a.read && b.read) {
				return false
			}
		}
	}
	// One goroutine of the record, such as that of a connection, may do the work of several.
	return x.goroutine == y.goroutine ||
		!y.atOuter.precededBy(x.goroutine, x.inner) && !x.atOuter.precededBy(y.goroutine, y.inner)
}

// cycles calls found with the edges of each cycle.
func (o *lockOrder) cycles(found func([]*edge)) {
	s := cycleSearch{lockOrder: o, found: found}
	for i := range o.edges {
		s.path = append(s.path[:0], i)
		s.extend()
	}
}

// cycleSearch enumerates cycles from their first edges.
type cycleSearch struct {
	*lockOrder
	path         []int // indexes of edges
	steps, count int
	found        func([]*edge)
}

func (s *cycleSearch) extend() {
	start, last := s.path[0], &s.edges[s.path[len(s.path)-1]]
	for _, k := range s.from[last.to] {
		if s.steps++; s.steps > maxSteps || s.count >= maxCycles {
			return
		}
		next := &s.edges[k]
		switch {
		case last.toR && next.fromR: // they exclude each other only together with a writer
		case k == start:
			if len(s.path) > 1 {
				s.count++
				s.found(s.list())
			}
		case k > start && len(s.path) < maxCycle && s.compatible(next):
			s.path = append(s.path, k)
			s.extend()
			s.path = s.path[:len(s.path)-1]
		}
	}
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

// predictCycle adds the directed schedules for a cycle of k locks, at most k+3.
func (p *Predictor) predictCycle(r *run, cycle []*edge) {
	s := signature{}
	pairs, inner, any := []Pair{}, []Hold{}, []Hold{}
	reused := false // a goroutine has several edges
	for i, e := range cycle {
		s.a, s.b = s.a+mix(r.events[e.outer].Context), s.b+mix(r.events[e.inner].Context)
		pairs = append(pairs, Pair{r.operation(e.outer), r.operation(e.inner)})
		inner = append(inner, r.hold(e.inner, Last))
		h := Hold{Context: r.events[e.inner].Context, Op: uint32(r.events[e.inner].Op), Mode: Last | Locked}
		if !slices.Contains(any, h) {
			any = append(any, h)
		}
		reused = reused || slices.ContainsFunc(cycle[:i], func(f *edge) bool { return f.goroutine == e.goroutine })
	}
	if reused {
		s.a++
	}
	known := p.signatures[s] > 0
	if p.signatures[s]++; p.signatures[s] > maxSignature || reused && known {
		return
	}
	x := Prediction{What: fmt.Sprintf("cycle of %d locks", len(cycle)), Pairs: pairs, Effect: Blocks, rank: rankCycle, group: p.group()}
	if known {
		x.rank = rankKnownCycle
	}
	if reused {
		p.push(x.with(any, 3))
		return
	}
	outer := func(e *edge, mode HoldMode) Hold {
		if out := r.outermost[e.outer]; out >= 0 { // others may need that lock, too
			return r.hold(int(out), mode)
		}
		return r.hold(e.outer, mode)
	}
	p.push(x.with(inner, 0))
	if delay, ok := p.delay(span(r.events, cycle)); ok && delay > 0 {
		late := x
		late.Delay = delay
		p.push(late.with(inner, 0))
	}
	// The goroutine whose critical section comes first in the record may have to wait for others.
	order := slices.SortedFunc(slices.Values(cycle), func(a, b *edge) int { return cmp.Compare(a.outer, b.outer) })
	for _, e := range order {
		p.push(x.with(append([]Hold{outer(e, 0)}, inner...), 1))
	}
	p.push(x.with(any, 1))
	var all []Hold
	for k, e := range order {
		all = append(all, outer(e, HoldMode(min(k, 1))))
	}
	p.push(x.with(append(all, inner...), 2))
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
			if w.lock != x.to || w.goroutine == x.goroutine || !outside ||
				x.atOuter.precededBy(w.goroutine, w.event) || w.clock.precededBy(x.goroutine, x.inner) {
				continue
			}
			s := signature{mix(r.events[x.inner].Context), mix(r.events[w.event].Context)}
			if p.signatures[s]++; p.signatures[s] > maxSignature {
				continue
			}
			y := Prediction{What: "read lock requested again", Effect: Blocks, rank: rankCycle, group: p.group(),
				Pairs: []Pair{{r.operation(x.outer), r.operation(x.inner)}, {r.operation(w.event), r.operation(w.event)}}}
			p.push(y.with([]Hold{r.hold(x.inner, Last)}, 0))
			p.push(y.with([]Hold{r.hold(w.event, 0), r.hold(x.inner, Last)}, 1))
		}
	}
}
