package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
)

// DiffersError says that a worker does not compute what this process does, so that nothing that was found is to be believed.
type DiffersError struct {
	Who  string
	Keys []string // of the steps that lead to the state from which it comes to something else
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("%s computes something else than others: its machine is broken, or the checked code does not always do the same. What was found is not to be believed. %s",
		e.Who, stepsTo("From one state its steps lead elsewhere", e.Keys))
}

// differs is the error of a search of which two workers came to something else from a state: this process says who is wrong.
func (r *run) differs(shard *shard.Shard, sys *sim.System, why *Why) error {
	turns, err := r.turns(shard, why)
	if err != nil {
		return err
	}
	path, own, ok := shard.WitnessAt(turns)
	if !ok {
		return fmt.Errorf("%s and %s do not compute the same, nor the same as this process, in which no steps lead to where they differ: one of them is broken, or the checked code does not always do the same",
			r.who(why.Worker), r.who(why.Other))
	}
	e := &DiffersError{}
	switch {
	case own == why.Witness && why.Other == 0:
		return fmt.Errorf("%s finds a state in a log to which no step leads: another worker has computed something else", r.who(why.Worker))
	case own == why.Witness:
		e.Who = r.who(why.Other)
	case own == why.Theirs || why.Theirs == 0:
		e.Who = r.who(why.Worker)
	default:
		e.Who = r.who(why.Worker) + ", as does " + r.who(why.Other) + ","
	}
	if e.Keys, err = keysOf(sys, path); err != nil {
		return errors.Join(e, err)
	}
	return e
}

// who says for people who a worker is.
func (r *run) who(worker sim.NodeID) string {
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
