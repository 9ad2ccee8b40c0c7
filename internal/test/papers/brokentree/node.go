package brokentree

import (
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

const (
	// Root is the node through which all others join.
	Root sim.NodeID = 0
	// None stands for no node.
	None = nodeset.None
)

const (
	joinPeriod       = 2 * time.Second
	reorganisePeriod = 5 * time.Second
)

// State is the progress of a node.
type State uint8

const (
	Init    State = iota // has booted; not asked to join
	Joining              // searches for a parent
	Joined               // has a parent, or is the root
)

func (s State) String() string { return [...]string{"init", "joining", "joined"}[s] }

// Node is the service of one node.
type Node struct {
	State State
	// Parent is None for the root and while joining.
	Parent   sim.NodeID
	Children nodeset.Set
	// Asked is the node that has not answered a Join, or None.
	Asked sim.NodeID

	self   sim.NodeID
	degree int // maximum number of children
	bugs   bugs
}

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	n.self = env.Self()
	n.Parent, n.Asked = None, None
}

// JoinOverlay makes the node join the tree. It must be in [Init].
func (n *Node) JoinOverlay(env sim.Env) {
	env.SetTimer(reorganiseTimer{}, reorganisePeriod)
	if n.self == Root {
		n.State = Joined
		return
	}
	n.join(env)
}

// join searches for a parent.
func (n *Node) join(env sim.Env) {
	n.State = Joining
	env.SetTimer(joinTimer{}, joinPeriod)
	n.ask(env, Root)
}

// ask asks target to take the node.
func (n *Node) ask(env sim.Env, target sim.NodeID) {
	n.Asked = target
	n.forward(env, Join{Source: n.self})
}

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Join:
		n.forward(env, m)
	case JoinReply:
		n.answered(env, from, m)
	case Remove:
		n.Children = n.Children.Without(from)
	case Reorganise:
		if n.State == Joined && from == n.Parent {
			n.reorganise(env, m)
		}
	}
}

// forward handles a Join at every node on its way, first at the joiner.
func (n *Node) forward(env sim.Env, m Join) {
	switch {
	case n.State == Init:
		// The joiner's timer tries again.
	case m.Source == n.self && !n.bugs.has(bt1):
		_ = env.Stream(n.Asked).Send(m)
	case n.Children.Has(m.Source):
		// Its acceptance is in flight.
	case m.Source == n.Asked && !n.bugs.has(bt2):
		_ = env.Stream(m.Source).Send(JoinReply{Accepted: false})
	case n.Children.Len() < n.degree:
		if env.Stream(m.Source).Send(JoinReply{Accepted: true}) == nil {
			n.Children = n.Children.With(m.Source)
		}
	default:
		child := n.Children.At(env.Choose("child to join", n.Children.Len()))
		_ = env.Stream(child).Send(m)
	}
}

// answered handles the reply to a Join of this node.
func (n *Node) answered(env sim.Env, from sim.NodeID, m JoinReply) {
	switch {
	case !m.Accepted:
		if from == n.Asked {
			n.Asked = None
		}
	case n.Asked != None:
		n.setParent(env, from)
	case from != n.Parent:
		_ = env.Stream(from).Send(Remove{}) // another node was faster, or this one has restarted
	}
}

func (n *Node) setParent(env sim.Env, parent sim.NodeID) {
	if n.Parent != None && n.Parent != parent {
		_ = env.Stream(n.Parent).Send(Remove{})
	}
	n.State, n.Parent, n.Asked = Joined, parent, None
	env.StopTimer(joinTimer{})
}

// reorganise may move the node to a sibling or the grandparent. In a loop the node can be its own grandparent.
func (n *Node) reorganise(env sim.Env, m Reorganise) {
	places := m.Siblings &^ n.Children
	if m.Grandparent != None {
		places = places.With(m.Grandparent)
	}
	places = places.Without(n.self)
	if pick := env.Choose("stay or move", 1+places.Len()); pick > 0 {
		n.ask(env, places.At(pick-1))
	}
}

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	switch t.(type) {
	case joinTimer:
		n.join(env)
	case reorganiseTimer:
		env.SetTimer(reorganiseTimer{}, reorganisePeriod)
		for child := range n.Children.All() {
			_ = env.Stream(child).Send(Reorganise{n.Children.Without(child), n.Parent})
		}
	}
}

// PeerError implements [sim.PeerErrorHandler].
func (n *Node) PeerError(env sim.Env, peer sim.NodeID, _ error) {
	n.Children = n.Children.Without(peer)
	switch {
	case peer == n.Parent:
		n.Parent = None
		n.join(env)
	case peer == n.Asked && n.State == Joined:
		n.Asked = None
	}
}
