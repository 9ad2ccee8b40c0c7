package table

import (
	"cmp"
	"context"

	"github.com/macemc/macemc/internal/explore"
)

// settle decides again, from all that is known, what was relied upon, until that makes no more known. It reports whether some of it
// fell.
func (r *reduction) settle() (fell bool) {
	if r.mutated(noSettling) {
		return false
	}
	for grown := -1; grown != r.known && (grown < 0 || !r.mutated(noFixpoint)); {
		grown = r.known
		clear(r.visibles)
		if r.rules.singletonAmple {
			r.widen()
		}
		fell = r.assumptions.check(r.singletonAmple) || fell
		fell = r.deadMessages.check(r.dead) || fell
		fell = r.readsMessages() || fell
	}
	return fell
}

// readsMessages reports whether a property was seen to read what is in flight: then nothing is dropped any more.
func (r *reduction) readsMessages() bool {
	if !r.w.properties.inFlight || !r.rules.deadMessages && !r.rules.singletonAmple {
		return false
	}
	r.nothing("a property reads the messages in flight")
	return true
}

// reductionAnalysis is the judge of a reduced graph, and asks the system's about it once all holds that was relied upon.
type reductionAnalysis struct {
	r     *reduction
	judge explore.Analysis // nil: there is none
}

// Visit implements [explore.Analyze].
func (j *reductionAnalysis) Visit(id uint32, live bool, note uint8) error {
	if j.judge == nil {
		return nil
	}
	return j.judge.Visit(id, live, note)
}

// NeedsEdges implements [explore.Analyze].
func (j *reductionAnalysis) NeedsEdges(id uint32) bool {
	return j.judge != nil && j.judge.NeedsEdges(id)
}

// Bytes implements [explore.Analyze].
func (j *reductionAnalysis) Bytes() int {
	n := len(j.r.full)
	if j.judge != nil {
		n += j.judge.Bytes()
	}
	return n
}

// Analyze implements [explore.Analyze].
func (j *reductionAnalysis) Analyze(ctx context.Context, s *explore.Space) error {
	r := j.r
	fell := r.settle()
	if r.sym != nil {
		r.sym.settles()
	}
	switch {
	case r.err != nil:
		return r.err
	case fell:
		return errAgain
	}
	if again, err := r.proviso(ctx, s); err != nil || again {
		if again {
			err = errAgain
		}
		return err
	}
	if r.breaksPromises() {
		return cmp.Or(r.err, errAgain)
	}
	r.settled = true
	if j.judge == nil {
		return nil
	}
	return j.judge.Analyze(ctx, s)
}

// mostForced is how many states are looked for at a time that are to be expanded in full.
const mostForced = 64

// mostSearched is how many states are gone through for the proviso, all told, until an exploration that is to hurry gives up: there are many
// parts that cannot be left, and each takes another search.
const mostSearched = 1 << 20

// proviso has a state be reached from each that was expanded in full (or without events, which is that, too): else what was left out may
// never happen. It reports whether there are such states.
func (r *reduction) proviso(ctx context.Context, s *explore.Space) (again bool, err error) {
	if !r.rules.singletonAmple || r.mutated(noProviso) {
		return false, nil
	}
	full := make([]bool, s.Len())
	copy(full, r.full)
	// The space is that of this exploration, in which they are not forced.
	var forced []string
	defer func() {
		for _, key := range forced {
			r.fullyExpanded[key] = true
		}
	}()
	for range mostForced {
		if r.searched += int(s.Len()); r.hurried && r.searched > mostSearched {
			r.err = errAgain
			return true, nil
		}
		var reach explore.DeadStates
		for id := range s.Len() {
			note := uint8(0) // of a root
			if s.Origin(id) > 0 {
				note = explore.Recovery
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
		forced = append(forced, keyOf(k.v))
		full[reach.Nearest] = true
		again = true
	}
	return again, nil
}
