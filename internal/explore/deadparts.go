package explore

import (
	"fmt"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// DeadParts finds the states from which no live state can be reached by edges of the recovery relation, like
// [DeadStates], for a completed exploration in [Parts]. It receives all states part by part, and a second time those
// that are undecided then.
type DeadParts struct {
	graph    graph.Graph
	width    int      // width of the fingerprints that identify states
	base     []uint32 // by part: number of its first state among all, and finally the number of all states
	received []uint32 // by part: number of states received
	met      int

	origin             []uint32      // by state: the state that it was found from, plus one; 0 for a root
	recovers, ordinary memory.Bitset // as in DeadStates

	open    int      // number of states that are undecided
	held    []uint32 // states received a second time
	vectors []uint32 // vectors of the held states
	places  map[graph.Fingerprint]uint32
	edges   graph.Edges // scratch
}

// NewDeadParts prepares to judge an exploration of a graph by fingerprints of width words. Part i has lens[i] states.
func NewDeadParts(g graph.Graph, width int, lens []int) *DeadParts {
	d := &DeadParts{graph: g, width: width, received: make([]uint32, len(lens)), places: map[graph.Fingerprint]uint32{}}
	all := uint32(0)
	for _, n := range lens {
		d.base = append(d.base, all)
		all += uint32(n)
	}
	d.base = append(d.base, all)
	d.origin = make([]uint32, all)
	d.recovers, d.ordinary = make(memory.Bitset, all/64+1), make(memory.Bitset, all/64+1)
	return d
}

// id returns the number of a state among all states, and false if it does not exist.
func (d *DeadParts) id(part, number uint32) (uint32, bool) {
	if int(part) >= len(d.received) || number >= d.base[part+1]-d.base[part] {
		return 0, false
	}
	return d.base[part] + number, true
}

// Add adds the next state of a part, and the source that it was found from.
func (d *DeadParts) Add(part int, state []uint32, from Source) error {
	id, ok := d.id(uint32(part), d.received[part])
	if !ok {
		return fmt.Errorf("part %d has more than %d states", part, d.received[part])
	}
	d.received[part]++
	if from.Number != stateset.NoPlace {
		before, ok := d.id(from.Part, from.Number)
		if !ok {
			return fmt.Errorf("a state of part %d was found from state %d of part %d, which is not there", part, from.Number, from.Part)
		}
		d.origin[id] = before + 1
		if from.Note&graph.Recovery != 0 {
			d.ordinary.Add(id)
		}
	}
	live, err := d.graph.Check(&graph.FoundState{State: state, Number: d.met, Note: from.Note, Root: from.Number == stateset.NoPlace})
	if d.met++; live {
		d.recovers.Add(id)
	}
	return err
}

// MarkOrigins is called after all states were added. It marks the states from which live states were found as recovering.
func (d *DeadParts) MarkOrigins() error {
	for i, n := range d.received {
		if want := d.base[i+1] - d.base[i]; n != want {
			return fmt.Errorf("part %d has %d states, and %d were to be there", i, n, want)
		}
	}
	for id := range uint32(len(d.origin)) {
		if !d.recovers.Has(id) {
			continue
		}
		for at := id; d.ordinary.Has(at); {
			if at = d.origin[at] - 1; d.recovers.Has(at) {
				break
			}
			d.recovers.Add(at)
		}
	}
	for id := range uint32(len(d.origin)) {
		if !d.recovers.Has(id) {
			d.open++
		}
	}
	return nil
}

// AllRecover reports whether all states of a part in [from, until) are known to reach a live state.
func (d *DeadParts) AllRecover(part, from, until int) bool {
	for n := from; n < until; n++ {
		if id, ok := d.id(uint32(part), uint32(n)); ok && !d.recovers.Has(id) {
			return false
		}
	}
	return true
}

// Hold passes a state a second time.
func (d *DeadParts) Hold(part, number int, state []uint32) {
	if id, ok := d.id(uint32(part), uint32(number)); ok && !d.recovers.Has(id) {
		d.places[d.name(d.graph.Fingerprint(state))] = uint32(len(d.held))
		d.held, d.vectors = append(d.held, id), append(d.vectors, state...)
	}
}

// name returns the fingerprint that identifies a state.
func (d *DeadParts) name(f graph.Fingerprint) graph.Fingerprint {
	if d.width < 2 {
		f.Hi = 0
	}
	return f
}

// Judge takes the steps of all states that are undecided. They lead to states that recover, or to other held states.
// It calls limit from time to time, and stops at an error.
func (d *DeadParts) Judge(limit func() error) error {
	if len(d.held) != d.open || len(d.places) != d.open {
		return fmt.Errorf("%d states are undecided, and %d were received again, %d of them different", d.open, len(d.held), len(d.places))
	}
	const none = ^uint32(0)
	type back struct{ from, next uint32 }
	var backs []back // edges between held states
	last := make([]uint32, len(d.held))
	for i := range last {
		last[i] = none
	}
	words := d.graph.Words()
	var marked []uint32 // scratch
	for k, id := range d.held {
		if k%1024 == 0 {
			if err := limit(); err != nil {
				return err
			}
		}
		d.edges.Reset()
		d.edges.Width = 2
		if err := d.graph.Expand(d.vectors[k*words:][:words], -1, &d.edges); err != nil {
			return err
		}
		onward := d.recovers.Has(id)
		for t, note := range d.edges.Notes {
			if note&graph.Recovery == 0 {
				continue
			}
			to, in := d.places[d.name(graph.Fingerprint{Lo: d.edges.Lo[t], Hi: d.edges.Hi[t]})]
			if !in || d.recovers.Has(d.held[to]) {
				onward = true
				break
			}
			backs = append(backs, back{uint32(k), last[to]})
			last[to] = uint32(len(backs) - 1)
		}
		if !onward {
			continue
		}
		d.recovers.Add(id)
		for marked = append(marked[:0], uint32(k)); len(marked) > 0; {
			at := marked[len(marked)-1]
			marked = marked[:len(marked)-1]
			for e := last[at]; e != none; e = backs[e].next {
				if from := backs[e].from; !d.recovers.Has(d.held[from]) {
					d.recovers.Add(d.held[from])
					marked = append(marked, from)
				}
			}
			last[at] = none
		}
	}
	return nil
}

// Dead returns the number of dead states, and one of those nearest to the start.
func (d *DeadParts) Dead() (states, part, number int) {
	nearest := int(^uint(0) >> 1)
	for i := range d.received {
		first := true // states of a part are ordered by distance
		for id := d.base[i]; id < d.base[i+1]; id++ {
			if d.recovers.Has(id) {
				continue
			}
			states++
			if first {
				if far := d.depth(id); far < nearest {
					nearest, part, number = far, i, int(id-d.base[i])
				}
			}
			first = false
		}
	}
	return states, part, number
}

// depth returns the number of steps from the root of a state's path to the state.
func (d *DeadParts) depth(id uint32) (steps int) {
	for ; d.origin[id] != 0 && steps < len(d.origin); id = d.origin[id] - 1 {
		steps++
	}
	return steps
}

// Bytes returns the approximate memory in use.
func (d *DeadParts) Bytes() int {
	return 4*cap(d.origin) + d.recovers.Bytes() + d.ordinary.Bytes() + 4*cap(d.held) + 4*cap(d.vectors) + 40*len(d.places) + d.edges.Bytes()
}
