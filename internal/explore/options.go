package explore

import (
	"errors"

	"github.com/macemc/macemc/internal/explore/stateset"
)

// Options say how a graph is explored. The zero value has no bounds, and explores breadth first, keeping whole states.
type Options struct {
	Visited  stateset.Kind // zero: the first of [stateset.Kinds]
	Frontier FrontierKind  // zero: the first of [Frontiers]
	Reducer  Reducer       // nil: nothing is left out
	Analysis Analysis      // nil: no analysis
	// Log keeps what is found. What is in it already is not explored again: all states in it are checked, and the exploration
	// goes on behind them. The graph is to be [Noting], the frontier [Ordered]. Nil: nothing is kept.
	Log Log

	// Spill is where states are held that do not fit into memory, of a visited set that has a Spilled one and a queue without a
	// reducer. Nil: all are in memory.
	Spill *stateset.Spill

	MaxDepth  int // in steps; 0: none
	MaxStates int // 0: none
	MaxBytes  int // of memory for states and graph, about; 0: none
	// Go starts f in a goroutine of its own; nil: there is one worker. A second worker looks states up and reads edges. What is found,
	// and where an exploration stops for any reason but memory or an interruption, does not depend on it if the graph says the same whenever it is asked.
	Go func(f func())
	// Progress is told now and then, from the goroutine that explores, how many states were found and edges followed, and
	// the depth, and how many states wait to be expanded. Nil: nobody wants to know.
	Progress func(states, transitions, depth, waiting int)
}

// Result is what an exploration came to.
type Result struct {
	States      int // distinct ones
	Transitions int // edges from every state that was expanded
	Live        int // states that are
	Expanded    int // states that were expanded, what was found from them being known
	Depth       int // steps to the states that were expanded last; of a frontier that is not [Ordered] to those farthest along
	Complete    bool
	Stopped     string // why it is not complete: "depth", "states", "memory", "interrupted"

	// Err is what Expand, Roots, Check or Met ended the exploration with; nil: nothing. Trail leads to the state that it is
	// about, AtEdge: of an edge from there; a nil Trail: of an edge to a root.
	Err    error
	Path   []uint32
	AtEdge bool

	Omission float64 // see [stateset.Visited]
	Bytes    int     // of memory for the set of states, with all that is kept for each
	Disk     int64   // bytes, at most, that were on disk for want of memory
	Spilled  bool    // some of the set were on disk: no judge was heard
	Blind    bool    // the set is no [stateset.Finder]: no judge was heard
	Frontier int     // bytes, at most, of what is kept of states that wait to be expanded
	Steps    int     // see [graph.Edges]
}

// ErrLimit says that an exploration is to stop in the middle of a state, see [Loop.Limit].
var ErrLimit = errors.New("a limit was reached")
