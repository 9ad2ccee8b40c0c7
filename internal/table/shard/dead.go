package shard

import (
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
)

// NewDead prepares the search for dead states, after shards have explored parts with so many states together. It
// returns nil if the system has no Eventually property, and thus no dead states.
func (s *Shard) NewDead(visited stateset.Kind, lens []int) *explore.DeadParts {
	if len(s.g.World.Properties.Eventually) == 0 {
		return nil
	}
	set := visited.New(s.g)
	defer set.Close()
	return explore.NewDeadParts(s.g, set.Width(), lens)
}

// Dead adds to out the number of dead states, and the path to the nearest one, the end of trail. It returns false if
// trail cannot be followed.
func (s *Shard) Dead(out *table.Exploration, states int, trail []uint32) bool {
	if out.LivenessChecked, out.Dead = true, states; states == 0 {
		return true
	}
	if _, err := s.Roots(); err != nil {
		return false
	}
	path, _, ok := s.to(trail)
	if !ok {
		return false
	}
	w := s.g.World
	w.Refresh()
	out.DeadPath, out.DeadCritical = path, len(trail)-1
	out.DeadOutOfEvents = !slices.ContainsFunc(w.AllEvents(nil), w.IsRecovery)
	return true
}
