package raftwal

import (
	"errors"
	"os"
	"testing"

	"github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*raftwal.WAL] {
	return crashtest.Store[*raftwal.WAL]{
		Open: func(dir string) (*raftwal.WAL, error) {
			if err := os.MkdirAll(dir+"/wal", 0o755); err != nil {
				return nil, err
			}
			return raftwal.Open(dir+"/wal", raftwal.WithSegmentSize(512))
		},
		Append: func(w *raftwal.WAL, record string) error {
			last, err := w.LastIndex()
			if err != nil {
				return err
			}
			return w.StoreLog(&raft.Log{Index: last + 1, Data: []byte(record)})
		},
		Records: func(w *raftwal.WAL) (all []string, err error) {
			first, _ := w.FirstIndex()
			last, _ := w.LastIndex()
			for i := first; i <= last && i > 0; i++ {
				var l raft.Log
				if err := w.GetLog(i, &l); err != nil {
					return nil, err
				}
				all = append(all, string(l.Data))
			}
			return all, nil
		},
		Trim: func(w *raftwal.WAL, n int) error {
			first, err := w.FirstIndex()
			return errors.Join(err, w.DeleteRange(first, first+uint64(n)-1))
		},
		Close: (*raftwal.WAL).Close, Clients: 1,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "Append fails: segment is sealed")
}
