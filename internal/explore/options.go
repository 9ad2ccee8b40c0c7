package explore

import (
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Options selects how a graph is explored. The zero value has no bounds, and explores breadth first with whole states.
type Options struct {
	Visited  stateset.Kind // zero: the first of [stateset.Kinds]
	Frontier FrontierKind  // zero: the first of [Frontiers]
	Reducer  Reducer       // nil means that nothing is left out
	Analysis Analysis      // nil means no analysis
	// Log receives the states found. The states already in it are only checked, and the exploration continues after
	// them. The graph must be [Noting], and the frontier [Ordered]. Nil means no log.
	Log Log

	// Spill sets where states are held that do not fit into memory. It needs a visited set with a Deferred variant, and
	// a queue without a reducer. Nil means that all states are in memory.
	Spill *stateset.Spill

	MaxDepth  int // in steps; 0 means no limit
	MaxStates int // 0 means no limit
	MaxBytes  int // of memory for states and graph, approximately; 0 means no limit
	// Go starts f on a new goroutine. Nil means one worker. A second worker looks states up and reads edges. If the
	// graph is deterministic, it does not affect the states found, or where an exploration stops for any reason but
	// memory or an interruption.
	Go func(f func())
	// Progress, if non-nil, is called from time to time on the goroutine of Run, with the numbers of states found and
	// edges followed, the depth, and the number of states waiting to be expanded.
	Progress func(states, transitions, depth, waiting int)
}

// Reasons why an exploration is not complete.
const (
	StoppedDepth       = "depth"
	StoppedStates      = "states"
	StoppedMemory      = "memory"
	StoppedInterrupted = "interrupted"
)

// Result is the result of an exploration.
type Result struct {
	States      int // distinct ones
	Transitions int // edges from all expanded states
	Live        int // live states
	Expanded    int // expanded states, with all states found from them counted
	Depth       int // steps to the last expanded states; with a frontier that is not [Ordered], to the farthest
	Complete    bool
	Stopped     string // one of the Stopped constants if it is not complete, else empty

	// Err is the error by which Expand, Roots, Check or Visit ended the exploration, or nil. Path leads to the state of
	// the error. With AtEdge the error is about an edge from there, or about an edge to a root if Path is nil.
	Err    error
	Path   []uint32
	AtEdge bool

	Omission    float64 // see [stateset.Visited]
	Bytes       int     // of memory for the visited set, with all data kept for each state
	Disk        int64   // maximum number of bytes on disk, for lack of memory
	Spilled     bool    // parts of the set were on disk, so the analysis did not run
	LacksFinder bool    // the set is not a [stateset.Finder], so the analysis did not run
	Frontier    int     // maximum number of bytes kept for states that wait to be expanded
	Steps       int     // see [graph.Edges]
}

// ErrLimit stops an exploration in the middle of a state, see [Loop.Limit].
var ErrLimit = errors.New("a limit was reached")

// newVisited makes the visited set of an exploration.
// It is on disk if Spill is set, the set and the frontier have a form for it, and nothing reduces.
func newVisited(g graph.Graph, opts *Options) (stateset.Visited, error) {
	set := &opts.Visited
	switch {
	case opts.Spill != nil && set.Deferred != nil && opts.Frontier.Spilled != nil && opts.Reducer == nil:
		return set.Deferred(g, opts.Spill), nil
	case opts.MaxDepth == 0 || opts.Frontier.Shortest:
		return set.New(g), nil
	}
	switch {
	case set.Bounded == nil:
		return nil, fmt.Errorf("explore: visited set %q cannot bound the depth of an exploration that takes no shortest ways", set.Name)
	case opts.MaxDepth > stateset.Deepest:
		return nil, fmt.Errorf("explore: MaxDepth is %d, must be at most %d", opts.MaxDepth, stateset.Deepest)
	case opts.Reducer != nil:
		return nil, errors.New("explore: a reducer cannot be combined with a bound on depth")
	}
	return set.Bounded(g), nil
}
