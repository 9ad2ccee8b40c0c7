package etcdraft

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/macemc/macemc/sim"
)

func (n *Node) leads() bool { return n.Role == raft.StateLeader }

func (n *Node) idle() bool { return !n.Client.Waits }

// Campaign is an action: the node's time-out strikes.
func (n *Node) Campaign(env sim.Env) {
	n.enter(env)
	_ = n.raw.Campaign()
	n.ready(env)
}

// Transfer is an action of a leader, which hands the leadership over to another member.
func (n *Node) Transfer(env sim.Env) {
	n.enter(env)
	n.raw.TransferLeader(n.Members[env.Choose("new leader", len(n.Members))])
	n.ready(env)
}

// Reconfigure is an action of a leader, which removes a member or takes a node in again. Raft refuses that
// while another change is under way.
func (n *Node) Reconfigure(env sim.Env) {
	n.enter(env)
	id, kind := idOf(sim.NodeID(env.Choose("node", env.Nodes()))), raftpb.ConfChangeAddNode
	if n.member(id) {
		kind = raftpb.ConfChangeRemoveNode
	}
	if kind == raftpb.ConfChangeAddNode || len(n.Members) > n.opts.smallest {
		_ = n.raw.ProposeConfChange(&raftpb.ConfChange{Type: kind.Enum(), NodeId: &id})
	}
	n.ready(env)
}

// Write is an action: the node's client begins a write.
func (n *Node) Write(env sim.Env) { n.begin(env, true) }

// Read is an action: the node's client begins a read.
func (n *Node) Read(env sim.Env) { n.begin(env, false) }
