package options

import (
	"context"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Options bounds an exploration. The zero value has no bounds.
type Options struct {
	World     kernel.Options
	MaxDepth  int                  // in steps; 0: none
	MaxStates int                  // 0: none
	MaxBytes  int                  // of memory for states and tables, about; 0: none
	Visited   stateset.Kind        // zero: whole states
	Frontier  explore.FrontierKind // zero: breadth first
	Reducer   explore.Reducer      // nil: nothing is left out
	Reduce    Reduction            // "": ReduceNone
	Crashes   CrashModel           // "": CrashExplicit
	Symmetry  bool                 // states that differ by a permutation of nodes of one role are one, see [sim.System.Roles]
	// Hurry returns a context that is done when ReduceAuto gives ReduceFull up; nil: never.
	Hurry func(context.Context) (context.Context, context.CancelFunc)
	// Log keeps what is found, and what is in it is not explored again, but checked. Nil: nothing is kept.
	Log explore.Log
	// Spill is where states are held that do not fit into memory, see [explore.Options.Spill]. Nil: all are in memory.
	Spill *stateset.Spill
	// Go starts f in a goroutine of its own; nil: there is one worker. A second worker looks states up and reads edges. What is found,
	// and where an exploration stops for any reason but memory or an interruption, does not depend on it, unless handlers are no functions of their states: whether that shows may.
	Go func(f func())
	// Calls lets another process know what this one was doing when checked code ended it. Nil: no other one wants to know.
	Calls *Calls
	// Weightless are the kinds of ordinary events that random walks never take: like answers of weight 0 they are
	// no way to a live state.
	Weightless []sim.EventKind
	// Known are Always properties whose violations are no findings: what lies behind a state that violates one is not
	// visited, and it counts as one from which a live state can be reached.
	Known map[string]bool
	// Progress is told now and then, from the goroutine that called [table.Explore], how many states were found and
	// steps executed, the depth, and how many states wait for their steps. Nil: nobody wants to know.
	Progress func(states, transitions, depth, waiting int)

	// For tests.
	Rules       *Rules                        // that are reduced by, whatever Reduce is but ReduceNone; nil: those of Reduce
	Wrap        func(graph.Graph) graph.Graph // what is explored instead of a graph; nil: that
	LabelSample int                           // one of so many states has the labels of its edges compared; 0: compared

	SkipRehearsal bool      // nothing is rehearsed
	Together      [][]int32 // what was learned from that before
	GaveUp        bool      // more was to be reduced, but took too long

	Asymmetry string // what shows that there is no symmetry; "": nothing so far

	CrashSensitive []CrashSensitive // nodes that are to crash, with CrashAuto
}

func (o *Options) Loop(g graph.Graph, judge explore.Analysis) (*explore.Loop, error) {
	return explore.New(g, explore.Options{
		Visited: o.Visited, Frontier: o.Frontier, Reducer: o.Reducer, Analysis: judge, Log: o.Log, Spill: o.Spill,
		MaxDepth: o.MaxDepth, MaxStates: o.MaxStates, MaxBytes: o.MaxBytes, Go: o.Go, Progress: o.Progress,
	})
}

// WithoutSymmetry is the options for another exploration, without symmetry, and why.
func (o *Options) WithoutSymmetry(why string) Options {
	other := *o
	other.Asymmetry, other.SkipRehearsal = why, true
	return other
}

// Reduction names what of the states of a system need not be visited for the same verdicts.
type Reduction string

// The reductions, each but the last of which includes those before it.
const (
	ReduceNone Reduction = "none" // all states are visited
	ReduceDrop Reduction = "drop" // datagrams that change nothing any more are taken out of states
	ReduceFull Reduction = "full" // an event that commutes with all that may happen without it is followed alone
	// ReduceAuto is ReduceFull. When this has not come to an end in time (see [Options].Hurry), within half of the limit of states, or of memory, it is
	// given up for ReduceDrop, which tells down to which depth all was visited.
	ReduceAuto Reduction = "auto"
)

// CrashModel says whether nodes crash and halt in an exploration. A crash may be left out where it is shown to be one of slow messages: whatever
// the node does after it, it could do without, see package crashes.
type CrashModel string

// The crash models.
const (
	CrashExplicit CrashModel = "explicit" // nodes crash as the limits allow
	// CrashImplicit: no node crashes. The exploration is complete only if that is shown to keep the verdicts of all nodes.
	CrashImplicit CrashModel = "implicit"
	CrashAuto     CrashModel = "auto" // the nodes crash of which that is not shown
)

// CrashSensitive is a node that may do something after a crash that it could not do without.
type CrashSensitive struct {
	Node sim.NodeID `json:"node"`
	Why  string     `json:"why"`
}

// Rules are the parts of a reduction, and what tests leave out of it.
type Rules struct {
	DeadMessages, SingletonAmple, Chains bool
	Mutation                             Mutation
}

// Mutation is a condition that a test leaves out, to see that it is noticed.
type Mutation string

// Unsupported is the error about systems and states that the table engine cannot treat, though the
// replay engine can.
type Unsupported struct{ Why string }

func (u *Unsupported) Error() string {
	return "the table engine cannot check this: " + u.Why + "; use the replay engine"
}
