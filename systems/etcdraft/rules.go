package etcdraft

import (
	"go.etcd.io/raft/v3"
	"google.golang.org/protobuf/proto"

	"github.com/macemc/macemc/sim"
)

// rules returns the rules for the state in raft's own types.
func rules() []sim.StateRule {
	return []sim.StateRule{
		// The role determines these functions, and they are always bound to the same raft.
		sim.MethodByName[raft.RawNode]("raft.tick"),
		sim.MethodByName[raft.RawNode]("raft.step"),
		// Drawn from a global source at every change of the role. Ticks never reach it, so it has no effect.
		sim.IgnoreField[raft.RawNode]("raft.randomizedElectionTimeout"),
		sim.IgnoreField[raft.RawNode]("raft.electionElapsed"),
		// Counts reads.
		sim.IgnoreField[raft.MemoryStorage]("callStats"),
		// Messages contain caches that even reads change.
		sim.EncodeBy(encode),
		sim.CopyBy(func(m proto.Message) proto.Message { return proto.Clone(m) }),
		sim.ShowBy(show),
	}
}
