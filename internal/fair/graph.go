// Package fair looks for runs of a finite graph that stay hot for ever although they are fair: liveness, decided exactly.
//
// # Runs
//
// A run passes states and edges. In any state it may also stay, which is no edge and no step of a process. Edges and states
// carry marks: hot, cold, both or none. A run without end violates the obligation when, from some point on, it passes nothing
// cold, passes something hot again and again, and is fair:
//
//   - to each [Weak] process: again and again the process acts, or is not enabled;
//   - to each [Strong] process: it acts again and again, or from some point on it is not enabled;
//   - to each fair choice: if it is drawn again and again, each of its outcomes comes again and again.
//
// # Steps that change nothing
//
// Edges of one event in one state are its answers, but those without an actor: faults that strike inside the step. An event all of
// whose answers lead back to the state, and pass nothing cold, changes nothing: it is no act of its process and does not make it
// enabled. Else a timer that does nothing, and fires again and again, would make up for a step that never comes. Where one answer
// changes something, each of them is an act.
package fair

import (
	"errors"
	"math"
	"slices"
)

// Fairness is what is promised about a process.
type Fairness uint8

const (
	None   Fairness = iota // nothing: it may be left out for ever
	Weak                   // it acts if it is enabled from some point on without pause
	Strong                 // it acts if it is enabled again and again
)

// Outside is a state that is not part of a graph: one that no run can come back from.
const Outside = math.MaxUint32

// Edge is a step.
type Edge struct {
	To     uint32 // or [Outside]
	Marks  uint32 // what it passes: a place in the marks that [Graph.Find] is given
	Draws  uint32 // a place in Graph.Draws; 0: it draws nothing
	Event  uint16 // in its state; the answers of one event are neighbours
	Actor  uint16 // a place in Graph.Processes, plus one; 0: none, as of faults
	origin uint32
}

// Draw is the outcome of a choice.
type Draw struct {
	Choice uint16 // a place in Graph.Choices
	Pick   uint16
}

// Process is one whose steps are counted together.
type Process struct {
	Name     string
	Fairness Fairness
}

// Choice is what steps draw at one place.
type Choice struct {
	Name  string
	Arity int
	Fair  bool
}

// Graph is states and steps. Add makes it; it must not be changed once it is searched.
type Graph struct {
	Processes []Process
	Choices   []Choice
	Draws     [][]Draw // the first one is empty

	stay  []uint32 // by state: marks of staying in it
	begin []uint32 // by state: its first edge; and the end
	edges []Edge
}

// ErrTooLarge says that a graph has more states, edges, processes or events than it has room for.
var ErrTooLarge = errors.New("fair: the graph is too large")

// New makes a graph without states.
func New() *Graph { return &Graph{Draws: [][]Draw{nil}, begin: []uint32{0}} }

// Add adds a state: the marks of staying in it, and its edges, those of one event behind one another. Edges to states that are
// added later are fine. The error is [ErrTooLarge].
func (g *Graph) Add(stay uint32, edges []Edge) error {
	if len(g.stay) >= Outside-1 || len(g.edges)+len(edges) > math.MaxUint32 {
		return ErrTooLarge
	}
	at := uint32(len(g.stay))
	g.stay = append(g.stay, stay)
	for _, e := range edges {
		e.origin = at
		g.edges = append(g.edges, e)
	}
	g.begin = append(g.begin, uint32(len(g.edges)))
	return nil
}

// Grow makes room for so many more states and edges, so that adding them copies nothing.
func (g *Graph) Grow(states, edges int) {
	g.stay, g.begin, g.edges = slices.Grow(g.stay, states), slices.Grow(g.begin, states), slices.Grow(g.edges, edges)
}

// Len is how many states there are.
func (g *Graph) Len() int { return len(g.stay) }

// Edges are those of a state, in the order in which they were added. They must not be changed.
func (g *Graph) Edges(state uint32) []Edge { return g.edges[g.begin[state]:g.begin[state+1]] }

// Bytes is about the memory that the graph takes, and a search in it.
func (g *Graph) Bytes() int { return Bytes(len(g.stay), len(g.edges)) }

// Bytes is about the memory that a graph with so many states and edges takes, and a search in it.
func Bytes(states, edges int) int { return 26*edges + 40*states }
