package timer

import "github.com/macemc/macemc/machine"

// Worker executes requests. It is not halted meanwhile.
type Worker struct{ Now Do }

const (
	idle    machine.State = "idle"
	working machine.State = "working"
)

var workerKind = machine.Define[Worker]("worker", machine.In(idle, machine.OnGotoWith(working, (*Worker).begin)), atWork)

// reserveKind is never halted.
var reserveKind = machine.Define[Worker]("reserve",
	machine.In(idle, machine.OnGotoWith(working, (*Worker).begin), machine.Ignore(machine.Halt{})), atWork)

var atWork = machine.In(working, machine.Null((*Worker).end, idle), machine.Defer(Do{}, machine.Halt{}))

func (w *Worker) begin(_ *machine.Ctx, d Do) { w.Now = d }

func (w *Worker) end(x *machine.Ctx) {
	x.Send(w.Now.Client, Done{w.Now.Round})
	w.Now = Do{}
	x.Goto(idle)
}
