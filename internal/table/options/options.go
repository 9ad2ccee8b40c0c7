package options

import (
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Options bounds an exploration. The zero value has no bounds.
type Options struct {
	World     kernel.Options
	MaxDepth  int                  // in steps; 0 means no limit
	MaxStates int                  // 0 means no limit
	MaxBytes  int                  // approximate memory of states and tables; 0 means no limit
	Visited   stateset.Kind        // default: exact states
	Frontier  explore.FrontierKind // default: breadth first
	Reducer   explore.Reducer      // nil means no reduction
	Reduce    Reduction            // "" means ReduceNone
	Crashes   CrashModel           // "" means CrashExplicit
	Symmetry  bool                 // merge states that differ by a permutation of nodes of one role, see [sim.System.Roles]
	// Trial returns a context that ends when ReduceAuto gives ReduceFull up. Nil means never.
	Trial func(context.Context) (context.Context, context.CancelFunc)
	// Log stores the exploration. Stored states are checked instead of explored. Nil disables it.
	Log explore.Log
	// Spill stores states that do not fit into memory, see [explore.Options.Spill]. Nil keeps all in memory.
	Spill *stateset.Spill
	// Go starts f in a goroutine for a second worker, which looks states up and reads edges. Nil means one worker.
	// Findings, and where an exploration stops for any reason but memory or an interruption, do not depend on it.
	// The exception are handlers that are not functions of their states: their detection may depend on it.
	Go func(f func())
	// Calls reports calls of checked code to another process. Nil disables the reports.
	Calls *Calls
	// Weightless are the kinds of ordinary events that random walks never take. Like answers of weight 0 they do
	// not count as a way to a live state.
	Weightless []eventkind.Kind
	// Known are Always properties with known violations. Successors of a violating state are not visited. The state
	// counts as one from which a live state can be reached.
	Known map[string]bool
	// Progress, if not nil, is called at intervals from the goroutine that called [table.Explore], with the numbers
	// of states found, steps executed, the depth, and the states that wait for expansion.
	Progress func(states, transitions, depth, waiting int)

	// For tests. Rules also has the condition that a test leaves out.
	Rules       *Rules                        // override the rules of Reduce unless it is ReduceNone; nil: do not
	Wrap        func(graph.Graph) graph.Graph // replaces the graph; nil: do not
	LabelSample int                           // one in so many states has the labels of its edges compared; 0 means the default

	SkipRehearsal bool      // do not call Rehearse
	Together      [][]int32 // its result from an earlier exploration
	TrialGaveUp   bool      // a stronger reduction took too long

	Asymmetry string // evidence against symmetry, or ""

	CrashSensitive []CrashSensitive // with CrashAuto, nodes that crash
}

func (o *Options) Loop(g graph.Graph, analysis explore.Analysis) (*explore.Loop, error) {
	return explore.New(g, explore.Options{
		Visited: o.Visited, Frontier: o.Frontier, Reducer: o.Reducer, Analysis: analysis, Log: o.Log, Spill: o.Spill,
		MaxDepth: o.MaxDepth, MaxStates: o.MaxStates, MaxBytes: o.MaxBytes, Go: o.Go, Progress: o.Progress,
	})
}

// WithoutSymmetry returns the options for another exploration without symmetry, with the reason.
func (o *Options) WithoutSymmetry(why string) Options {
	other := *o
	other.Asymmetry, other.SkipRehearsal = why, true
	return other
}

// Reduction names the states that an exploration may leave out without changing a verdict.
type Reduction string

// The reductions, as options name them. Each but the last includes those before it.
const (
	ReduceNone = "none" // all states are visited
	ReduceDrop = "drop" // messages that no future step can observe are removed from states
	ReduceFull = "full" // partial-order reduction: an event that commutes with all that may happen before it is explored alone
	// ReduceAuto starts with ReduceFull. If this does not end in time (see [Options].Trial), or within half of the
	// limit of states or memory, it falls back to ReduceDrop, which reports the depth to which all states were
	// visited.
	ReduceAuto = "auto"
)

// Reductions returns the names of all reductions. The last is the default of searches.
func Reductions() []string { return []string{ReduceNone, ReduceDrop, ReduceFull, ReduceAuto} }

// CrashModel selects the nodes that crash and halt in an exploration. A crash may be left out if slow messages explain
// it: whatever the node does after the crash, it could do without it. See package crashes.
type CrashModel string

// The crash models, as options name them.
const (
	CrashExplicit = "explicit" // nodes crash within the limits
	// CrashImplicit explores no crashes. The exploration is complete only if the verdicts are proven not to depend
	// on crashes.
	CrashImplicit = "implicit"
	CrashAuto     = "auto" // only nodes without that proof crash
)

// CrashModels returns the names of all crash models. The first is the default.
func CrashModels() []string { return []string{CrashExplicit, CrashImplicit, CrashAuto} }

// CrashSensitive is a node with a possible step after a crash that it could not take without the crash.
type CrashSensitive struct {
	Node sim.NodeID `json:"node"`
	Why  string     `json:"why"`
}

// Rules are the parts of a reduction, and the condition that a test leaves out.
type Rules struct {
	DeadMessages, SingletonAmple, Chains bool
	Mutation                             Mutation
}

// Mutation names a condition of the reduction that a test leaves out, to check that the defect is noticed.
type Mutation string

// Unsupported is the error for systems and states that only the replay engine supports.
type Unsupported struct {
	Why string
	Run bool // only the run in progress is not supported
}

// BoundedDelays is the error of a run with bounded delays.
func BoundedDelays(t sim.Timing) *Unsupported {
	return &Unsupported{
		Why: fmt.Sprintf("its timing %v, under which timers depend on the clocks of all nodes", t), Run: t.Sometimes(),
	}
}

func (u *Unsupported) Error() string {
	return "the table engine cannot check this: " + u.Why + "; use the replay engine"
}

// UnsupportedBy returns the reason of an [*Unsupported] error. It returns "" for other errors.
func UnsupportedBy(err error) string {
	if u, ok := errors.AsType[*Unsupported](err); ok {
		return u.Why
	}
	return ""
}
