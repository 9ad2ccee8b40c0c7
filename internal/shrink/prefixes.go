package shrink

import (
	"slices"

	"github.com/macemc/macemc/internal/replay"
)

const (
	// leastApart is the minimum number of steps between saved states of a base. Copying a state takes as long as some
	// steps.
	leastApart = 8
	// mostSaved is the maximum number of saved states of a base.
	mostSaved = 8
)

// prefixes holds states of a base, a script as it was executed. Scripts that begin like the base are executed from
// the last saved state that they share with it, instead of the first state.
type prefixes struct {
	base  Script
	saved []prefix // in the order of their steps
	apart int      // number of steps between saved states, 0 if there are none
	never bool     // states cannot be copied
}

// prefix is the state after some steps of the base.
type prefix struct {
	state    *replay.Saved
	steps    int
	unlikely int // as in [Played]
}

// Base makes Play execute scripts that begin like base from saved states. That changes no result, but the steps before
// are not executed again. The zero Script ends it.
func (p *Player) Base(base Script) {
	b := &p.prefixes
	if len(base.Steps) == len(b.base.Steps) && (len(base.Steps) == 0 || &base.Steps[0] == &b.base.Steps[0]) {
		return
	}
	common := commonSteps(&b.base, &base)
	for len(b.saved) > 0 && b.saved[len(b.saved)-1].steps > common {
		b.saved = b.saved[:len(b.saved)-1]
	}
	if b.base, b.apart = base, max(leastApart, len(base.Steps)/mostSaved); b.never || len(base.Steps) < leastApart {
		b.apart = 0
	}
}

// commonSteps returns the number of first steps that two scripts share, or -1 if their first boots differ.
func commonSteps(a, b *Script) int {
	if !slices.Equal(a.Boot, b.Boot) {
		return -1
	}
	n := 0
	for n < len(a.Steps) && n < len(b.Steps) && a.Steps[n].equal(&b.Steps[n]) {
		n++
	}
	return n
}

// shared returns the number of first steps that a script shares with the base, or -1 if each of its states is needed.
func (p *Player) shared(s *Script) int {
	if p.prefixes.apart == 0 || p.Noted != nil {
		return -1
	}
	return commonSteps(&p.prefixes.base, s)
}

// ahead returns the number of steps of a script that Play executes.
func (p *Player) ahead(s *Script) int {
	shared, saved := p.shared(s), 0
	for _, at := range p.prefixes.saved {
		if at.steps <= shared {
			saved = at.steps
		}
	}
	return len(s.Steps) - saved
}

// resume restores the last saved state after at most that many steps of the base. It returns the number of steps before
// it; 0 means no such state.
func (p *Player) resume(shared int) int {
	if p.Check != nil {
		shared = min(shared, p.checkFrom)
	}
	saved := p.prefixes.saved
	for i := len(saved) - 1; i >= 0; i-- {
		if at := &saved[i]; at.steps <= shared {
			p.names.reset()
			if p.Run.Resume(at.state) != nil {
				return 0
			}
			p.unlikely = at.unlikely
			return at.steps
		}
	}
	return 0
}

// save saves the current state, which is that after a number of steps of the base, if it is far enough from other saved
// ones.
func (p *Player) save(steps int) {
	b := &p.prefixes
	last := 0
	if n := len(b.saved); n > 0 {
		last = b.saved[n-1].steps
	}
	if steps < last+b.apart {
		return
	}
	state, err := p.Run.Save()
	if err != nil {
		b.never, b.apart = true, 0
		return
	}
	b.saved = append(b.saved, prefix{state, steps, p.unlikely})
}
