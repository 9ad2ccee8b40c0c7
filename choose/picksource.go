package choose

import "fmt"

// PickSource answers the points of one step (or of the first boots) from the picks of a path file. A point takes the
// first unused pick of its class; classes do not affect each other. A point of class [Fault] takes a pick only if their
// kinds are equal or one of them is [Fault] itself. Otherwise its answer is "no fault", because the current limits may
// allow faults that the file's run did not have. Renamed reports labels of other kinds that differ. The zero value has
// no picks.
type PickSource struct {
	picks []FilePick
	taken []bool
	err   error
	other string // the first label that differs
}

// Reset makes s answer from picks, which it only reads.
func (s *PickSource) Reset(picks []FilePick) {
	s.picks = picks
	s.taken = append(s.taken[:0], make([]bool, len(picks))...)
	s.err, s.other = nil, ""
}

// Choose answers p. A mismatch is recorded, see Done, and answered like [First] answers it.
func (s *PickSource) Choose(p Point) int {
	if p.Arity <= 1 {
		return 0
	}
	class := p.Kind.Class()
	for i, pick := range s.picks {
		if s.taken[i] || pick.Kind.Class() != class {
			continue
		}
		if class == Fault && pick.Kind != p.Kind && pick.Kind != Fault && p.Kind != Fault {
			return 0
		}
		s.taken[i] = true
		if s.other == "" && pick.Label != p.Label && pick.Label != "" && p.Label != "" {
			s.other = fmt.Sprintf("asks for %s, the file answers %q", p.describe(), pick.Label)
		}
		if uint(pick.Pick) >= uint(p.Arity) {
			s.fail("%s has %d alternatives, but the file picks %d (counted from 0)", p.describe(), p.Arity, pick.Pick)
			return First.Choose(p)
		}
		return pick.Pick
	}
	if class == Fault {
		return 0
	}
	s.fail("%s has no pick in the file", p.describe())
	return First.Choose(p)
}

func (s *PickSource) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Renamed describes the first pick with a label other than that of its point. An empty string means that all labels
// agree.
func (s *PickSource) Renamed() string { return s.other }

// Done must be called after the step. It returns an error for the first point without a matching pick, or else for the
// first unused pick. Nil means that points and picks matched.
func (s *PickSource) Done() error {
	if s.err != nil {
		return s.err
	}
	for i, pick := range s.picks {
		if !s.taken[i] {
			p := Point{Kind: pick.Kind, Label: pick.Label}
			return fmt.Errorf("the file picks alternative %d of %s, but there was no such point", pick.Pick, p.describe())
		}
	}
	return nil
}
