package etcdraft

import (
	"encoding/hex"
	"math"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/macemc/macemc/sim"
)

// Node is one member: raft, its log on the node's disk, a replicated store of registers, and a client.
type Node struct {
	sim.Nop

	// Raft's status after each event.
	Role    raft.StateType
	Term    uint64
	Lead    uint64
	Commit  uint64
	Members []uint64 // voters of the last applied configuration

	Applied uint64 // index of the last entry that the store has applied
	Store   Store
	Client  Client

	raw   *raft.RawNode
	disk  *raft.MemoryStorage // raft's view of the node's disk
	log   []*raftpb.Entry     `macemc:"-"` // of disk
	armed any                 // election{} or heartbeat{}; nil if neither
	quiet int                 // number of times that the election timer has fired without a message from a leader
	out   logger              `macemc:"-"`
	opts  *options            `macemc:"-"`
}

// idOf returns the node's name within raft, which reserves 0.
func idOf(id sim.NodeID) uint64 { return uint64(id) + 1 }

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	n.enter(env)
	n.disk = load(env.Disk(), n.opts.voters)
	n.log = entriesOf(n.disk)
	n.Members = n.opts.voters
	n.Store = newStore(env.Nodes(), n.opts.keys)
	raw, err := raft.NewRawNode(&raft.Config{
		ID: idOf(env.Self()), Storage: n.disk, Logger: &n.out,
		ElectionTick: never, HeartbeatTick: 1,
		MaxSizePerMsg: math.MaxUint64, MaxInflightMsgs: 64,
		PreVote: n.opts.preVote, StepDownOnRemoval: n.opts.stepDown,
	})
	if err != nil {
		panic(err)
	}
	n.raw = raw
	n.ready(env)
}

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, _ sim.NodeID, msg any) {
	n.enter(env)
	m := msg.(*raftpb.Message)
	_ = n.raw.Step(m) // an error means that the message is obsolete
	n.ready(env)
	if m.GetFrom() == n.Lead {
		n.quiet = 0
	}
}

// enter begins a handler, ready ends it.
func (n *Node) enter(env sim.Env) { n.out.to = env.Log() }

// ready executes the operations that raft requests, in the order that its documentation demands.
func (n *Node) ready(env sim.Env) {
	for n.raw.HasReady() {
		rd := n.raw.Ready()
		if n.opts.bugs.has(er1) {
			send(env, rd.Messages)
		}
		n.persist(env.Disk(), rd)
		if rd.SoftState != nil && rd.RaftState == raft.StateLeader {
			env.Announce(n.elected())
		}
		if !n.opts.bugs.has(er1) {
			send(env, rd.Messages)
		}
		if n.opts.bugs.has(er3) {
			n.apply(env, rd.Entries)
		}
		n.apply(env, rd.CommittedEntries)
		for _, r := range rd.ReadStates {
			n.confirmed(r)
		}
		n.finish(env)
		n.raw.Advance(rd)
	}
	s := n.raw.BasicStatus()
	n.Role, n.Lead, n.Term, n.Commit = s.RaftState, s.Lead, s.GetTerm(), s.GetCommit()
	n.arm(env)
}

func send(env sim.Env, msgs []*raftpb.Message) {
	for _, m := range msgs {
		env.Send(sim.NodeID(m.GetTo()-1), m)
	}
}

// apply applies entries in order. After a restart raft passes all committed entries again, because the applied state is
// not on disk.
func (n *Node) apply(env sim.Env, entries []*raftpb.Entry) {
	for _, e := range entries {
		if e.GetIndex() <= n.Applied {
			continue
		}
		n.Applied = e.GetIndex()
		env.Announce(Applied{Index: e.GetIndex(), Term: e.GetTerm(), By: n.raw.BasicStatus().GetTerm(), Data: hex.EncodeToString(e.GetData())})
		switch {
		case e.GetType() == raftpb.EntryConfChange:
			change := new(raftpb.ConfChange)
			decode(e.GetData(), change)
			n.Members = n.raw.ApplyConfChange(change).GetVoters()
		case len(e.GetData()) > 0: // otherwise a leader's first entry
			n.Store.apply(decodeOp(e.GetData()))
		}
	}
}
