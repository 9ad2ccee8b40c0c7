package steptree

import "github.com/macemc/macemc/choose"

// Answers goes through all answers to the questions of a step.
type Answers struct {
	choose.Enumerate
	Weightless bool // one of them has no weight, so that no walk gives it
	// foreign: times of different nodes were compared, now or earlier.
	ForeignTimes bool
	Sampled      choose.Samples // likewise

	Drawn []Drawing // by the handler, when keep is set
	Keep  bool

	// limit is asked every so many answers whether to go on; nil: nobody is.
	Limit   func() error
	unasked int
}

// Drawing is the answer to a question of a handler.
type Drawing struct {
	Label string
	Arity int
	Fair  bool
	Pick  int
}

// AnswersAtOnce is how many answers are gone through without a look at limits.
const AnswersAtOnce = 256

// Stop returns why no more answers are to be gone through.
func (a *Answers) Stop() error {
	if a.unasked++; a.unasked < AnswersAtOnce || a.Limit == nil {
		return nil
	}
	a.unasked = 0
	return a.Limit()
}

func (a *Answers) Next() bool {
	a.Weightless, a.Drawn = false, a.Drawn[:0]
	return a.Enumerate.Next()
}

func (a *Answers) Choose(p choose.Point) int {
	pick := a.Enumerate.Choose(p)
	if len(p.Weights) > 0 && p.Weights[pick] == 0 {
		a.Weightless = true
	}
	if a.Keep && p.Kind == choose.Draw && p.InPath() {
		a.Drawn = append(a.Drawn, Drawing{p.Label, p.Arity, p.Fair(), pick})
	}
	if p.Kind == choose.CompareForeign {
		a.ForeignTimes = true
	}
	a.Sampled.Add(p, pick)
	return pick
}
