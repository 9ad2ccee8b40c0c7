package table

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table/fairness"
)

// analyses runs several analyses one after the other.
type analyses []explore.Analysis

// judgesOf combines the analyses that are not nil. It returns nil if there are none.
func judgesOf(dead explore.Analysis, starving *fairness.FairCycles) explore.Analysis {
	switch {
	case starving == nil:
		return dead
	case dead == nil:
		return starving
	}
	return analyses{dead, starving}
}

// Visit implements [explore.Analysis].
func (j analyses) Visit(id uint32, live bool, note uint8) error {
	for _, judge := range j {
		if err := judge.Visit(id, live, note); err != nil {
			return err
		}
	}
	return nil
}

// Analyze implements [explore.Analysis].
func (j analyses) Analyze(ctx context.Context, s *explore.Space) error {
	limited := error(nil)
	for _, judge := range j {
		switch err := judge.Analyze(ctx, s); err {
		case nil:
		case explore.ErrLimit: // the next analysis reports it for itself
			limited = err
		default:
			return err
		}
	}
	return limited
}

// NeedsEdges implements [explore.Analysis].
func (j analyses) NeedsEdges(id uint32) bool {
	return slices.ContainsFunc(j, func(judge explore.Analysis) bool { return judge.NeedsEdges(id) })
}

// Names implements [explore.Namer].
func (j analyses) Names() bool {
	return slices.ContainsFunc(j, func(judge explore.Analysis) bool {
		n, ok := judge.(explore.Namer)
		return ok && n.Names()
	})
}

// Bytes implements [explore.Analysis].
func (j analyses) Bytes() (n int) {
	for _, judge := range j {
		n += judge.Bytes()
	}
	return n
}
