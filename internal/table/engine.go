package table

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// engine holds the tables of one system, and what handlers did. It is for one goroutine.
type engine struct {
	tables
	steps    steps
	quorums  quorums
	together [][]int32 // words of packed vectors that steps changed which were rehearsed
	// weightless is the set of kinds of events that random walks never take.
	weightless   uint64
	disturbing   *kernel.Disturbing // nil: nothing does
	stepRecorder stepRecorder       // nil: nothing is recorded
	picks        []int32            // scratch: the answers of the step that is looked up
	stats        Stats
}

// stepRecorder is notified of each new step of a handler.
type stepRecorder interface {
	step(s *stepOf, out *kernel.Outcome, made *leaf)
}

func newEngine(sys *sim.System, opts kernel.Options, calls *Calls) (*engine, error) {
	e := &engine{disturbing: kernel.DisturbingOf(sys)}
	if err := e.tables.init(sys, opts, calls); err != nil {
		return nil, err
	}
	e.quorums = quorums{any: e.bench.Quorums(), by: map[string]uint32{}}
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

// entries is how many entries the tables hold, see [DefaultLimit].
func (e *engine) entries() int { return e.tables.entries() + e.steps.leaves.len() }

// bytes is about the memory that the tables take.
func (e *engine) bytes() int { return e.tables.bytes() + entrySize*e.steps.leaves.len() }
