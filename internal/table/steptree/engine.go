package steptree

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Engine holds the component tables and decision trees of one system. It must not be used concurrently.
type Engine struct {
	store.Tables
	Trees    steps     // outcomes of handlers
	Quorums  quorums   // sets of messages that quorums take
	Together [][]int32 // words of packed vectors that rehearsed steps changed together
	// Weightless is the set of kinds of events that random walks never take.
	Weightless   uint64
	Disturbing   *declared.Disturbing // nil if no event disturbs
	StepRecorder stepRecorder         // nil without recording
	picks        []int32              // scratch: the answers of the current step
	Counters     Stats
}

// stepRecorder is notified of each new step of a handler.
type stepRecorder interface {
	Step(s *store.Situation, out *bench.Outcome, made *Leaf)
}

func NewEngine(sys *sim.System, opts kernel.Options, calls *options.Calls) (*Engine, error) {
	e := &Engine{Disturbing: declared.DisturbingOf(sys)}
	if err := e.Tables.Init(sys, opts, calls); err != nil {
		return nil, err
	}
	e.Quorums = quorums{Any: e.Bench.Quorums(), by: map[string]uint32{}}
	return e, nil
}

// Stats counts the work of an engine.
type Stats struct {
	Steps    int // handler steps taken
	Handlers int // handler executions, including verification
	Misses   int // steps that were not in the tables
	Tried    int // sets tried for quorums without a Need
	Verified int // steps executed again and compared
	Locals   int // distinct local states of all nodes
	Messages int // distinct messages
	Leaves   int // distinct steps
	Dropped  int // how often the tables were dropped because of their size
}

// HitRate returns the fraction of steps that were looked up, or 1 if there were none.
func (s Stats) HitRate() float64 {
	if s.Steps == 0 {
		return 1
	}
	return 1 - float64(s.Misses)/float64(s.Steps)
}

// Entries returns the number of entries of the tables, see [store.DefaultLimit].
func (e *Engine) Entries() int { return e.Tables.Entries() + e.Trees.Leaves.Len() }

// Bytes returns the approximate memory of the tables.
func (e *Engine) Bytes() int { return e.Tables.Bytes() + store.EntrySize*e.Trees.Leaves.Len() }
