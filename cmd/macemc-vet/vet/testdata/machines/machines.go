// Package machines has handlers of machines, and functions that these pass their Ctx to.
package machines

import (
	"time"

	"github.com/macemc/macemc/machine"
)

type (
	ask   struct{ N int }
	Never struct{ N int }
)

type server struct {
	Known map[machine.ID]int
	At    int64
}

func (s *server) begin(x *machine.Ctx) {
	s.At = time.Now().UnixNano() // want "uses time.Now"
	for id := range s.Known {    // want "range over map s.Known"
		x.Send(id, ask{1})
	}
}

func tell(x *machine.Ctx, to machine.ID) { x.TrySend(to, ask{2}) }

var kind = machine.Define[server]("server", machine.In("up",
	machine.Entry((*server).begin),
	machine.On(func(s *server, x *machine.Ctx, _ ask) {
		go func() {}()            // want "starts a goroutine"
		for id := range s.Known { // want "tell"
			tell(x, id)
		}
	}),
	machine.On(func(s *server, _ *machine.Ctx, ev Never) { s.At = int64(ev.N) }), // want "a rule for Never"
))

// system is put together in a variable, not by a literal.
func system() *machine.System {
	var ms machine.System
	ms.Add(kind, server{})
	return &ms
}

var _ = system
