package espresso

import "github.com/macemc/macemc/machine"

// Sane is a user who operates the machine correctly, for some cups.
type Sane struct {
	Panel machine.ID
	Cups  int
}

var saneKind = machine.Define[Sane]("user",
	machine.In("coming", machine.Entry(func(s *Sane, x *machine.Ctx) { x.Send(s.Panel, User{x.Self()}); x.Goto("waiting") }, "waiting")),
	machine.In("waiting",
		machine.On(func(s *Sane, x *machine.Ctx, _ Ready) {
			if s.Cups == 0 {
				x.Send(s.Panel, OpenDoor{})
				x.Send(s.Panel, CloseDoor{})
				x.Halt()
				return
			}
			x.Send(s.Panel, PressEspresso{})
			x.Goto("thirsty")
		}, "thirsty"),
		machine.On(func(_ *Sane, x *machine.Ctx, _ Failed) { x.Halt() })),
	machine.In("thirsty",
		machine.OnGotoWith("waiting", func(s *Sane, _ *machine.Ctx, _ Espresso) { s.Cups-- }),
		machine.OnGotoWith("waiting", func(s *Sane, x *machine.Ctx, _ Failed) { x.Send(s.Panel, Reset{}) })))

// Crazy is a user who presses buttons and opens doors at random, a bounded number of times.
type Crazy struct {
	Panel machine.ID
	Left  int
}

var crazyKind = machine.Define[Crazy]("crazy user",
	machine.In("pressing",
		machine.Entry(func(c *Crazy, x *machine.Ctx) { x.Send(c.Panel, User{x.Self()}) }),
		machine.Null((*Crazy).press, "tired"),
		machine.Ignore(Failed{}, Espresso{}, Ready{})),
	machine.In("tired", machine.Ignore(Failed{}, Espresso{}, Ready{})))

func (c *Crazy) press(x *machine.Ctx) {
	if c.Left--; c.Left < 0 {
		x.Goto("tired")
		return
	}
	switch x.Choose("what", 4) {
	case 0:
		x.Send(c.Panel, PressEspresso{})
	case 1:
		x.Send(c.Panel, SteamOn{})
		x.Send(c.Panel, SteamOff{})
	case 2:
		x.Send(c.Panel, Reset{})
	case 3:
		x.Send(c.Panel, OpenDoor{})
		x.Send(c.Panel, CloseDoor{})
	}
}
