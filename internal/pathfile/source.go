package pathfile

import (
	"fmt"

	"github.com/macemc/macemc/choose"
)

// Source answers the points of one step (or of the first boots) from the picks of a path file. A point takes the
// first unused pick of its class; classes do not affect each other. A point of class [choose.Fault] takes a pick only if their
// kinds are equal or one of them is [choose.Fault] itself. Otherwise its answer is "no fault", because the current limits may
// allow faults that the file's run did not have. Renamed reports labels of other kinds that differ. The zero value has
// no picks.
type Source struct {
	picks []Pick
	taken []bool
	err   error
	other string // the first label that differs
}

// Reset makes s answer from picks, which it only reads.
func (s *Source) Reset(picks []Pick) {
	s.picks = picks
	s.taken = append(s.taken[:0], make([]bool, len(picks))...)
	s.err, s.other = nil, ""
}

// Choose answers p by the first unused pick of its class. Without one, a fault does not strike, and no new seed is drawn. Any other
// mismatch is recorded, see Done, and answered like [choose.First] answers it.
func (s *Source) Choose(p choose.Point) int {
	if p.Arity <= 1 {
		return 0
	}
	class := p.Kind.Class()
	for i, pick := range s.picks {
		if s.taken[i] || pick.Kind.Class() != class {
			continue
		}
		if class == choose.Fault && pick.Kind != p.Kind && pick.Kind != choose.Fault && p.Kind != choose.Fault {
			return 0
		}
		s.taken[i] = true
		if s.other == "" && pick.Label != p.Label && pick.Label != "" && p.Label != "" {
			s.other = fmt.Sprintf("asks for %s, the file answers %q", p.Describe(), pick.Label)
		}
		if uint(pick.Pick) >= uint(p.Arity) {
			s.fail("%s has %d alternatives, but the file picks %d (counted from 0)", p.Describe(), p.Arity, pick.Pick)
			return choose.First.Choose(p)
		}
		return pick.Pick
	}
	if p.Kind.Implied(0) {
		return 0
	}
	s.fail("%s has no pick in the file", p.Describe())
	return choose.First.Choose(p)
}

func (s *Source) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Renamed describes the first pick with a label other than that of its point. An empty string means that all labels
// agree.
func (s *Source) Renamed() string { return s.other }

// Done must be called after the step. It returns an error for the first point without a matching pick, or else for the
// first unused pick. Nil means that points and picks matched.
func (s *Source) Done() error {
	if s.err != nil {
		return s.err
	}
	for i, pick := range s.picks {
		if !s.taken[i] {
			p := choose.Point{Kind: pick.Kind, Label: pick.Label}
			return fmt.Errorf("the file picks alternative %d of %s, but there was no such point", pick.Pick, p.Describe())
		}
	}
	return nil
}
