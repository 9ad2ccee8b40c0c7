package por

import (
	"cmp"
	"context"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/store"
)

// recheckAssumptions decides all assumptions again from all known steps, until no more steps become known. It reports whether
// an assumption was refuted.
func (r *ReducedGraph) recheckAssumptions() (refuted bool) {
	if r.Mutated(NoRecheck) {
		return false
	}
	for grown := -1; grown != r.known && (grown < 0 || !r.Mutated(NoFixpoint)); {
		grown = r.known
		clear(r.Visibles)
		if r.rules.SingletonAmple {
			r.Widen()
		}
		refuted = r.assumptions.check(r.singletonAmple) || refuted
		refuted = r.deadMessages.check(r.dead) || refuted
		refuted = r.readsMessages() || refuted
	}
	return refuted
}

// readsMessages reports whether a property has read the messages in flight. Nothing is reduced from then on.
func (r *ReducedGraph) readsMessages() bool {
	if !r.World.Properties.InFlight || !r.rules.DeadMessages && !r.rules.SingletonAmple {
		return false
	}
	r.disable("a property reads the messages in flight")
	return true
}

// Analysis is the analysis of a reduced graph. It runs Inner once all assumptions hold.
type Analysis struct {
	Reduced *ReducedGraph
	Inner   explore.Analysis // may be nil
}

// Visit implements [explore.Analysis].
func (j *Analysis) Visit(id uint32, live bool, note uint8) error {
	if j.Inner == nil {
		return nil
	}
	return j.Inner.Visit(id, live, note)
}

// NeedsEdges implements [explore.Analysis].
func (j *Analysis) NeedsEdges(id uint32) bool {
	return j.Inner != nil && j.Inner.NeedsEdges(id)
}

// Bytes implements [explore.Analysis].
func (j *Analysis) Bytes() int {
	n := len(j.Reduced.full)
	if j.Inner != nil {
		n += j.Inner.Bytes()
	}
	return n
}

// Analyze implements [explore.Analysis].
func (j *Analysis) Analyze(ctx context.Context, s *explore.Space) error {
	r := j.Reduced
	refuted := r.recheckAssumptions()
	if r.Permuter != nil {
		r.Permuter.CompareAll()
	}
	switch {
	case r.Err != nil:
		return r.Err
	case refuted:
		return ErrAgain
	}
	if again, err := r.cycleProviso(ctx, s); err != nil || again {
		if again {
			err = ErrAgain
		}
		return err
	}
	if r.breaksQuorumContract() {
		return cmp.Or(r.Err, ErrAgain)
	}
	r.final = true
	if j.Inner == nil {
		return nil
	}
	return j.Inner.Analyze(ctx, s)
}

// mostForced is the maximum number of states to expand fully that one pass looks for.
const mostForced = 64

// mostSearched is the total number of states that a trial exploration searches for the cycle proviso before it gives
// up. Each component without an exit takes another search.
const mostSearched = 1 << 20

// cycleProviso checks that each state can reach a fully expanded one (or one without events). Otherwise omitted events
// may be postponed forever. It reports whether states were added to fullyExpanded for the next round.
func (r *ReducedGraph) cycleProviso(ctx context.Context, s *explore.Space) (again bool, err error) {
	if !r.rules.SingletonAmple || r.Mutated(NoProviso) {
		return false, nil
	}
	full := make([]bool, s.Len())
	copy(full, r.full)
	// The space belongs to this exploration, in which these states were not expanded fully.
	var forced []string
	defer func() {
		for _, key := range forced {
			r.fullyExpanded[key] = true
		}
	}()
	for range mostForced {
		if r.searched += int(s.Len()); r.trial && r.searched > mostSearched {
			r.Err = ErrAgain
			return true, nil
		}
		// The states that cannot reach a fully expanded one are the dead states if those are taken for live.
		var reach explore.DeadStates
		for id := range s.Len() {
			note := uint8(0) // of a root
			if s.Origin(id) > 0 {
				note = graph.Recovery
			}
			if err := reach.Visit(id, full[id], note); err != nil {
				return false, err
			}
		}
		if err := reach.Analyze(ctx, s); err != nil {
			return again, err
		}
		if reach.Dead == 0 {
			break
		}
		k := r.walk(reach.Path)
		forced = append(forced, store.VectorKey(k.v))
		full[reach.Nearest] = true
		again = true
	}
	return again, nil
}
