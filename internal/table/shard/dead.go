package shard

import (
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
)

// NewDead prepares to find the states from which no live one can be reached, when shards that explored together have come to their end with
// parts of so many states; nil: the system has no Eventually property, so that no state is dead.
func (s *Shard) NewDead(visited stateset.Kind, lens []int) *explore.DeadParts {
	if len(s.g.World.Properties.Eventually) == 0 {
		return nil
	}
	set := visited.New(s.g)
	defer set.Close()
	return explore.NewDeadParts(s.g, set.Width(), lens)
}

// Dead tells in an exploration which states are dead: how many, and by which turns to the nearest one; false: there are no such turns.
func (s *Shard) Dead(out *table.Exploration, states int, turns []uint32) bool {
	if out.LivenessChecked, out.Dead = true, states; states == 0 {
		return true
	}
	if _, err := s.Roots(); err != nil {
		return false
	}
	path, _, ok := s.to(turns)
	if !ok {
		return false
	}
	w := s.g.World
	w.Refresh()
	out.DeadPath, out.DeadCritical = path, len(turns)-1
	out.DeadOutOfEvents = !slices.ContainsFunc(w.AllEvents(nil), w.IsRecovery)
	return true
}
