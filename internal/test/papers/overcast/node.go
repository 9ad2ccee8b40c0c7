package overcast

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
	probeLimit       = 5 * time.Second
	lease            = 10 * time.Second
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
	// Round is the latest round of the root that the node knows. It never decreases, not even by a crash of the
	// node.
	Round uint64
	// Holder is the node that has locked this one, or None.
	Holder sim.NodeID

	probe probe // the node's own

	// Peers for which the send buffer had no room for a Remove, and for an Unlock.
	owedRemove, owedUnlock nodeset.Set

	self   sim.NodeID
	degree int // maximum number of children
	train  int // messages of a probe
	bugs   bugs
}

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	n.self = env.Self()
	n.Parent, n.Holder = None, None
	n.loadRound(env)
}

// JoinOverlay makes the node join the tree. It must be in [Init].
func (n *Node) JoinOverlay(env sim.Env) {
	env.SetTimer(reorganiseTimer{}, reorganisePeriod)
	if n.self == Root {
		n.State = Joined
		n.learnRound(env, n.Round+1)
		return
	}
	n.join(env)
}

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Join:
		n.joinAsked(env, from, m)
	case Accept:
		n.accepted(env, from, m)
	case Remove:
		n.Children = n.Children.Without(from)
	case Reorganise:
		n.reorganise(env, from, m)
	case Lock:
		n.lockAsked(env, from, m)
	case Locked:
		n.locked(env, from)
	case Refused:
		n.refused(env, from)
	case Unlock:
		if n.Holder == from {
			n.release(env)
		}
	case Probe:
		if m.Last {
			_ = env.Stream(from).Send(Probed{}) // otherwise the prober gives up by its timer
		}
	case Probed:
		n.probed(env, from)
	case Move:
		n.moveAsked(env, from)
	}
}

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	switch t.(type) {
	case joinTimer:
		n.join(env)
	case reorganiseTimer:
		env.SetTimer(reorganiseTimer{}, reorganisePeriod)
		n.tellChildren(env)
	case probeTimer:
		n.endProbe(env)
	case leaseTimer:
		n.Holder = None
	}
}

// PeerReady implements [sim.PeerReadyHandler]. It sends the refused messages.
func (n *Node) PeerReady(env sim.Env, peer sim.NodeID) {
	if n.owedUnlock.Has(peer) {
		n.owedUnlock = n.owedUnlock.Without(peer)
		n.unlock(env, peer)
	}
	if n.owedRemove.Has(peer) {
		n.owedRemove = n.owedRemove.Without(peer)
		n.sendRemove(env, peer)
	}
}

// PeerError implements [sim.PeerErrorHandler]. The peer gets the error, too, or is down, so each side drops its
// shared state.
func (n *Node) PeerError(env sim.Env, peer sim.NodeID, _ error) {
	n.owedRemove = n.owedRemove.Without(peer)
	n.owedUnlock = n.owedUnlock.Without(peer)
	n.Children = n.Children.Without(peer)
	if n.Holder == peer && !n.bugs.has(ov1) {
		n.release(env)
	}
	n.refused(env, peer)
	if n.Parent == peer {
		n.Parent = None
		n.join(env)
	}
}
