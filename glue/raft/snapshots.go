package raft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/hashicorp/raft"

	"github.com/macemc/macemc/sim"
)

// Snapshots is a raft.SnapshotStore on the disk of a node. It keeps the latest two snapshots. A snapshot that was not
// closed does not exist.
type Snapshots struct{ disk sim.Disk }

var _ raft.SnapshotStore = (*Snapshots)(nil)

// NewSnapshots returns a store on a disk. Its keys begin with "raft.snapshot.".
func NewSnapshots(disk sim.Disk) *Snapshots { return &Snapshots{disk} }

const (
	snapshotPrefix = "raft.snapshot."
	metaPrefix     = snapshotPrefix + "meta."
	dataPrefix     = snapshotPrefix + "data."
	keptSnapshots  = 2
)

// Create implements raft.SnapshotStore.
func (s *Snapshots) Create(version raft.SnapshotVersion, index, term uint64, configuration raft.Configuration,
	configurationIndex uint64, _ raft.Transport) (raft.SnapshotSink, error) {
	if version != raft.SnapshotVersionMax {
		return nil, fmt.Errorf("snapshot version %d, want %d", version, raft.SnapshotVersionMax)
	}
	return &sink{store: s, meta: raft.SnapshotMeta{
		Version: version, ID: fmt.Sprintf("%020d-%020d", term, index), Index: index, Term: term,
		Configuration: configuration, ConfigurationIndex: configurationIndex,
	}}, nil
}

// List implements raft.SnapshotStore, latest snapshot first.
func (s *Snapshots) List() ([]*raft.SnapshotMeta, error) {
	keys := s.disk.Keys(metaPrefix)
	slices.Reverse(keys)
	var all []*raft.SnapshotMeta
	for _, key := range keys {
		m, err := s.meta(key)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func (s *Snapshots) meta(key string) (*raft.SnapshotMeta, error) {
	value, ok := s.disk.Get(key)
	if !ok {
		return nil, fmt.Errorf("snapshot %q does not exist", key)
	}
	m := new(raft.SnapshotMeta)
	return m, json.Unmarshal(value, m)
}

// Open implements raft.SnapshotStore.
func (s *Snapshots) Open(id string) (*raft.SnapshotMeta, io.ReadCloser, error) {
	m, err := s.meta(metaPrefix + id)
	if err != nil {
		return nil, nil, err
	}
	data, ok := s.disk.Get(dataPrefix + id)
	if !ok {
		return nil, nil, fmt.Errorf("snapshot %s has no data", id)
	}
	return m, io.NopCloser(bytes.NewReader(data)), nil
}

// sink is a snapshot being written.
type sink struct {
	store *Snapshots
	meta  raft.SnapshotMeta
	data  bytes.Buffer
	done  bool
}

func (s *sink) ID() string                  { return s.meta.ID }
func (s *sink) Write(b []byte) (int, error) { return s.data.Write(b) }
func (s *sink) Cancel() error               { s.done = true; return nil }

func (s *sink) Close() error {
	if s.done {
		return nil
	}
	s.done = true
	s.meta.Size = int64(s.data.Len())
	meta, err := json.Marshal(s.meta)
	if err != nil {
		return err
	}
	d := s.store.disk
	d.Put(dataPrefix+s.meta.ID, s.data.Bytes())
	d.Sync()
	d.Put(metaPrefix+s.meta.ID, meta)
	d.Sync()
	if keys := d.Keys(metaPrefix); len(keys) > keptSnapshots {
		for _, key := range keys[:len(keys)-keptSnapshots] {
			d.Delete(key)
			d.Delete(dataPrefix + key[len(metaPrefix):])
		}
		d.Sync()
	}
	return nil
}
