package recording

import (
	"fmt"

	"github.com/macemc/macemc/choose"
)

// answers answers the questions of a step from the recording.
type answers struct {
	list []Answer
	lost map[string]int // by question: unsynced writes that do not survive a crash, the last ones
	err  error

	picks []choose.FilePick
}

// Choose implements [choose.Source].
func (a *answers) Choose(p choose.Point) int {
	pick := a.pick(p)
	if p.Arity > 1 && (p.Kind.Class() != choose.Fault || pick != 0) {
		a.picks = append(a.picks, choose.FilePick{Kind: p.Kind, Pick: pick, Label: p.Label})
	}
	return pick
}

func (a *answers) pick(p choose.Point) int {
	switch {
	case p.Kind.Class() == choose.Fault:
		return 0
	case p.Kind == choose.Outcome:
		return min(max(p.Arity-1-a.lost[p.Label], 0), p.Arity-1)
	case len(a.list) == 0:
		a.fail("it asks %q, which was not asked", p.Label)
		return 0
	}
	next := a.list[0]
	a.list = a.list[1:]
	if next.Kind != p.Kind.Class() || next.Arity != p.Arity || uint(next.Pick) >= uint(p.Arity) {
		a.fail("it asks %q of %d alternatives, where %v of %d was asked", p.Label, p.Arity, next.Kind, next.Arity)
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
		a.fail("it does not ask %d of the recorded questions", len(a.list))
	}
	return a.err
}
