package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

const (
	// faultyRounds is how many faulty parts a run has at most.
	faultyRounds = 6
	// faultySteps bounds the length of a faulty part.
	faultySteps = 60
	// faultyGap bounds how many steps after a fault, and at the beginning of a part, are free of faults.
	faultyGap = 24
	// insideOdds: one in that many points at which a crash could strike inside a step is answered with a crash.
	insideOdds = 24
)

// faulty is the strategy of faulty walks: a random number of steps with injections, then steps
// without until the state is live, and so on in rounds. Injections have their weight at some
// moments only, with random gaps between them: else all faults that are allowed would strike at
// the beginning of the first round, and defects that need an undisturbed beginning would not be
// found.
type faulty struct {
	draws
	seed   uint64
	limit  int
	limits sim.Limits
	roots  []choose.Path
	next   int
	end    int

	begun    bool
	rounds   int // begun so far
	faults   int // steps left of the faulty part
	gap      int // steps until faults may strike again
	used     int // faults when the gap was drawn
	recovery int // the step after which the part without faults began
	length   int // of that part, when there is no goal
	pick     int
}

func (s *faulty) Next() (Task, bool) {
	if s.next >= s.end {
		return Task{}, false
	}
	k := s.next
	s.next++
	s.random.Seed(s.seed, stream(s.seed, faultyTag, k))
	s.begun, s.rounds = false, 0
	return Task{Path: s.roots[k%len(s.roots)]}, true
}

func (s *faulty) round(at *Node) {
	s.rounds++
	s.faults = 1 + s.random.IntN(faultySteps)
	s.recovery = -1
	s.drawGap(at)
}

func (s *faulty) drawGap(at *Node) {
	s.used, s.gap = total(at.Used), 0
	if s.random.IntN(3) > 0 {
		s.gap = s.random.IntN(faultyGap)
	}
}

func (s *faulty) Select(at *Node) Selection {
	if !s.begun {
		s.begun = true
		s.round(at)
	}
	if s.faults == 0 || s.recovery < 0 && at.Used == s.limits {
		s.faults = 0
		if sel, ok := s.recover(at); ok {
			return sel
		}
	}
	s.faults--
	if at.Goal && !at.Live && s.total(at.Enabled) == 0 {
		return Selection{End: OutOfEvents} // no fault can excuse that
	}
	if total(at.Used) != s.used {
		s.drawGap(at)
	}
	if s.gap > 0 {
		s.gap--
		if s.pick = s.event(at.Enabled); s.pick >= 0 {
			return Selection{}
		}
	}
	if s.pick = s.eventOrFault(at.Enabled, at.Injections()); s.pick < 0 {
		return Selection{End: end(at)}
	}
	if s.pick < len(at.Enabled) {
		return Selection{}
	}
	return Selection{Faults: true}
}

// recover goes on without faults. When ok is false a faulty part begins in this state.
func (s *faulty) recover(at *Node) (sel Selection, ok bool) {
	if s.recovery < 0 {
		s.recovery = at.Step
		s.length = s.limit
		if !at.Goal {
			s.length = s.random.IntN(faultySteps)
		}
	}
	n := at.Step - s.recovery
	if at.Goal && at.Live || !at.Goal && n >= s.length {
		if s.rounds >= faultyRounds || at.Used == s.limits {
			return Selection{End: AtGoal}, true
		}
		s.round(at)
		return Selection{}, false
	}
	if n >= s.length {
		return Selection{End: TooLong}, true
	}
	if s.pick = s.event(at.Enabled); s.pick < 0 {
		if !at.Goal && s.rounds < faultyRounds && at.Used != s.limits {
			s.round(at)
			return Selection{}, false
		}
		return Selection{End: OutOfEvents}, true
	}
	return Selection{}, true
}

// eventOrFault draws one of all events, -1 when none has weight.
func (s *faulty) eventOrFault(enabled, faults []sim.Event) int {
	ordinary := s.total(enabled)
	all := ordinary + s.total(faults)
	if all == 0 {
		return -1
	}
	at := s.random.IntN(all)
	events, base := enabled, 0
	if at >= ordinary {
		at -= ordinary
		events, base = faults, len(enabled)
	}
	for i := range events {
		if at -= s.weights[events[i].Kind&15]; at < 0 {
			return base + i
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

func (s *faulty) Choose(_ *Node, p choose.Point) (int, bool) {
	switch p.Kind {
	case choose.Event:
		return s.pick, true
	case choose.Fault:
		if s.recovery >= 0 || s.gap > 0 || s.weights[sim.Crash] == 0 || s.random.IntN(insideOdds) > 0 {
			return 0, true
		}
		return 1 + s.random.IntN(p.Arity-1), true
	}
	return s.random.Choose(p), true
}

func (s *faulty) Ended(*Outcome) {}

func (s *faulty) begin(u *unit)      { s.next, s.end = u.first, u.first+u.count }
func (s *faulty) rest(u *unit) *unit { return restOfRow(u, s.next) }

func (s *faulty) suspects(o *Outcome) (int, bool) {
	if s.recovery < 0 {
		return o.Steps, suspicious(o)
	}
	return s.recovery, suspicious(o)
}

func total(l sim.Limits) int { return l.Crashes + l.NetErrors + l.Loss + l.Dup + l.Partitions }
