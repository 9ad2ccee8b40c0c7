package etcdraft

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/macemc/macemc/sim"
)

func (n *Node) leads() bool { return n.Role == raft.StateLeader }

func (n *Node) idle() bool { return !n.Client.Waits }

// Campaign is the action in which the node's election time-out expires.
func (n *Node) Campaign(env sim.Env) {
	n.enter(env)
	_ = n.raw.Campaign()
	n.ready(env)
}

// Transfer is the action of a leader that passes the leadership to another member.
func (n *Node) Transfer(env sim.Env) {
	n.enter(env)
	n.raw.TransferLeader(n.Members[env.Choose("new leader", len(n.Members))])
	n.ready(env)
}

// Reconfigure is the action of a leader that removes a member or adds a node again. Raft refuses it while another
// change is in progress.
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

// Write is the action in which the node's client begins a write.
func (n *Node) Write(env sim.Env) { n.begin(env, true) }

// Read is the action in which the node's client begins a read.
func (n *Node) Read(env sim.Env) { n.begin(env, false) }
