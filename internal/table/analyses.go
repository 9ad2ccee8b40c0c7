package table

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table/fairness"
)

// analyses runs several analyses one after the other.
type analyses []explore.Analysis

// analysesOf combines the analyses that are not nil. It returns nil if there are none.
func analysesOf(dead explore.Analysis, starving *fairness.FairCycles) explore.Analysis {
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
	for _, analysis := range j {
		if err := analysis.Visit(id, live, note); err != nil {
			return err
		}
	}
	return nil
}

// Analyze implements [explore.Analysis].
func (j analyses) Analyze(ctx context.Context, s *explore.Space) error {
	limited := error(nil)
	for _, analysis := range j {
		switch err := analysis.Analyze(ctx, s); err {
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
	return slices.ContainsFunc(j, func(analysis explore.Analysis) bool { return analysis.NeedsEdges(id) })
}

// Names implements [explore.Namer].
func (j analyses) Names() bool {
	return slices.ContainsFunc(j, func(analysis explore.Analysis) bool {
		n, ok := analysis.(explore.Namer)
		return ok && n.Names()
	})
}

// Bytes implements [explore.Analysis].
func (j analyses) Bytes() (n int) {
	for _, analysis := range j {
		n += analysis.Bytes()
	}
	return n
}
