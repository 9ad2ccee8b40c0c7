package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
)

// DiffersError reports a worker that computes other results than this process, which invalidates the search.
type DiffersError struct {
	Who  string
	Keys []string // of the steps to the state with other successors
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("%s computes other results than other workers: its machine is broken, or the checked code is nondeterministic. The results are invalid. %s",
		e.Who, stepsTo("From one state its steps lead elsewhere", e.Keys))
}

// differs returns the error of a search in which two workers disagree on a state. This process decides which one is
// wrong.
func (r *run) differs(shard *shard.Shard, sys *sim.System, why *Why) error {
	trail, err := r.trail(shard, why)
	if err != nil {
		return err
	}
	path, own, ok := shard.WitnessAt(trail)
	if !ok {
		return fmt.Errorf("%s and %s disagree about a state that this process cannot reach: one of them is broken, or the checked code is nondeterministic",
			r.describeWorker(why.Worker), r.describeWorker(why.Other))
	}
	e := &DiffersError{}
	switch {
	case own == why.Witness && why.Other == 0:
		return fmt.Errorf("%s finds an unreachable state in a log: another worker computes other results", r.describeWorker(why.Worker))
	case own == why.Witness:
		e.Who = r.describeWorker(why.Other)
	case own == why.Theirs || why.Theirs == 0:
		e.Who = r.describeWorker(why.Worker)
	default:
		e.Who = r.describeWorker(why.Worker) + ", as does " + r.describeWorker(why.Other) + ","
	}
	if e.Keys, err = keysOf(sys, path); err != nil {
		return errors.Join(e, err)
	}
	return e
}

// describeWorker describes a worker.
func (r *run) describeWorker(worker sim.NodeID) string {
	name := "another worker"
	if worker > 0 {
		name = fmt.Sprintf("worker %d", worker)
		_ = eventually(context.Background(), func(ctx context.Context) error {
			e, err := r.keys.Get(ctx, memberKey(int(worker)))
			if err == nil {
				name += fmt.Sprintf(" (%s)", e.Value())
			}
			return err
		})
	}
	return name
}
