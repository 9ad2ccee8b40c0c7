package runs

import (
	"runtime"

	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/sim"
)

// Strategy makes the runs of a job.
type Strategy interface {
	runloop.Strategy
	// Begin begins a job. Strategies that recognize states add those of the job to a set.
	Begin(j *Job, states *fpset.Set)
	// Rest returns the rest of the job that has begun, or nil if there is none. The last run must have reached its end.
	Rest(j *Job) *Job
	// Suspects reports whether the run that has just ended is suspected never to become live, and the step from which
	// it continued without faults.
	Suspects(o *runloop.Outcome) (origin int, yes bool)
}

// Settings is the part of a search's configuration that random walks depend on.
type Settings struct {
	Scale     schedules.Scale
	Given     bool     // the weights are not the defaults
	Schedules []string // names, which the Mix of a job refers to
	Seed      uint64
	Steps     int        // length of a walk
	Limits    sim.Limits // of faults
}

// MaxWorkers is the maximum number of workers of a search. Each takes memory of its own, and more workers than cores
// are not faster.
const MaxWorkers = 256

// DefaultSteps is the default length of a walk.
const DefaultSteps = 2000

// DefaultWorkers returns the default number of workers: the number of cores, up to MaxWorkers.
func DefaultWorkers() int { return min(runtime.GOMAXPROCS(0), MaxWorkers) }

// Tags of random streams, so that runs of the same number differ between the kinds of walks that a search alternates
// between. Other kinds share a tag with one of them.
const (
	WalkTag int32 = iota + 1
	faultyTag
	PrefixTag // walks to live states, without a scheduled part
)

// Job is a set of runs to make. Package search adds limits and results to it, as a unit.
type Job struct {
	Bound int    `json:"-"` // of [Deepening], in choices
	Items []Item `json:"items"`

	First, Count int     `json:"-"` // of numbered runs: their numbers
	Mix          []uint8 `json:"-"` // schedules by number of the run modulo its length; may be nil
}

// Split divides the items into at most n jobs, in order and with about as many alternatives each.
func (j *Job) Split(n int) []Job {
	all := 0
	for i := range j.Items {
		all += j.Items[i].size()
	}
	var out []Job
	share := (all + n - 1) / n
	room := 0
	for _, it := range j.Items {
		for it.size() > 0 {
			if room == 0 {
				out = append(out, Job{Bound: j.Bound})
				room = share
			}
			last := &out[len(out)-1]
			if it.size() <= room {
				last.Items = append(last.Items, it)
				room -= it.size()
				break
			}
			part := it
			part.Arity = it.Next + int32(room)
			it.Next += int32(room)
			last.Items = append(last.Items, part)
			room = 0
		}
	}
	return out
}

// size returns the number of alternatives of an item.
func (it *Item) size() int {
	if it.Arity == 0 {
		return 1
	}
	return int(it.Arity - it.Next)
}
