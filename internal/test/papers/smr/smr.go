// Package smr says what a replicated state machine is to its clients, as machines (package machine), and is the simplest one: a
// single node that stands for all in checks of what is built on them.
package smr

import (
	"slices"

	"github.com/macemc/macemc/machine"
)

// Op is what a client asks for. What it means is up to the [App].
type Op struct {
	Do       string
	Key, Arg int
}

type (
	// Request is sent to a replicated state machine. No two of a client have the same ID.
	Request struct {
		Client machine.ID
		ID     int
		Op     Op
	}
	// Response answers it, once. Commits are numbered from 1 on, in the order in which they were executed.
	Response struct{ ID, Commit, Value int }
)

// SingleNode is a replicated state machine that never fails and does everything at once: it puts requests that come in any order
// among those that wait, and executes them one by one. It is the paper's listing 9, but for requests that are lost, which
// those that it stands for repeat.
type SingleNode struct {
	App     App
	Commits int
	Pending []Request
}

// SingleKind is the kind of single nodes.
var SingleKind = machine.Define[SingleNode]("single",
	machine.In("serving", machine.On((*SingleNode).accept, "busy")),
	machine.In("busy", machine.On((*SingleNode).more), machine.Null((*SingleNode).serve, "serving")))

func (s *SingleNode) accept(x *machine.Ctx, r Request) {
	s.Pending = []Request{r}
	x.Goto("busy")
}

func (s *SingleNode) more(x *machine.Ctx, r Request) {
	at := x.Choose("where", len(s.Pending)+1)
	s.Pending = slices.Clip(slices.Insert(slices.Clone(s.Pending), at, r))
}

func (s *SingleNode) serve(x *machine.Ctx) {
	r := s.Pending[0]
	value := 0
	s.App, value = s.App.Do(r.Op)
	s.Commits++
	x.Send(r.Client, Response{r.ID, s.Commits, value})
	if len(s.Pending) == 1 {
		s.Pending = nil
		x.Goto("serving")
		return
	}
	s.Pending = slices.Clip(slices.Clone(s.Pending[1:]))
}

// Idle does nothing, where a single node leaves places empty.
type Idle struct{}

// IdleKind is the kind of idle machines.
var IdleKind = machine.Define[Idle]("idle", machine.In("idle"))

// Fill adds idle machines from the place next on, until there are so many nodes.
func Fill(ms *machine.System, next machine.ID, nodes int) {
	for ; int(next) < nodes; next++ {
		ms.Add(IdleKind, Idle{})
	}
}
