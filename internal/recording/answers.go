package recording

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

// answers replays the recorded answers to the questions of a step.
type answers struct {
	list       []Answer
	lostWrites map[string]int // by question: number of unsynced writes, the last ones, that a crash loses
	err        error

	picks []pathfile.Pick
}

// Choose implements [choose.Source].
func (a *answers) Choose(p choose.Point) int {
	pick := a.pick(p)
	if p.Arity > 1 && !p.Kind.Implied(pick) {
		a.picks = append(a.picks, pathfile.Pick{Kind: p.Kind, Pick: pick, Label: p.Label})
	}
	return pick
}

func (a *answers) pick(p choose.Point) int {
	switch {
	case p.Kind.Implied(0):
		return 0
	case p.Kind == choose.Outcome:
		return min(max(p.Arity-1-a.lostWrites[p.Label], 0), p.Arity-1)
	case len(a.list) == 0:
		a.fail("it makes a choice that was not recorded: %q", p.Label)
		return 0
	}
	next := a.list[0]
	a.list = a.list[1:]
	if next.Kind != p.Kind.Class() || next.Arity != p.Arity || uint(next.Pick) >= uint(p.Arity) {
		a.fail("it makes a choice %q of %d alternatives, recorded was %v of %d", p.Label, p.Arity, next.Kind, next.Arity)
		return 0
	}
	return next.Pick
}

func (a *answers) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

func (a *answers) done() error {
	if a.err == nil && len(a.list) > 0 {
		a.fail("it does not make %d of the recorded choices", len(a.list))
	}
	return a.err
}
