package por

import (
	"encoding/binary"

	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Change is a step of a node from one local state to another.
type Change struct{ From, To uint32 }

// combinations is the maximum number of combinations of local states that are evaluated to decide visibility.
const combinations = 20_000

// watched caches the values of a property by the local states of the nodes that it reads.
type watched struct {
	*world.Property
	always bool
	Wide   bool // it reads too many states, or does not return
	nodes  uint64
	close  uint64 // nodes that it reads other than by predicates over single nodes
	known  map[string]bool
	bad    map[string]bool // the property panics
}

// Properties returns all properties.
func (r *ReducedGraph) Properties() []*watched {
	if r.watched == nil {
		add := func(list []world.Property, always bool) {
			for k := range list {
				r.watched = append(r.watched, &watched{Property: &list[k], always: always})
			}
		}
		add(r.World.Properties.Always, true)
		add(r.World.Properties.Eventually, false)
		add(r.World.Covering.Sometimes, false)
	}
	return r.watched
}

// visible reports whether a change may make a property look better, in some combination with local states of other
// nodes: it masks a violation, or it leaves a goal. An Always property looks better if it is violated before the change
// and holds after it, and any other if it holds before and not after. Changes in the other direction may be made early, as
// the violation or goal is then still seen.
func (r *ReducedGraph) visible(node int, from, to uint32) bool {
	c := Change{from, to}
	is, ok := r.Visibles[c]
	if !ok {
		for _, p := range r.Properties() {
			if is = r.Shows(p, node, c); is {
				break
			}
		}
		r.Visibles[c] = is
	}
	return is
}

// Shows reports whether a change is visible to a property.
func (r *ReducedGraph) Shows(p *watched, node int, c Change) bool {
	if p.InFlight || p.Wide {
		return true
	}
	if p.Property.Nodes>>node&1 == 0 {
		return false
	}
	at, ok := r.combine(p, node)
	for more := ok; more; more = at.next() {
		at.v[node] = c.From
		before, ok := r.holds(p, at.v)
		at.v[node] = c.To
		after, ok2 := r.holds(p, at.v)
		if !ok || !ok2 {
			return true
		}
		if before != after && before != p.always {
			return true
		}
		if p.nodes != at.nodes || p.close != at.close { // it has read more
			return r.Shows(p, node, c)
		}
	}
	return !ok
}

// combination enumerates the combinations of known local states of some nodes.
type combination struct {
	nodes uint64 // nodes that the property reads
	close uint64
	vary  []int
	lists [][]uint32 // lists of local states, in the order of vary
	turn  []int
	v     []uint32
}

// combine returns the first combination for a property, without node but (-1 means with all). Ok is false if there
// are too many.
func (r *ReducedGraph) combine(p *watched, but int) (at *combination, ok bool) {
	at = &combination{nodes: p.Property.Nodes, close: p.close, v: make([]uint32, len(r.Nodes))}
	size := 1
	for i := range r.Nodes {
		list := r.Nodes[i].Reached
		if p.close>>i&1 == 0 && at.nodes>>i&1 == 1 {
			if list, ok = r.alike(i); !ok {
				return at, false
			}
		}
		if len(list) == 0 {
			list = r.World.Boots.Loaded[i:][:1]
		}
		at.v[i] = list[0]
		if i == but || at.nodes>>i&1 == 0 {
			continue
		}
		at.vary, at.turn, at.lists = append(at.vary, i), append(at.turn, 0), append(at.lists, list)
		if size *= len(list); size > combinations {
			return at, false
		}
	}
	return at, true
}

func (at *combination) next() bool {
	for k, node := range at.vary {
		list := at.lists[k]
		if at.turn[k]++; at.turn[k] < len(list) {
			at.v[node] = list[at.turn[k]]
			return true
		}
		at.turn[k], at.v[node] = 0, list[0]
	}
	return false
}

// holds evaluates a property in a combination of local states. Ok is false if it panics.
func (r *ReducedGraph) holds(p *watched, v []uint32) (holds, ok bool) {
	if p.known == nil || p.nodes != p.Property.Nodes {
		p.known, p.bad, p.nodes = map[string]bool{}, map[string]bool{}, p.Property.Nodes
	}
	var buf [256]byte
	key := buf[:0]
	for i, local := range v {
		if p.nodes>>i&1 == 1 {
			key = binary.LittleEndian.AppendUint32(key, local)
		}
	}
	if holds, ok := p.known[string(key)]; ok {
		return holds, !p.bad[string(key)]
	}
	holds, ok = r.evaluate(p, v)
	if p.Property.Nodes != p.nodes && !p.Wide {
		return r.holds(p, v)
	}
	p.known[string(key)] = holds
	if !ok {
		p.bad[string(key)] = true
	}
	return holds, ok
}

func (r *ReducedGraph) evaluate(p *watched, v []uint32) (holds, ok bool) {
	defer func() {
		if failed := recover(); failed != nil { // the combination may be unreachable
			holds, ok = false, false
			p.Wide = p.Wide || r.hangs(failed)
		}
	}()
	if r.Limited() {
		return false, false
	}
	copy(r.World.Vector, v)
	holds, reads := r.World.Evaluate(p.Property)
	if reads.Closely&^p.close != 0 {
		holds, reads = r.World.Evaluate(p.Property) // values of a predicate are cached from the second time on
		p.close |= reads.Closely
	}
	return holds, true
}

// hangs reports whether checked code panicked because it did not return. It must not be called again, since each
// call takes the time limit.
func (r *ReducedGraph) hangs(failed any) bool {
	err, _ := failed.(error)
	if !store.IsOverdue(err) {
		return false
	}
	r.known++
	return true
}

// alike returns one local state of a node for each combination of values of node predicates. Ok is false if a
// predicate panics.
func (r *ReducedGraph) alike(node int) (list []uint32, ok bool) {
	n := &r.Nodes[node]
	if n.hangs {
		return nil, false
	}
	defer func() {
		if failed := recover(); failed != nil {
			list, ok, n.hangs = nil, false, r.hangs(failed)
		}
	}()
	say := func(id uint32) (holds uint64, predicates int) {
		r.World.Properties.Shown[node] = id + 1
		if r.World.Calls != nil {
			defer r.World.NoteProperty(-1, id)()
		}
		return r.World.Bench.Predicates(sim.NodeID(node), r.World.Engine.Locals.List[id].State)
	}
	if len(n.Reached) > 0 {
		if _, predicates := say(n.Reached[0]); n.alike == nil || predicates != n.predicates {
			n.alike, n.predicates, n.classified, n.list = map[uint64]bool{}, predicates, 0, nil
		}
	}
	for _, id := range n.Reached[n.classified:] {
		if holds, _ := say(id); !n.alike[holds] {
			n.alike[holds] = true
			n.list = append(n.list, id)
		}
	}
	n.classified = len(n.Reached)
	return n.list, true
}

// Widen evaluates properties in all combinations of known local states, to find out what they read.
func (r *ReducedGraph) Widen() {
	for _, p := range r.Properties() {
		for again := true; again && !p.Wide && r.Err == nil; {
			again = false
			at, ok := r.combine(p, -1)
			if !ok {
				p.Wide = true
				r.known++
			}
			for more := ok; more && !again && !p.Wide && r.Err == nil; more = at.next() {
				r.holds(p, at.v)
				again = p.Property.Nodes != at.nodes || p.close != at.close
			}
			if again {
				r.known++
			}
		}
	}
}
