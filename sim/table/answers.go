package table

import "github.com/macemc/macemc/choose"

// answers goes through all answers to the questions of a step.
type answers struct {
	choose.Enumerate
	never bool // one of them has no weight, so that no walk gives it
	// foreign: times of different nodes were compared, now or earlier.
	foreign bool
	sampled choose.Samples // likewise

	// limit is asked every so many answers whether to go on; nil: nobody is.
	limit   func() error
	unasked int
}

// answersAtOnce is how many answers are gone through without a look at limits.
const answersAtOnce = 256

// stop returns why no more answers are to be gone through.
func (a *answers) stop() error {
	if a.unasked++; a.unasked < answersAtOnce || a.limit == nil {
		return nil
	}
	a.unasked = 0
	return a.limit()
}

func (a *answers) Next() bool {
	a.never = false
	return a.Enumerate.Next()
}

func (a *answers) Choose(p choose.Point) int {
	pick := a.Enumerate.Choose(p)
	if p.Weights != nil && p.Weights[pick] == 0 {
		a.never = true
	}
	if isForeign(&p) {
		a.foreign = true
	}
	if p.Sampled() {
		a.sampled.Add(&p)
	}
	return pick
}
