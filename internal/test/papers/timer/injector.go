package timer

import (
	"slices"

	"github.com/macemc/macemc/machine"
)

// FaultInjector halts machines at arbitrary times, unless they handle Halt in their current state.
type FaultInjector struct {
	Victims []machine.ID
	Left    int // remaining Halts
}

var injectorKind = machine.Define[FaultInjector]("injector",
	machine.In("lurking", machine.Null((*FaultInjector).strike, "content")),
	machine.In("content"))

func (f *FaultInjector) strike(x *machine.Ctx) {
	if f.Left == 0 {
		x.Goto("content")
		return
	}
	f.Left--
	k := x.Choose("who fails", len(f.Victims))
	x.Send(f.Victims[k], machine.Halt{})
	f.Victims = slices.Delete(slices.Clone(f.Victims), k, k+1)
}
