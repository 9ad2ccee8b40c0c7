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

// wal has the index of the last record that was appended, as a raft node has it.
type wal struct {
	*raftwal.WAL
	last uint64
}

func store() crashtest.Store[*wal] {
	return crashtest.Store[*wal]{
		Open: func(dir string) (*wal, error) {
			if err := os.MkdirAll(dir+"/wal", 0o755); err != nil {
				return nil, err
			}
			w, err := raftwal.Open(dir+"/wal", raftwal.WithSegmentSize(64<<10))
			if err != nil {
				return nil, err
			}
			last, err := w.LastIndex()
			return &wal{w, last}, err
		},
		Append: func(w *wal, record string) error {
			err := w.StoreLog(&raft.Log{Index: w.last + 1, Data: []byte(record)})
			if err == nil {
				w.last++
			}
			return err
		},
		Records: func(w *wal) (all []string, err error) {
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
		Trim: func(w *wal, n int) error {
			first, err := w.FirstIndex()
			return errors.Join(err, w.DeleteRange(first, first+uint64(n)-1))
		},
		Clients: 1, DiskErrors: 1,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "Append fails: non-monotonic")
}
