package critical

import "github.com/macemc/macemc/internal/table"

// searches holds the results of exhaustive searches.
type searches struct {
	byStep        map[int]*table.Recovery
	unproven      string // why the run is not proven dead
	tooManyStates bool   // too many successors to search
	visited       int    // number of states in all searches
}

// searched reports whether the successors of a step were searched, and none of them is live.
func (s *searches) searched(step int) bool {
	r := s.byStep[step]
	return r != nil && r.Live == nil && exhausted(r)
}

// proven reports whether it is certain that the run is dead after a step.
func (s *searches) proven(step int) bool {
	r := s.byStep[step]
	return r != nil && r.Dead()
}
