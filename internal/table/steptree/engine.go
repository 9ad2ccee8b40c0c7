package steptree

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Engine holds the tables of one system, and what handlers did. It is for one goroutine.
type Engine struct {
	store.Tables
	Trees    steps
	Quorums  quorums
	Together [][]int32 // words of packed vectors that steps changed which were rehearsed
	// weightless is the set of kinds of events that random walks never take.
	Weightless   uint64
	Disturbing   *declared.Disturbing // nil: nothing does
	StepRecorder stepRecorder         // nil: nothing is recorded
	picks        []int32              // scratch: the answers of the step that is looked up
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

// Stats counts what an engine has done.
type Stats struct {
	Steps    int // handler steps taken
	Handlers int // handler executions, for verification included
	Misses   int // steps that were not in the tables
	Tried    int // sets that quorums without a Need were asked about
	Verified int // steps executed again and compared
	Locals   int // distinct local states of all nodes
	Messages int // distinct messages
	Leaves   int // distinct steps
	Dropped  int // how often the tables had grown too large and were dropped
}

// HitRate is the share of steps that were looked up; 1 when there were none.
func (s Stats) HitRate() float64 {
	if s.Steps == 0 {
		return 1
	}
	return 1 - float64(s.Misses)/float64(s.Steps)
}

// Entries is how many entries the tables hold, see [store.DefaultLimit].
func (e *Engine) Entries() int { return e.Tables.Entries() + e.Trees.Leaves.Len() }

// Bytes is about the memory that the tables take.
func (e *Engine) Bytes() int { return e.Tables.Bytes() + store.EntrySize*e.Trees.Leaves.Len() }
