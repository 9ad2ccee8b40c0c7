package table

import "github.com/macemc/macemc/choose"

// answers goes through all answers to the questions of a step.
type answers struct {
	choose.Enumerate
	never bool // one of them has no weight, so that no walk gives it
	// foreign: times of different nodes were compared, now or earlier.
	foreign bool
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
	return pick
}
