package raft

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/raft"

	"github.com/macemc/macemc/sim"
)

// Store is a raft.LogStore and raft.StableStore on the disk of a node. It syncs every write before returning.
type Store struct{ disk sim.Disk }

var (
	_ raft.LogStore    = (*Store)(nil)
	_ raft.StableStore = (*Store)(nil)
)

// NewStore returns a store on a disk. Its keys begin with "raft.log." and "raft.set.".
func NewStore(disk sim.Disk) *Store { return &Store{disk} }

const (
	logPrefix = "raft.log."
	setPrefix = "raft.set."
)

// logKey returns a key that orders like its index.
func logKey(index uint64) string { return fmt.Sprintf("%s%020d", logPrefix, index) }

func (s *Store) indexes() ([]uint64, error) {
	var all []uint64
	for _, key := range s.disk.Keys(logPrefix) {
		i, err := strconv.ParseUint(key[len(logPrefix):], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("key %q on the disk: %w", key, err)
		}
		all = append(all, i)
	}
	return all, nil
}

// FirstIndex implements raft.LogStore.
func (s *Store) FirstIndex() (uint64, error) {
	all, err := s.indexes()
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0], nil
}

// LastIndex implements raft.LogStore.
func (s *Store) LastIndex() (uint64, error) {
	all, err := s.indexes()
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[len(all)-1], nil
}

// GetLog implements raft.LogStore.
func (s *Store) GetLog(index uint64, log *raft.Log) error {
	value, ok := s.disk.Get(logKey(index))
	if !ok {
		return raft.ErrLogNotFound
	}
	return json.Unmarshal(value, log)
}

// StoreLog implements raft.LogStore.
func (s *Store) StoreLog(log *raft.Log) error { return s.StoreLogs([]*raft.Log{log}) }

// StoreLogs implements raft.LogStore.
func (s *Store) StoreLogs(logs []*raft.Log) error {
	for _, log := range logs {
		value, err := json.Marshal(log)
		if err != nil {
			return err
		}
		s.disk.Put(logKey(log.Index), value)
	}
	s.disk.Sync()
	return nil
}

// DeleteRange implements raft.LogStore.
func (s *Store) DeleteRange(first, last uint64) error {
	all, err := s.indexes()
	if err != nil {
		return err
	}
	for _, i := range all {
		if first <= i && i <= last {
			s.disk.Delete(logKey(i))
		}
	}
	s.disk.Sync()
	return nil
}

// errNotFound has the text that raft expects for a missing key.
var errNotFound = errors.New("not found")

// Set implements raft.StableStore.
func (s *Store) Set(key, value []byte) error {
	s.disk.Put(setPrefix+string(key), value)
	s.disk.Sync()
	return nil
}

// Get implements raft.StableStore.
func (s *Store) Get(key []byte) ([]byte, error) {
	value, ok := s.disk.Get(setPrefix + string(key))
	if !ok {
		return nil, errNotFound
	}
	return value, nil
}

// SetUint64 implements raft.StableStore.
func (s *Store) SetUint64(key []byte, value uint64) error {
	return s.Set(key, binary.BigEndian.AppendUint64(nil, value))
}

// GetUint64 implements raft.StableStore.
func (s *Store) GetUint64(key []byte) (uint64, error) {
	value, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	if len(value) != 8 {
		return 0, fmt.Errorf("the value of %q has %d bytes, not 8", key, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}
