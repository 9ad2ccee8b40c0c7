package machine_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/search"
)

type (
	Knock struct{}
	Close struct{}
	Door  struct{ Knocks int }
	Guest struct{ Door machine.ID }
)

var door = machine.Define[Door]("door",
	machine.In("closed", machine.On((*Door).knock, "open")),
	machine.In("open", machine.OnGoto[Close]("closed"))) // BUG: a knock at an open door has no rule

func (d *Door) knock(x *machine.Ctx, _ Knock) {
	d.Knocks++
	x.Goto("open")
}

var guest = machine.Define[Guest]("guest",
	machine.In("outside", machine.Entry((*Guest).arrive)))

func (g *Guest) arrive(x *machine.Ctx) {
	x.Send(g.Door, Knock{})
	x.Send(g.Door, Close{})
}

// Commands and strategies check a system of machines like any other system.
func Example() {
	var ms machine.System
	d := ms.Add(door, Door{})
	ms.Add(guest, Guest{Door: d})
	ms.Add(guest, Guest{Door: d})
	r, err := search.Run(context.Background(), search.Config{System: ms.Sim("house"), Strategy: search.BFS})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict, r.Finding.Kind)
	fmt.Println(r.Finding.Message)
	// Output:
	// violation safety
	// unhandled event: door0 in state open gets Knock{}
}
