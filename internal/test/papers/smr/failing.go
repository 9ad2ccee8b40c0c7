package smr

import (
	"github.com/macemc/macemc/machine"
)

// Fail makes a machine fail that has a rule for it.
type Fail struct{}

// Injector makes machines fail at arbitrary times.
type Injector struct {
	Victims []machine.ID
	Left    int // remaining failures
}

// InjectorKind is the kind of injectors.
var InjectorKind = machine.Define[Injector]("injector",
	machine.In("lurking", machine.Null((*Injector).strike, "content")),
	machine.In("content"))

func (i *Injector) strike(x *machine.Ctx) {
	if i.Left == 0 {
		x.Goto("content")
		return
	}
	i.Left--
	k := x.Choose("who fails", len(i.Victims))
	x.Send(i.Victims[k], Fail{})
	i.Victims = without(i.Victims, k)
}
