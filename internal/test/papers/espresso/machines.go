package espresso

import "github.com/macemc/macemc/machine"

// Actions of a user on the panel, and reports of the panel to the user.
type (
	User          struct{ ID machine.ID } // a user is present
	PressEspresso struct{}
	SteamOn       struct{}
	SteamOff      struct{}
	OpenDoor      struct{} // of the grounds
	CloseDoor     struct{}
	Reset         struct{}

	Ready  struct{}
	Failed struct{ What string }
)

// Commands of the panel to the maker, and the answers. Completed is one of these.
type (
	WarmUp       struct{}
	Grind        struct{}
	Brew         struct{}
	StartSteamer struct{}
	StopSteamer  struct{}

	WarmedUp struct{}
	Ground   struct{}
	Espresso struct{} // passed on to the user
	NoWater  struct{}
	NoBeans  struct{}
)

// Modes of operation, which are announced.
type (
	warming  struct{}
	ready    struct{}
	grinding struct{}
	brewing  struct{}
	failed   struct{}
	resetted struct{}
)

// Maker executes the panel's commands if it has water and beans and its heater works.
type Maker struct{ Panel machine.ID }

var makerKind = machine.Define[Maker]("maker", machine.In("waiting for requests",
	machine.On(func(m *Maker, x *machine.Ctx, _ WarmUp) {
		if x.Flip("heater works") {
			x.Send(m.Panel, WarmedUp{})
		}
	}),
	machine.On(func(m *Maker, x *machine.Ctx, _ Grind) { m.answer(x, "beans", Ground{}, NoBeans{}) }),
	machine.On(func(m *Maker, x *machine.Ctx, _ Brew) { m.answer(x, "water", Espresso{}, NoWater{}) }),
	machine.On(func(m *Maker, x *machine.Ctx, _ StartSteamer) {
		if !x.Flip("water") {
			x.Send(m.Panel, NoWater{})
		}
	}),
	machine.Ignore(StopSteamer{})))

func (m *Maker) answer(x *machine.Ctx, what string, yes, no any) {
	if x.Flip(what) {
		x.Send(m.Panel, yes)
	} else {
		x.Send(m.Panel, no)
	}
}

// Panel is between the user and the maker.
type Panel struct{ Maker, User machine.ID }

const (
	away     machine.State = "waiting for a user"
	warmup   machine.State = "warming up"
	standby  machine.State = "ready"
	grind    machine.State = "grinding"
	brew     machine.State = "brewing"
	steam    machine.State = "steaming"
	doorOpen machine.State = "door open"
	trouble  machine.State = "in trouble"
)

// panelKind returns the robust panel, or the published one.
func panelKind(b bugs) *machine.Kind {
	rules := map[machine.State][]machine.Rule{
		steam:    {machine.Ignore(Reset{})},
		doorOpen: {machine.Ignore(Reset{}, OpenDoor{}, NoWater{})},
		standby:  {machine.Ignore(Ground{}, Espresso{})},
	}
	if b.has(em1) {
		clear(rules)
	}
	return machine.Define[Panel]("panel",
		machine.In(away, machine.DeferAll(), machine.OnGotoWith(warmup, func(p *Panel, _ *machine.Ctx, u User) { p.User = u.ID })),
		machine.In(warmup, machine.Entry(has[WarmUp](warming{})),
			machine.OnGoto[WarmedUp](standby),
			machine.Defer(OpenDoor{}, CloseDoor{}),
			machine.Ignore(PressEspresso{}, SteamOff{}, SteamOn{}, Reset{}),
			machine.Ignore(NoBeans{}, NoWater{}, Ground{})), // of the previous state
		machine.In(standby, append(rules[standby],
			machine.Entry(func(p *Panel, x *machine.Ctx) { x.Announce(ready{}); x.Send(p.User, Ready{}) }),
			machine.OnGoto[OpenDoor](doorOpen), machine.OnGoto[PressEspresso](grind), machine.OnGoto[SteamOn](steam),
			machine.Ignore(SteamOff{}, CloseDoor{}, WarmedUp{}, Reset{}, NoBeans{}, NoWater{}))...),
		machine.In(grind, machine.Entry(has[Grind](grinding{})),
			machine.OnGoto[NoBeans](trouble), machine.OnGoto[NoWater](trouble), machine.OnGoto[Ground](brew),
			machine.Defer(OpenDoor{}, CloseDoor{}, PressEspresso{}),
			machine.Ignore(SteamOn{}, SteamOff{}, WarmedUp{}, Reset{})),
		machine.In(brew, machine.Entry(has[Brew](brewing{})),
			machine.OnGotoWith(standby, func(p *Panel, x *machine.Ctx, e Espresso) { x.Send(p.User, e) }),
			machine.OnGoto[NoWater](trouble),
			machine.Defer(OpenDoor{}, CloseDoor{}, PressEspresso{}),
			machine.Ignore(SteamOn{}, SteamOff{}, WarmedUp{}, Reset{})),
		machine.In(steam, append(rules[steam], machine.Entry(func(p *Panel, x *machine.Ctx) { x.Send(p.Maker, StartSteamer{}) }),
			machine.OnGotoWith(standby, func(p *Panel, x *machine.Ctx, _ SteamOff) { x.Send(p.Maker, StopSteamer{}) }),
			machine.OnGoto[NoWater](trouble),
			machine.Defer(OpenDoor{}, CloseDoor{}),
			machine.Ignore(PressEspresso{}, SteamOn{}))...),
		machine.In(doorOpen, append(rules[doorOpen], machine.OnGoto[CloseDoor](standby),
			machine.Ignore(PressEspresso{}, SteamOn{}, SteamOff{}))...),
		machine.In(trouble, machine.EntryWith((*Panel).tell),
			machine.OnGotoWith(warmup, func(_ *Panel, x *machine.Ctx, _ Reset) { x.Announce(resetted{}) }),
			machine.Ignore(PressEspresso{}, SteamOn{}, SteamOff{}, OpenDoor{}, CloseDoor{}, WarmedUp{}, Espresso{}, Ground{}, NoBeans{}, NoWater{})))
}

// has returns an entry action that announces a mode and sends a command to the maker.
func has[E any](mode any) func(*Panel, *machine.Ctx) {
	return func(p *Panel, x *machine.Ctx) {
		var do E
		x.Announce(mode)
		x.Send(p.Maker, do)
	}
}

func (p *Panel) tell(x *machine.Ctx, why any) {
	x.Announce(failed{})
	what := "no water"
	if _, beans := why.(NoBeans); beans {
		what = "no beans"
	}
	x.Send(p.User, Failed{what})
}
