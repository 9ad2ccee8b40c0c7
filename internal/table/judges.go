package table

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore"
)

// judges judge one after the other.
type judges []explore.Judge

// judgesOf are those that there are; nil: nobody judges.
func judgesOf(dead explore.Judge, starving *fairCycles) explore.Judge {
	switch {
	case starving == nil:
		return dead
	case dead == nil:
		return starving
	}
	return judges{dead, starving}
}

// Met implements [explore.Judge].
func (j judges) Met(id uint32, live bool, note uint8) error {
	for _, judge := range j {
		if err := judge.Met(id, live, note); err != nil {
			return err
		}
	}
	return nil
}

// Judge implements [explore.Judge].
func (j judges) Judge(ctx context.Context, s *explore.Space) error {
	limited := error(nil)
	for _, judge := range j {
		switch err := judge.Judge(ctx, s); err {
		case nil:
		case explore.ErrLimit: // the next one says so for itself
			limited = err
		default:
			return err
		}
	}
	return limited
}

// Wants implements [explore.Judge].
func (j judges) Wants(id uint32) bool {
	return slices.ContainsFunc(j, func(judge explore.Judge) bool { return judge.Wants(id) })
}

// Names implements [explore.Namer].
func (j judges) Names() bool {
	return slices.ContainsFunc(j, func(judge explore.Judge) bool {
		n, ok := judge.(explore.Namer)
		return ok && n.Names()
	})
}

// Bytes implements [explore.Judge].
func (j judges) Bytes() (n int) {
	for _, judge := range j {
		n += judge.Bytes()
	}
	return n
}
