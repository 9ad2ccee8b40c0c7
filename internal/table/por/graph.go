package por

import (
	"cmp"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Words implements [graph.Graph].
func (r *ReducedGraph) Words() int { return r.g.Words() }

// Together implements [graph.Graph].
func (r *ReducedGraph) Together() [][]int32 { return r.g.Together() }

// Fingerprint implements [graph.Graph].
func (r *ReducedGraph) Fingerprint(state []uint32) graph.Fingerprint { return r.g.Fingerprint(state) }

// Bytes implements [graph.Graph].
func (r *ReducedGraph) Bytes() int { return r.g.Bytes() + 256*r.known }

// Roots implements [graph.Graph].
func (r *ReducedGraph) Roots(e *graph.Edges) error {
	r.inner.Reset()
	err := r.g.Roots(&r.inner)
	zero := make([]uint32, r.Words())
	var roots [][]uint32
	for t := range r.inner.Ends {
		roots = append(roots, r.inner.To(t, zero, nil))
	}
	if r.Permuter != nil && err == nil {
		r.Permuter.CompareRoots(roots)
	}
	for _, v := range roots {
		r.fromRoot(v, nil)
		r.emit(e, zero, v, 0)
	}
	return cmp.Or(r.Err, err)
}

// Expand implements [graph.Graph].
func (r *ReducedGraph) Expand(state []uint32, number int, e *graph.Edges) error {
	node, c := r.single(state)
	if number >= 0 {
		r.full = append(r.full[:number], c == nil)
	}
	if c != nil {
		if number >= 0 {
			r.summary.Single++
		}
		e.Steps += len(c.next)
		for k := range c.next {
			r.there = append(r.there[:0], state...)
			note := r.take(r.there, node, c, k)
			note, steps := r.onward(r.there, note, number >= 0, nil)
			e.Steps += steps
			r.emit(e, state, r.there, note)
		}
		return r.Err
	}
	r.note(state)
	r.inner.Reset()
	err := r.g.Expand(state, number, &r.inner)
	e.Steps += r.inner.Steps
	for t := range r.inner.Ends {
		r.there = r.inner.To(t, state, r.there[:0])
		note, steps := r.onward(r.there, r.inner.Notes[t], number >= 0, nil)
		e.Steps += steps
		r.emit(e, state, r.there, note)
	}
	if r.Err != nil {
		r.g.BadEvent = -1
	}
	return cmp.Or(r.Err, err)
}

// emit appends an edge.
func (r *ReducedGraph) emit(e *graph.Edges, from, to []uint32, note uint8) {
	for word, value := range to {
		if value != from[word] {
			e.Change(word, value)
		}
	}
	var f graph.Fingerprint
	if e.Width > 0 {
		f = r.Configs.Fingerprint(to)
	}
	e.End(f, note)
}

// single is pick without the states that must be expanded fully.
func (r *ReducedGraph) single(v []uint32) (node int, c *candidate) {
	if !r.rules.SingletonAmple || len(r.fullyExpanded) > 0 && r.fullyExpanded[store.VectorKey(v)] {
		return 0, nil
	}
	return r.pick(v)
}

// note makes all events that are enabled in a state known.
func (r *ReducedGraph) note(v []uint32) {
	for node := range r.caches {
		p := r.at(node, v[node])
		if p.noted {
			continue
		}
		p.noted = true
		local := r.Configs.Tables[node].List[v[node]].Local
		for k := range p.candidates {
			r.know(local, p.candidates[k].act)
		}
	}
}

// take executes an outcome of an event in a state.
func (r *ReducedGraph) take(v []uint32, node int, c *candidate, k int) (note uint8) {
	o := &c.does.List[k]
	note = uint8(node)
	if r.Configs.Tables[node].List[v[node]].Local != o.Next {
		note |= statespace.NoteLocal
	}
	if o.Ordinary {
		note |= statespace.NoteOrdinary
	}
	v[node] = c.next[k]
	for _, d := range o.Sends {
		v[d.Peer] = r.Configs.Once(d.Peer, v[d.Peer], d.Index)
	}
	r.World.Trees.Leaves.At(o.Leaf).Taken = true
	return note
}

// fromRoot is onward from an initial state. No step led there, so it evaluates every property.
func (r *ReducedGraph) fromRoot(v []uint32, k *walker) {
	r.drop(v)
	r.Configs.Unpack(v, r.World.Vector)
	if ok, stuck := r.World.AlwaysHold(); ok && stuck == nil {
		r.onward(v, statespace.NoteLocal, false, k)
	} else {
		r.canonicalize(v, k)
	}
}

// canonicalize replaces a state by the representative of its orbit. The walker, if not nil, records the
// permutation.
func (r *ReducedGraph) canonicalize(v []uint32, k *walker) {
	if r.Permuter == nil {
		return
	}
	if by := r.Permuter.Canonicalize(v); by >= 0 && k != nil {
		k.exchange(r.Permuter.Permutations()[by])
	}
}

// A chain is checked for cycles after cycle steps, and cut after longest steps. The state at the cut is stored as
// usual, so that limits apply.
const (
	cycle   = 50
	longest = 500

	mostLong = 10 // chains cut at that length before a trial exploration gives up: the state space may be infinite
)

// onward drops dead datagrams from a state, and executes steps as long as there is only one to explore. It returns
// the note of the last step, and the number of steps. The chain ends in a state with a violation, or in one that it
// revisits. A revisited state is expanded fully, since otherwise nothing else would ever happen. The walker, if not
// nil, takes the same steps.
func (r *ReducedGraph) onward(v []uint32, note uint8, first bool, k *walker) (last uint8, steps int) {
	r.drop(v)
	r.canonicalize(v, k)
	if !r.rules.Chains {
		return note, 0
	}
	var visited map[string]bool
	for {
		node, c := r.single(v)
		if c == nil || len(c.next) != 1 || !r.passes(v, note) {
			break
		}
		if steps == longest {
			if r.long++; r.long == mostLong && r.trial {
				r.Err = ErrAgain
			}
			break
		}
		if steps > cycle && !r.Mutated(NoProviso) {
			key := store.VectorKey(v)
			if visited[key] {
				// A chain that was cut at its length may have passed this state, and must end in the same state
				// when it is followed again. Then the proviso finds the state, and the next exploration expands it
				// fully.
				if r.long == 0 {
					r.fullyExpanded[key] = true
				}
				break
			}
			if visited == nil {
				visited = map[string]bool{}
			}
			visited[key] = true
		}
		if k != nil {
			k.follow(node, c)
		}
		note = note&statespace.NoteOrdinary | r.take(v, node, c, 0)&^statespace.NoteOrdinary
		r.drop(v)
		r.canonicalize(v, k)
		if steps++; steps%cycle == 0 && r.Limited() {
			break
		}
	}
	if first && steps > 0 {
		r.summary.Chains++
		r.summary.Passed += steps
	}
	return note, steps
}

// passes reports whether an intermediate state, reached by a step with a note, has no violation.
func (r *ReducedGraph) passes(v []uint32, note uint8) bool {
	w := r.World
	check := false
	for i := range w.Properties.Always {
		q := &w.Properties.Always[i]
		check = check || q.Nodes == 0 || q.InFlight || note&statespace.NoteLocal != 0 && q.Nodes>>(note&statespace.NoteNode)&1 == 1
	}
	for i := range r.Configs.PendingLog {
		if u := &r.Configs.PendingLog[i]; v[u.Node] == u.Config {
			return false
		}
	}
	if r.Permuter != nil {
		if check = true; !r.Permuter.CompareProperties(v) {
			return false
		}
	}
	if !check && w.Covering.Unmet == 0 {
		return true
	}
	r.Configs.Unpack(v, w.Vector)
	if check {
		if ok, stuck := w.AlwaysHold(); !ok || stuck != nil {
			r.stuck, r.stuckAt = stuck, store.VectorKey(v)
			return false
		}
	}
	return r.observe()
}

// observe records which Sometimes properties hold. It returns false if one panics. The check of the state reports
// that.
func (r *ReducedGraph) observe() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	r.World.CoverState()
	return true
}

// drop removes dead datagrams from a state.
func (r *ReducedGraph) drop(v []uint32) {
	lost := 0
	for node := range r.caches {
		if p := r.at(node, v[node]); p.dropped != v[node] {
			configs := r.Configs.Tables[node].List
			lost += len(r.World.Inboxes.List[configs[v[node]].Inbox].Items) - len(r.World.Inboxes.List[configs[p.dropped].Inbox].Items)
			v[node] = p.dropped
		}
	}
	if lost == 0 {
		return
	}
	// These datagrams could also have been duplicated, and all copies lost, which counts for the coverage of these faults. Reduced
	// systems have no other faults of datagrams, see reducibleFaults.
	f := &r.Configs.Globals[v[r.Configs.Global]]
	left, most, used := r.World.NetGlobals.List[f.Net].State.Left, r.World.Sys.Limits(), &r.World.Covering.Used
	if left[sim.Loss] > 0 {
		used[sim.Loss] = max(used[sim.Loss], most[sim.Loss]-left[sim.Loss]+min(left[sim.Loss], lost+left[sim.Dup]))
	}
	if left[sim.Dup] > 0 {
		used[sim.Dup] = max(used[sim.Dup], most[sim.Dup]-left[sim.Dup]+1)
	}
}

// Check implements [graph.Graph].
func (r *ReducedGraph) Check(m *graph.FoundState) (live bool, err error) {
	g := r.g
	if r.stuck != nil && store.VectorKey(m.State) == r.stuckAt {
		return false, r.stuck
	}
	if r.Permuter != nil {
		if !r.Permuter.CompareProperties(m.State) {
			return false, ErrAgain
		}
		exchanged := *m
		exchanged.Root = true // a permutation may have moved the node of the note
		live, err = g.CheckState(&exchanged)
	} else {
		live, err = g.CheckState(m)
	}
	if r.readsMessages() {
		return live, ErrAgain // verdicts on states from which messages were dropped are invalid
	}
	if m.Barred = g.IsKnown(err); m.Barred {
		return false, nil
	}
	if n := m.Number + 1; err == nil && n&(n-1) == 0 {
		if trail := m.Path(); len(trail) <= statespace.AuditedSteps {
			path, _ := r.Path(trail)
			if r.lost {
				return live, cmp.Or(r.Err, errLost)
			}
			if len(path) <= statespace.AuditedSteps {
				err = g.World.Retrace(path)
			}
		}
	}
	return live, err
}

var _ graph.Graph = (*ReducedGraph)(nil)
