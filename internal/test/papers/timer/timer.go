package timer

import "github.com/macemc/macemc/machine"

// Messages to a timer, and from it.
type (
	Start         struct{}
	Cancel        struct{}
	Timeout       struct{}
	CancelSuccess struct{}
	CancelFailure struct{}
)

// Timer is a model of a timer. When it fires, and whether it is cancelled in time, are choices.
type Timer struct{ Client machine.ID }

const (
	stopped machine.State = "stopped"
	running machine.State = "running"
)

var timerKind = machine.Define[Timer]("timer",
	machine.In(stopped,
		machine.OnGoto[Start](running),
		machine.On((*Timer).late)),
	machine.In(running,
		machine.Ignore(Start{}),
		machine.Null((*Timer).fire, stopped),
		machine.OnGotoWith(stopped, (*Timer).cancel)))

// late handles a Cancel after the timer has fired.
func (t *Timer) late(x *machine.Ctx, _ Cancel) { x.Send(t.Client, CancelFailure{}) }

func (t *Timer) fire(x *machine.Ctx) {
	x.Send(t.Client, Timeout{})
	x.Goto(stopped)
}

func (t *Timer) cancel(x *machine.Ctx, _ Cancel) {
	if x.Flip("in time") {
		x.Send(t.Client, CancelSuccess{})
		return
	}
	x.Send(t.Client, CancelFailure{})
	x.Send(t.Client, Timeout{})
}
