package steptree

import "github.com/macemc/macemc/choose"

// Answers enumerates all answers to the questions of a step.
type Answers struct {
	choose.Enumerate
	Weightless bool // one of the answers has weight 0, so random walks never give it
	// ForeignTimes reports that times of different nodes were compared, in this or an earlier step.
	ForeignTimes bool
	Sampled      choose.Samples // in this or an earlier step

	Drawn []Drawing // by the handler, if Keep is set
	Keep  bool

	// Limit is called before every AnswersAtOnce'th step. Its error ends the enumeration. Nil means no limit.
	Limit   func() error
	unasked int
}

// Drawing is a handler's question with its answer.
type Drawing struct {
	Label string
	Arity int
	Fair  bool
	Pick  int
}

// AnswersAtOnce is the number of steps between two calls of Limit.
const AnswersAtOnce = 256

// Stop returns an error if the enumeration must end.
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
