// Package unsent has tables with rules for events that nobody sends.
package unsent

import (
	"github.com/macemc/macemc/cmd/macemc-vet/vet/testdata/unsent/words"
	"github.com/macemc/macemc/machine"
)

type (
	ask     struct{ From machine.ID }
	answer  struct{}
	late    struct{}
	again   struct{}
	over    struct{}
	boxed   struct{}
	letter  struct{ What boxed }
	empty   struct{}
	unasked struct{}
	drawn   int
)

type server struct{ Asked int }

func (s *server) ask(x *machine.Ctx, a ask) {
	s.Asked++
	x.Send(a.From, answer{})
	x.SetTimer(late{}, 1)
	var l letter // with its zero of boxed
	x.Send(a.From, l)
	x.Send(a.From, drawn(x.Choose("n", 2)))
	x.Raise(*new(empty))
}

func (s *server) again(*machine.Ctx, again) {}

func (s *server) boxed(_ *machine.Ctx, ev boxed) {
	switch any(ev).(type) {
	case over: // takes one
	}
}

func (s *server) heard(*machine.Ctx, words.Said) {}

func (s *server) unheard(*machine.Ctx, words.Unsaid) {}

var serverKind = machine.Define[server]("server",
	machine.In("idle",
		machine.On((*server).ask),
		machine.On((*server).again), // want "event that is never sent: there is a rule for again in state idle, but no analyzed code makes one"
		machine.On((*server).boxed),
		machine.On((*server).heard),
		machine.On((*server).unheard), // want "there is a rule for Unsaid in state idle"
		machine.OnGoto[late]("busy"),
	),
	machine.In("busy",
		machine.Ignore(again{}), // of the same table as above
		machine.Defer(over{}),   // want "rule for over in state busy"
		machine.OnGotoWith("idle", func(*server, *machine.Ctx, drawn) {}),
		machine.OnPush[empty]("idle"),
		machine.OnPush[unasked]("idle"), //macemc:ok it will be sent one day
		machine.Ignore(letter{}, ask{}),
	))

type client struct{ Server machine.ID }

func (c *client) ask(x *machine.Ctx) { x.Send(c.Server, ask{x.Self()}); x.Send(c.Server, words.Make()) }

var clientKind = machine.Define[client]("client", machine.In("asking", machine.Entry((*client).ask), machine.OnGoto[answer]("asking"),
	machine.OnGoto[over]("asking"))) // want "rule for over in state asking"

// System puts them together.
func System() *machine.System {
	ms := &machine.System{}
	ms.Add(clientKind, client{Server: ms.Add(serverKind, server{})})
	return ms
}
