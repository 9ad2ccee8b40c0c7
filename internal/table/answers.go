package table

import "github.com/macemc/macemc/choose"

// answers goes through all answers to the questions of a step.
type answers struct {
	choose.Enumerate
	never bool // one of them has no weight, so that no walk gives it
	// foreign: times of different nodes were compared, now or earlier.
	foreign bool
	sampled choose.Samples // likewise

	drawn []drawing // by the handler, when keep is set
	keep  bool

	// limit is asked every so many answers whether to go on; nil: nobody is.
	limit   func() error
	unasked int
}

// drawing is the answer to a question of a handler.
type drawing struct {
	label string
	arity int
	fair  bool
	pick  int
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
	a.never, a.drawn = false, a.drawn[:0]
	return a.Enumerate.Next()
}

func (a *answers) Choose(p choose.Point) int {
	pick := a.Enumerate.Choose(p)
	if len(p.Weights) > 0 && p.Weights[pick] == 0 {
		a.never = true
	}
	if a.keep && p.Kind == choose.Draw && p.InPath() {
		a.drawn = append(a.drawn, drawing{p.Label, p.Arity, p.Fair(), pick})
	}
	if p.Kind == choose.CompareForeign {
		a.foreign = true
	}
	a.sampled.Add(p, pick)
	return pick
}
