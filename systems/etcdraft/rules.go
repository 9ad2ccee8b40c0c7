package etcdraft

import (
	"go.etcd.io/raft/v3"
	"google.golang.org/protobuf/proto"

	"github.com/macemc/macemc/sim"
)

// rules say what of raft's own types is state.
func rules() []sim.StateRule {
	return []sim.StateRule{
		// The role decides which functions these are, and they are bound to the same raft always.
		sim.MethodByName[raft.RawNode]("raft.tick"),
		sim.MethodByName[raft.RawNode]("raft.step"),
		// Drawn from a global source, at every change of the role. Ticks never get there, nor does their number.
		sim.IgnoreField[raft.RawNode]("raft.randomizedElectionTimeout"),
		sim.IgnoreField[raft.RawNode]("raft.electionElapsed"),
		// Counts who reads it.
		sim.IgnoreField[raft.MemoryStorage]("callStats"),
		// Messages keep notes about themselves, and change them even when they are only looked at.
		sim.EncodeBy(encode),
		sim.CopyBy(func(m proto.Message) proto.Message { return proto.Clone(m) }),
		sim.ShowBy(show),
	}
}
