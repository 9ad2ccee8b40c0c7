package detector

import (
	"slices"
	"time"

	"github.com/macemc/macemc/machine"
)

type (
	Ping struct {
		From  machine.ID
		Trial int
	}
	Pong struct {
		Node  machine.ID
		Trial int
	}
	NodesDown struct{ Nodes Set }
	ShutDown  struct{ Node machine.ID }
	late      struct{} // the timer
)

// Set is a set of machines below 64.
type Set uint64

func (s Set) has(id machine.ID) bool { return s>>id&1 != 0 }
func (s Set) with(id machine.ID) Set { return s | 1<<id }

// Detector pings nodes, and reports those that are down to clients.
type Detector struct {
	Nodes, Clients   []machine.ID
	Alive, Responded Set
	Attempts         int
	Bugs             bugs
}

const (
	pinging machine.State = "pinging"
	resting machine.State = "resting"

	attempts = 2
)

var detectorKind = machine.Define[Detector]("detector",
	machine.In(pinging,
		machine.Entry((*Detector).ping),
		machine.On((*Detector).pong, resting),
		machine.On((*Detector).timedOut, pinging, resting)),
	machine.In(resting,
		machine.Entry(func(d *Detector, x *machine.Ctx) { d.Attempts, d.Responded = 0, 0; x.SetTimer(late{}, time.Second) }),
		machine.OnGoto[late](pinging),
		machine.Ignore(Pong{}))) // late ones

func (d *Detector) ping(x *machine.Ctx) {
	if d.Alive == 0 {
		x.Halt()
		return
	}
	for _, n := range d.Nodes {
		if d.Alive.has(n) && !d.Responded.has(n) {
			unreliable(x, n, Ping{x.Self(), d.Attempts})
		}
	}
	x.SetTimer(late{}, time.Second)
}

func (d *Detector) pong(x *machine.Ctx, p Pong) {
	if !d.Alive.has(p.Node) {
		return
	}
	if d.Responded = d.Responded.with(p.Node); d.Responded == d.Alive {
		x.StopTimer(late{})
		if !d.Bugs.has(fd1) {
			x.Goto(resting)
		}
	}
}

func (d *Detector) timedOut(x *machine.Ctx, _ late) {
	if d.Attempts++; d.Responded != d.Alive {
		if d.Attempts < attempts {
			x.Goto(pinging)
			return
		}
		down := NodesDown{d.Alive &^ d.Responded}
		d.Alive = d.Responded
		for _, c := range d.Clients {
			if !d.Bugs.has(fd2) || x.Flip("sent") {
				x.Send(c, down)
			}
		}
	}
	x.Goto(resting)
}

// unreliable sends a message or loses it.
func unreliable(x *machine.Ctx, to machine.ID, ev any) {
	if x.FairFlip("sent") {
		x.Send(to, ev)
	}
}

// Node answers pings until it is shut down.
type Node struct{}

var nodeKind = machine.Define[Node]("node", machine.In("up",
	machine.On(func(_ *Node, x *machine.Ctx, p Ping) { unreliable(x, p.From, Pong{x.Self(), p.Trial}) }),
	machine.On(func(_ *Node, x *machine.Ctx, _ ShutDown) { x.Halt() })))

// Client keeps a view of the nodes that are up.
type Client struct{ Up Set }

var clientKind = machine.Define[Client]("client", machine.In("watching",
	machine.On(func(c *Client, _ *machine.Ctx, n NodesDown) { c.Up &^= n.Nodes })))

// Injector shuts nodes down at arbitrary times.
type Injector struct {
	Nodes []machine.ID
	Left  int
}

var injectorKind = machine.Define[Injector]("injector",
	machine.In("lurking", machine.Null((*Injector).strike, "content")),
	machine.In("content"))

func (i *Injector) strike(x *machine.Ctx) {
	if i.Left == 0 {
		x.Goto("content")
		return
	}
	i.Left--
	k := x.Choose("who fails", len(i.Nodes))
	x.Send(i.Nodes[k], ShutDown{i.Nodes[k]})
	i.Nodes = slices.Delete(i.Nodes, k, k+1)
}
