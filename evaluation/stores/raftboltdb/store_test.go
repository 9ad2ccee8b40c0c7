package raftboltdb

import (
	"testing"

	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*raftboltdb.BoltStore] {
	return crashtest.Store[*raftboltdb.BoltStore]{
		Open: func(dir string) (*raftboltdb.BoltStore, error) {
			if err := stores.RemoveTorn(dir + "/raft.db"); err != nil {
				return nil, err
			}
			return raftboltdb.NewBoltStore(dir + "/raft.db")
		},
		Append: func(s *raftboltdb.BoltStore, record string) error {
			last, err := s.LastIndex()
			if err != nil {
				return err
			}
			return s.StoreLog(&raft.Log{Index: last + 1, Term: 1, Data: []byte(record)})
		},
		Records: func(s *raftboltdb.BoltStore) (list []string, err error) {
			first, err := s.FirstIndex()
			if err != nil || first == 0 {
				return nil, err
			}
			last, err := s.LastIndex()
			for i := first; i <= last && err == nil; i++ {
				var l raft.Log
				err = s.GetLog(i, &l)
				list = append(list, string(l.Data))
			}
			return list, err
		},
		Trim: func(s *raftboltdb.BoltStore, n int) error {
			first, err := s.FirstIndex()
			if err != nil {
				return err
			}
			return s.DeleteRange(first, first+uint64(n)-1)
		},
		Clients: 1,
		Close:   (*raftboltdb.BoltStore).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, stores.Nothing) }
