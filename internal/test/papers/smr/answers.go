package smr

import (
	"slices"

	"github.com/macemc/macemc/machine"
)

// answers is a monitor: the answers to clients are the results of their commands, executed in the order of commits.
type answers struct {
	Front   machine.ID // asked by clients
	App     App
	Commits int        // number of commits executed by App
	Open    []Request  // unanswered requests
	Early   []answered // answers behind a missing commit
}

type answered struct {
	Op            Op
	Commit, Value int
}

var answersKind = machine.Define[answers]("answers are right", machine.In("watching",
	machine.On((*answers).ask),
	machine.On((*answers).answer)))

func (a *answers) ask(_ *machine.Ctx, r machine.Sent[Request]) {
	if r.To == a.Front {
		a.Open = with(a.Open, r.Event)
	}
}

func (a *answers) answer(x *machine.Ctx, r machine.Sent[Response]) {
	if r.From != a.Front {
		return
	}
	i := slices.IndexFunc(a.Open, func(q Request) bool { return q.Client == r.To && q.ID == r.Event.ID })
	x.Assert(r.Event.Commit > a.Commits, "commit %d is answered after %d", r.Event.Commit, a.Commits)
	if i < 0 {
		return
	}
	a.Early = with(a.Early, answered{a.Open[i].Op, r.Event.Commit, r.Event.Value})
	slices.SortFunc(a.Early, func(a, b answered) int { return a.Commit - b.Commit })
	a.Open = without(a.Open, i)
	for len(a.Early) > 0 && a.Early[0].Commit == a.Commits+1 {
		e, value := a.Early[0], 0
		a.App, value = a.App.Do(e.Op)
		x.Assert(value == e.Value, "commit %d, %+v, is answered by %d, but its result is %d", e.Commit, e.Op, e.Value, value)
		a.Commits, a.Early = e.Commit, without(a.Early, 0)
	}
}

func with[T any](s []T, more T) []T { return slices.Clip(append(slices.Clone(s), more)) }

// without removes an element, and returns nil if none is left.
func without[T any](s []T, i int) []T {
	if len(s) == 1 {
		return nil
	}
	return slices.Clip(slices.Delete(slices.Clone(s), i, i+1))
}
