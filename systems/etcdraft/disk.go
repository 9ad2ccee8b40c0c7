package etcdraft

import (
	"fmt"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/macemc/macemc/sim"
)

// The disk holds the hard state and the log, one key per entry.
const (
	hardKey  = "hard"
	entryKey = "log/"
)

func keyOf(index uint64) string { return fmt.Sprintf("%s%08d", entryKey, index) }

// load returns raft's storage at its start. Before the first entry the voters are the members.
func load(disk sim.Disk, voters []uint64) *raft.MemoryStorage {
	store := raft.NewMemoryStorage()
	must(store.ApplySnapshot(&raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{ConfState: &raftpb.ConfState{Voters: voters}}}))
	if data, ok := disk.Get(hardKey); ok {
		hard := new(raftpb.HardState)
		decode(data, hard)
		must(store.SetHardState(hard))
	}
	for _, key := range disk.Keys(entryKey) {
		data, _ := disk.Get(key)
		entry := new(raftpb.Entry)
		decode(data, entry)
		must(store.Append([]*raftpb.Entry{entry}))
	}
	return store
}

// entriesOf returns the log. Entries are never changed.
func entriesOf(store *raft.MemoryStorage) []*raftpb.Entry {
	last, _ := store.LastIndex()
	log, _ := store.Entries(1, last+1, never)
	return log
}

// persist writes the state that raft requires on disk before it is visible to others.
func (n *Node) persist(disk sim.Disk, rd raft.Ready) {
	if len(rd.Entries) > 0 {
		// Replaced entries are deleted first, from the last one on, so that a crash leaves a log.
		last, _ := n.disk.LastIndex()
		for i := last; i >= rd.Entries[0].GetIndex(); i-- {
			disk.Delete(keyOf(i))
		}
		for _, e := range rd.Entries {
			disk.Put(keyOf(e.GetIndex()), encode(nil, e))
		}
		must(n.disk.Append(rd.Entries))
		n.log = entriesOf(n.disk)
	}
	if !raft.IsEmptyHardState(rd.HardState) && !n.opts.bugs.has(er2) {
		disk.Put(hardKey, encode(nil, rd.HardState))
		must(n.disk.SetHardState(rd.HardState))
	}
	if rd.MustSync {
		disk.Sync()
	}
}

// encode appends the canonical encoding of m.
func encode(dst []byte, m proto.Message) []byte {
	dst, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
	must(err)
	return dst
}

func decode(data []byte, m proto.Message) { must(proto.Unmarshal(data, m)) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
