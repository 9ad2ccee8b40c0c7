package shrink

import (
	"context"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
)

const (
	// mostAlternatives is the number of alternatives of a crash that are tried.
	mostAlternatives = 16
	// mostTogether is the number of choices that change together.
	mostTogether = 2
	// mostPairs is the maximum number of candidates without two causes, and with another choice of a crash.
	mostPairs = 20_000
)

// crashChoices returns the positions of the picks on which depends what a crash leaves: how much of a step happens before it, and what
// survives. A program chooses the latter when it boots.
func crashChoices(s Script) (at []position) {
	for list := range len(s.Steps) + 1 {
		for i, p := range s.picks(list) {
			class := p.Kind.Class()
			boots := class == choose.Draw && (list == 0 || s.Steps[list-1].Kind == eventkind.Boot)
			if class == choose.Fault || class == choose.Outcome || boots {
				at = append(at, position{list, i})
			}
		}
	}
	return at
}

// position is that of a pick in a script, see [Script.picks].
type position struct{ list, at int }

// dropWithChoices drops single steps, and pairs of causes, with other choices of crashes. Without a step, other effects precede a crash, so
// that the same choice leaves something else.
func dropWithChoices(ctx context.Context, r *reducer) bool {
	choices := len(crashChoices(r.best))
	if choices == 0 {
		return false
	}
	for i := len(r.best.Steps) - 1; i >= 0; i-- {
		if tryChoices(ctx, r, r.best.without(i, i+1)) {
			return true
		}
	}
	r.minimal, r.choices = r.minimal && r.complete(ctx), choices > mostTogether
	if !r.pairs {
		return false
	}
	script, causes := r.causes(r.best)
	groups := consequences(causes)
	if n := len(groups); choices > mostTogether || n*n/2*mostAlternatives*mostAlternatives > mostPairs {
		r.pairs, r.choices = false, true
		return false
	}
	for i, a := range groups {
		for k, b := range groups[:i] {
			if causes[i] < 0 && causes[k] < 0 && tryChoices(ctx, r, script.excluding(a, b)) {
				return true
			}
		}
	}
	r.pairs = r.complete(ctx)
	return false
}

// tryChoices tries a script with other choices of any two crashes.
func tryChoices(ctx context.Context, r *reducer, s Script) bool {
	at := crashChoices(s)
	for i, p := range at {
		for pick := range mostAlternatives {
			changed := s.with(p.list, p.at, pick)
			if r.try(ctx, changed) {
				return true
			}
			for _, q := range at[:i] {
				for other := range mostAlternatives {
					if r.try(ctx, changed.with(q.list, q.at, other)) {
						return true
					}
				}
			}
		}
	}
	return false
}
