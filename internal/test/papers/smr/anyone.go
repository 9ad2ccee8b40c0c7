package smr

import "github.com/macemc/macemc/machine"

// Anyone is a client that asks for arbitrary operations, without waiting for answers.
type Anyone struct {
	Service     machine.ID
	Ops         []Op
	First, Left int
}

// AnyoneKind is the kind of Anyone.
var AnyoneKind = machine.Define[Anyone]("client",
	machine.In(asking, machine.Null((*Anyone).ask, asked), machine.Ignore(Response{})),
	machine.In(asked, machine.Ignore(Response{})))

func (a *Anyone) ask(x *machine.Ctx) {
	x.Send(a.Service, Request{Client: x.Self(), ID: a.First, Op: a.Ops[x.Choose("operation", len(a.Ops))]})
	a.First++
	if a.Left--; a.Left == 0 {
		x.Goto(asked)
	}
}
