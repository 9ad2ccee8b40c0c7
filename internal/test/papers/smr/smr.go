// Package smr defines the interface of a replicated state machine to its clients, as machines (package machine). It
// has the simplest one: a single node that replaces all others in checks of systems built on them.
package smr

import (
	"slices"

	"github.com/macemc/macemc/machine"
)

// Op is an operation requested by a client. Its meaning is up to the [App].
type Op struct {
	Do       string
	Key, Arg int
}

type (
	// Request is sent to a replicated state machine. A client's IDs are unique.
	Request struct {
		Client machine.ID
		ID     int
		Op     Op
	}
	// Response answers it once. Commits are numbered from 1 on, in the order of execution.
	Response struct{ ID, Commit, Value int }
)

// SingleNode is a replicated state machine that never fails and executes each request at once. It reorders waiting
// requests, and executes them one by one. It is the paper's listing 9 without lost requests, which the replicated
// forms repeat.
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

// Idle does nothing, in the unused places of a single node.
type Idle struct{}

// IdleKind is the kind of idle machines.
var IdleKind = machine.Define[Idle]("idle", machine.In("idle"))

// Fill adds idle machines from next on, until there are so many nodes.
func Fill(ms *machine.System, next machine.ID, nodes int) {
	for ; int(next) < nodes; next++ {
		ms.Add(IdleKind, Idle{})
	}
}
