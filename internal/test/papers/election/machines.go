package election

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

type (
	Elect       struct{ From machine.ID } // to all higher nodes
	Alive       struct{}                  // the answer
	Coordinator struct{ Node machine.ID } // to all others: it leads
	Down        struct{ Node machine.ID } // to all: the last message of a node
	// Follows reports the leader to the client.
	Follows struct{ Node, Leader machine.ID }
)

// Node is a candidate.
type Node struct {
	Client machine.ID
	Up     []machine.ID // the nodes believed to be up, in order
	Leader machine.ID
	Bugs   bugs
}

const (
	following machine.State = "following"
	electing  machine.State = "electing"
	waiting   machine.State = "waiting"
	leading   machine.State = "leading"
)

var (
	nodeKind = nodes(machine.On((*Node).lead), machine.Ignore(Alive{}))
	// Kinds that lack a rule.
	proudKind     = nodes(machine.Ignore(), machine.Ignore(Alive{}))
	forgetfulKind = nodes(machine.On((*Node).lead), machine.Ignore())
)

func nodes(asked, late machine.Rule) *machine.Kind {
	fails := machine.On(func(n *Node, x *machine.Ctx, _ smr.Fail) {
		n.others(x, func(id machine.ID) { x.Send(id, Down{x.Self()}) })
		x.Halt()
	})
	elect, down := machine.On((*Node).elect, electing), machine.On((*Node).down, electing, leading)
	answer, follow := machine.On((*Node).answer), machine.On((*Node).follow, following)
	return machine.Define[Node]("node",
		machine.In(following, fails, elect, down, follow, late),
		machine.In(electing, fails, answer, down, follow, machine.Entry((*Node).ask, leading), machine.OnGoto[Alive](waiting)),
		machine.In(waiting, fails, answer, down, follow, machine.Ignore(Alive{})),
		machine.In(leading, fails, asked, machine.Entry((*Node).tell), machine.On(func(n *Node, _ *machine.Ctx, d Down) { n.without(d.Node) })))
}

func (n *Node) others(x *machine.Ctx, f func(machine.ID)) {
	for _, id := range n.Up {
		if id != x.Self() {
			f(id)
		}
	}
}

func (n *Node) without(id machine.ID) {
	n.Up = slices.Clip(slices.DeleteFunc(slices.Clone(n.Up), func(o machine.ID) bool { return o == id }))
}

// highest reports whether id is the highest node believed to be up.
func (n *Node) highest(id machine.ID) bool { return id == slices.Max(n.Up) }

// ask asks all higher nodes whether they lead.
func (n *Node) ask(x *machine.Ctx) {
	if n.highest(x.Self()) || n.Bugs.has(le5) {
		x.Goto(leading)
		return
	}
	n.others(x, func(id machine.ID) {
		if id > x.Self() {
			x.Send(id, Elect{x.Self()})
		}
	})
}

func (n *Node) elect(x *machine.Ctx, e Elect) {
	n.answer(x, e)
	x.Goto(electing)
}

func (n *Node) answer(x *machine.Ctx, e Elect) { x.Send(e.From, Alive{}) }

// lead answers a late Elect.
func (n *Node) lead(x *machine.Ctx, e Elect) { x.Send(e.From, Coordinator{x.Self()}) }

func (n *Node) down(x *machine.Ctx, d Down) {
	n.without(d.Node)
	switch {
	case n.highest(x.Self()) && !n.Bugs.has(le3):
		x.Goto(leading)
	case d.Node == n.Leader:
		x.Goto(electing)
	}
}

func (n *Node) follow(x *machine.Ctx, c Coordinator) {
	if n.Leader != c.Node {
		n.Leader = c.Node
		x.Send(n.Client, Follows{x.Self(), c.Node})
	}
	x.Goto(following)
}

func (n *Node) tell(x *machine.Ctx) {
	n.Leader = x.Self()
	x.Send(n.Client, Follows{x.Self(), x.Self()})
	n.others(x, func(id machine.ID) {
		if !n.Bugs.has(le4) {
			x.Send(id, Coordinator{x.Self()})
		}
	})
}

// Client gets the leaders of the nodes.
type Client struct{}

var clientKind = machine.Define[Client]("client", machine.In("listening", machine.Ignore(Follows{})))

// NodeAbs is an abstract node: it follows arbitrary nodes, a bounded number of times.
type NodeAbs struct {
	Client machine.ID
	Nodes  []machine.ID
	Left   int
}

var nodeAbsKind = machine.Define[NodeAbs]("node", machine.In("telling", machine.Ignore(smr.Fail{}), machine.Null((*NodeAbs).tell)))

func (n *NodeAbs) tell(x *machine.Ctx) {
	if n.Left == 0 || !x.Flip("changes its mind") {
		n.Left = 0
		return
	}
	n.Left--
	x.Send(n.Client, Follows{x.Self(), n.Nodes[x.Choose("whom it follows", len(n.Nodes))]})
}
