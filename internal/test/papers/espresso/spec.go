package espresso

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// modes is a monitor: the modes of operation of the maker are in order.
type modes struct{}

var modesKind = machine.Define[modes]("modes of operation",
	machine.In("start", machine.OnGoto[warming]("warming up")),
	machine.In("warming up", machine.OnGoto[ready]("ready"), machine.OnGoto[failed]("error")),
	machine.In("ready", machine.Ignore(ready{}), machine.OnGoto[grinding]("grinding"), machine.OnGoto[failed]("error")),
	machine.In("grinding", machine.OnGoto[brewing]("brewing"), machine.OnGoto[failed]("error")),
	machine.In("brewing", machine.OnGoto[ready]("ready"), machine.OnGoto[failed]("error")),
	machine.In("error", machine.OnGoto[resetted]("start"), machine.Ignore(failed{})))

// machines adds an espresso machine and one user.
func machines(presses int, b bugs) *machine.System {
	ms := &machine.System{}
	const maker, panel, user = 0, 1, 2
	ms.Add(makerKind, Maker{panel})
	ms.Add(panelKind(b), Panel{Maker: maker})
	if presses > 0 {
		ms.Add(crazyKind, Crazy{panel, presses})
	} else {
		ms.Add(saneKind, Sane{panel, 2})
	}
	ms.Monitor(modesKind, modes{})
	return ms
}

func properties() []sim.Property {
	return []sim.Property{{Name: "coffee is made", Sometimes: func(v *sim.View) bool { return machine.StateOf(v, 1) == brew }}}
}
