package overcast

import (
	"encoding/binary"

	"github.com/macemc/macemc/sim"
)

// join asks the root for a place in the tree.
func (n *Node) join(env sim.Env) {
	n.State = Joining
	// If the send buffer refuses the Join the timer tries again.
	_ = env.Stream(Root).Send(Join{Source: n.self, Last: n.Round})
	env.SetTimer(joinTimer{}, joinPeriod)
}

// joinAsked takes a joiner, or passes its Join on. A node that takes part in a probe does neither; the joiner's
// timer tries again.
func (n *Node) joinAsked(env sim.Env, from sim.NodeID, m Join) {
	if !n.free() || n.self != Root && from != n.Parent {
		return
	}
	if n.self == Root {
		m.Round = max(n.Round, m.Last+1)
	}
	n.learnRound(env, m.Round)
	switch {
	case n.Children.Has(m.Source):
		// Its acceptance is in flight.
	case n.Children.Len() < n.degree:
		n.accept(env, m.Source)
	default:
		m.Round = n.Round
		child := n.Children.At(env.Choose("child to join", n.Children.Len()))
		_ = env.Stream(child).Send(m)
	}
}

// free reports whether the node may change its parent or its children: it has joined, and neither probes nor is
// probed.
func (n *Node) free() bool { return n.State == Joined && n.Holder == None && n.probe.of == 0 }

// accept takes a child, unless the message to it is refused.
func (n *Node) accept(env sim.Env, child sim.NodeID) {
	if env.Stream(child).Send(Accept{n.Round}) == nil {
		n.Children = n.Children.With(child)
	}
}

// accepted handles an Accept. The node takes the sender as its parent only if the sender knows a later round, see
// the documentation of the package.
func (n *Node) accepted(env sim.Env, from sim.NodeID, m Accept) {
	wanted := n.State == Joining || n.State == Joined && n.probe.target == from && n.probe.of != 0
	switch {
	case from == n.Parent:
	case wanted && m.Round > n.Round:
		n.setParent(env, from, m.Round)
	default:
		n.sendRemove(env, from)
	}
}

func (n *Node) setParent(env sim.Env, parent sim.NodeID, round uint64) {
	old := n.Parent
	n.Parent = parent
	n.learnRound(env, round)
	n.owedRemove = n.owedRemove.Without(parent)
	if old != None {
		n.sendRemove(env, old)
	}
	if n.State == Joining {
		n.State = Joined
		env.StopTimer(joinTimer{})
	}
	n.endProbe(env)
}

// sendRemove tells a peer that this node is not its child.
func (n *Node) sendRemove(env sim.Env, peer sim.NodeID) {
	if env.Stream(peer).Send(Remove{}) != nil {
		n.owedRemove = n.owedRemove.With(peer)
	}
}

// tellChildren offers the children other parents. The root begins a round.
func (n *Node) tellChildren(env sim.Env) {
	if n.State != Joined {
		return
	}
	if n.self == Root {
		n.learnRound(env, n.Round+1)
	}
	for child := range n.Children.All() {
		_ = env.Stream(child).Send(Reorganise{n.Round, n.Children.Without(child), n.Parent}) // the next period repeats it
	}
}

const roundKey = "round"

// learnRound records a round. It is on disk before this node sends it.
func (n *Node) learnRound(env sim.Env, round uint64) {
	if round > n.Round {
		n.Round = round
		env.Disk().Put(roundKey, binary.AppendUvarint(nil, round))
		env.Disk().Sync()
	}
}

func (n *Node) loadRound(env sim.Env) {
	b, _ := env.Disk().Get(roundKey)
	n.Round, _ = binary.Uvarint(b)
}
