package gossip

import (
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// None means no node.
const None = nodeset.None

const (
	period  = time.Second
	ackWait = period / 2
)

// Node is the service of one node.
type Node struct {
	// Members holds the node's belief about every node, itself included.
	Members []Member
	// Born is the incarnation in which the node booted.
	Born int
	// Out means that the node has left permanently and is silent: dead nodes do not come back, and it was declared dead
	// or has crashed.
	Out bool
	// Probed is the node from which an answer is awaited, or None. Nothing new has been learned about it since it was
	// pinged, except that others suspect it.
	Probed sim.NodeID

	self   sim.NodeID
	config config
}

// config holds the values of the parameters.
type config struct {
	indirect  int // number of nodes asked to ping a node that does not answer
	suspicion int // periods until a suspect is declared dead; 0 means no suspects
	carry     int // updates that a message carries
	rejoin    bool
	bugs      bugs
}

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	n.self, n.Probed = env.Self(), None
	n.Members = make([]Member, env.Nodes())
	n.Born = load(env)
	n.incarnate(env, n.Born)
	if n.Born > 0 && !n.config.rejoin {
		n.Out = true
		return
	}
	env.SetTimer(periodTimer{}, period)
}

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	if n.Out {
		return
	}
	switch m := msg.(type) {
	case Ping:
		if n.hear(env, from, m.News) {
			env.Send(from, Ack{m.For, n.news(from)})
		}
	case Ack:
		if !n.hear(env, from, m.News) {
			return
		}
		switch {
		case m.For == None:
			n.answered(env, from)
		case !n.config.bugs.has(gs3):
			env.Send(m.For, Relayed{from, m.News.Incarnation, n.news(m.For)})
		}
	case PingReq:
		if n.hear(env, from, m.News) {
			env.Send(m.Target, Ping{from, n.news(m.Target)})
		}
	case Relayed:
		if n.hear(env, from, m.News) {
			n.learn(env, Update{m.Target, Alive, m.Incarnation})
			n.answered(env, m.Target)
		}
	}
}

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	switch t := t.(type) {
	case periodTimer:
		n.endProbe(env)
		env.SetTimer(periodTimer{}, period)
		n.beginProbe(env)
	case ackTimer:
		n.askOthers(env)
	case suspicionTimer:
		n.learn(env, Update{t.Node, Dead, n.Members[t.Node].Incarnation})
	}
}
