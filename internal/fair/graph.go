package fair

import (
	"errors"
	"math"
	"slices"
)

// Fairness is the fairness assumption for a process.
type Fairness uint8

const (
	None   Fairness = iota // none: it may never act
	Weak                   // it acts if it is continuously enabled from some point on
	Strong                 // it acts if it is enabled infinitely often
)

// Outside is a state that is not part of the graph, from which no run returns.
const Outside = math.MaxUint32

// Edge is a step.
type Edge struct {
	To     uint32 // or [Outside]
	Marks  uint32 // index into the marks passed to [Graph.Find]
	Draws  uint32 // index into Graph.Draws; 0: it draws nothing
	Event  uint16 // in its state; answers of one event are adjacent
	Actor  uint16 // index into Graph.Processes plus one; 0: none, such as for faults
	origin uint32
}

// Draw is the outcome of a choice.
type Draw struct {
	Choice uint16 // a place in Graph.Choices
	Pick   uint16
}

// Process is a set of steps with a common fairness assumption.
type Process struct {
	Name     string
	Fairness Fairness
}

// Choice identifies the draws at one place.
type Choice struct {
	Name  string
	Arity int
	Fair  bool
}

// Graph is a graph of states and edges, built by Add. It must not be changed after the first search.
type Graph struct {
	Processes []Process
	Choices   []Choice
	Draws     [][]Draw // the first one is empty

	stay  []uint32 // by state: marks of staying (stuttering) in it
	begin []uint32 // by state: its first edge; and the end
	edges []Edge
}

// ErrTooLarge reports that a graph exceeds the maximum number of states, edges, processes or events.
var ErrTooLarge = errors.New("fair: the graph is too large")

// New returns a graph without states.
func New() *Graph { return &Graph{Draws: [][]Draw{nil}, begin: []uint32{0}} }

// Add adds a state: the marks of staying in it, and its edges, with those of one event adjacent. Edges may lead to
// states that are added later. The error is [ErrTooLarge].
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

// Grow reserves capacity for more states and edges.
func (g *Graph) Grow(states, edges int) {
	g.stay, g.begin, g.edges = slices.Grow(g.stay, states), slices.Grow(g.begin, states), slices.Grow(g.edges, edges)
}

// Len returns the number of states.
func (g *Graph) Len() int { return len(g.stay) }

// Edges returns the edges of a state in the order of Add. They must not be changed.
func (g *Graph) Edges(state uint32) []Edge { return g.edges[g.begin[state]:g.begin[state+1]] }

// Bytes returns the approximate memory of the graph and a search in it.
func (g *Graph) Bytes() int { return Bytes(len(g.stay), len(g.edges)) }

// Bytes returns the approximate memory of a graph of that size and a search in it.
func Bytes(states, edges int) int { return 26*edges + 40*states }
