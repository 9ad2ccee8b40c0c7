package reductions

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// MostStates is the maximum number of states of a system with compared reductions.
const MostStates = 500

// Rules are the ways to reduce that are compared.
var Rules = []options.Rules{
	{DeadMessages: true}, {SingletonAmple: true}, {SingletonAmple: true, Chains: true}, {DeadMessages: true, SingletonAmple: true},
	{DeadMessages: true, SingletonAmple: true, Chains: true},
}

// Tally counts the comparisons.
type Tally struct {
	Systems, Large, Violated, Dead, Endless, Faulty atomic.Int64
	States, Kept, Votes                             atomic.Int64
	Stop                                            atomic.Bool // no further system is compared
}

// StopAtInterrupt sets t.Stop if the user interrupts a comparison that may take hours.
func (t *Tally) StopAtInterrupt(test *testing.T) {
	if testing.Short() {
		return
	}
	ctx, cancel := signal.NotifyContext(test.Context(), os.Interrupt)
	test.Cleanup(cancel)
	context.AfterFunc(ctx, func() { t.Stop.Store(true) })
}

// Explore visits all states of a system with some properties, and counts them in t. The result is nil if there are too
// many states, or with an error. first means that the system is not yet counted.
func (t *Tally) Explore(sys *sim.System, names []string, first bool) (some sim.System, full *States, err error) {
	if some, err = sys.Only(names...); err != nil {
		return some, nil, err
	}
	if full, err = Explore(&some, options.Options{MaxStates: MostStates}); err != nil {
		return some, nil, err
	}
	if full.Stopped != "" && full.Stopped != "finding" {
		t.Large.Add(1)
		return some, nil, nil
	}
	if first {
		t.count(&some, full)
	}
	if full.Finding != nil {
		t.Violated.Add(1)
	}
	return some, full, nil
}

func (t *Tally) count(sys *sim.System, full *States) {
	t.Systems.Add(1)
	t.States.Add(int64(full.States))
	if full.Dead > 0 {
		t.Dead.Add(1)
	}
	if len(sys.Quorums) > 0 {
		t.Votes.Add(1)
	}
	if len(full.Terminal) == 0 {
		t.Endless.Add(1)
	}
	if sys.Limits() != (sim.Limits{}) {
		t.Faulty.Add(1)
	}
}

// Same compares a reduced graph with the whole one.
func Same(sys *sim.System, full, less *States) error {
	if !less.Complete && less.Finding == nil && full.Finding != nil {
		return nil // the states are infinite, and nothing is known about the others: see TestPromises_EndlessSystem
	}
	if (full.Finding == nil) != (less.Finding == nil) {
		return fmt.Errorf("found %v, of all states %v", less.Finding, full.Finding)
	}
	if less.Finding != nil {
		return Execute(sys, less.Path, func(w kernel.World, err error) error {
			if err == nil {
				err = w.Check()
			}
			if err == nil {
				return fmt.Errorf("found %v; nothing is wrong at the end of its path", less.Finding)
			}
			return nil
		})
	}
	switch {
	case !less.Complete || less.LivenessChecked != full.LivenessChecked:
		return fmt.Errorf("complete %v (%s), liveness checked %v, of all states %v",
			less.Complete, less.Stopped, less.LivenessChecked, full.LivenessChecked)
	case less.States > full.States:
		return fmt.Errorf("%d states, which are more than %d", less.States, full.States)
	case (full.Dead > 0) != (less.Dead > 0):
		return fmt.Errorf("%d dead states, of all states %d", less.Dead, full.Dead)
	case !slices.Equal(less.Coverage.Sometimes, full.Coverage.Sometimes):
		return fmt.Errorf("sometimes %v, of all states %v", less.Coverage.Sometimes, full.Coverage.Sometimes)
	case len(less.Terminal) != len(full.Terminal):
		return fmt.Errorf("%d terminal states, of all states %d", len(less.Terminal), len(full.Terminal))
	case less.Coverage.Used != full.Coverage.Used || !slices.Equal(less.Coverage.Actions, full.Coverage.Actions) ||
		len(less.Coverage.Delivered) != len(full.Coverage.Delivered) || len(less.Coverage.Fired) != len(full.Coverage.Fired):
		return fmt.Errorf("covered %+v, of all states %+v", less.Coverage, full.Coverage)
	}
	for f := range full.Terminal {
		if !less.Terminal[f] {
			return fmt.Errorf("a terminal state is missing")
		}
	}
	if less.Dead == 0 {
		return nil
	}
	return Execute(sys, less.DeadPath, func(kernel.World, error) error {
		r, err := table.Recover(context.Background(), sys, less.DeadPath, options.Options{})
		if err == nil && !r.Dead() {
			err = fmt.Errorf("a state reported as dead recovers")
		}
		return err
	})
}

// Execute executes a path without tables, and calls f at its end.
func Execute(sys *sim.System, path choose.Path, f func(w kernel.World, err error) error) error {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return err
	}
	pos := 0
	src := choose.SourceFunc(func(p choose.Point) int {
		if pos++; pos > len(path) || int(path[pos-1]) >= p.Arity {
			return 0
		}
		return int(path[pos-1])
	})
	run := replay.NewRun(w)
	for err = run.Start(src); err == nil && pos < len(path); {
		index := int(path[pos])
		if _, ok := run.Event(index); !ok {
			return fmt.Errorf("the path does not fit, from choice %d of %d on", pos, len(path))
		}
		pos++
		err = run.Step(index, src)
	}
	if pos != len(path) {
		return fmt.Errorf("the path ends at choice %d of %d: %w", pos, len(path), err)
	}
	return f(w, err)
}

// CompareEach calls compare with numbers of systems, from one on, until a system differs or n were counted.
func (t *Tally) CompareEach(from uint64, n int, compare func(number uint64) error) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // the data of one system is garbage with the next
	next, found := atomic.Uint64{}, make(chan error, 2)
	next.Store(from)
	var wait sync.WaitGroup
	for range cap(found) {
		wait.Go(func() {
			for t.Systems.Load() < int64(n) && !t.Stop.Load() {
				if err := compare(next.Add(1) - 1); err != nil {
					t.Stop.Store(true)
					found <- err
				}
			}
		})
	}
	wait.Wait()
	close(found)
	return <-found
}
