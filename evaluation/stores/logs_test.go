//go:build macemc_overlay

package stores

import (
	"errors"
	"os"

	"github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
	"github.com/tidwall/wal"

	"github.com/macemc/macemc/crashtest"
)

func tidwallLog() crashtest.Store[*wal.Log] {
	return crashtest.Store[*wal.Log]{
		Open: func(dir string) (*wal.Log, error) { return wal.Open(dir+"/wal", nil) },
		Append: func(l *wal.Log, record string) error {
			last, err := l.LastIndex()
			if err != nil {
				return err
			}
			return l.Write(last+1, []byte(record))
		},
		Records: func(l *wal.Log) (all []string, err error) {
			first, _ := l.FirstIndex()
			last, _ := l.LastIndex()
			for i := first; i <= last && i > 0; i++ {
				b, err := l.Read(i)
				if err != nil {
					return nil, err
				}
				all = append(all, string(b))
			}
			return all, nil
		},
		Trim: func(l *wal.Log, n int) error {
			first, err := l.FirstIndex()
			if err != nil {
				return err
			}
			return l.TruncateFront(first + uint64(n))
		},
		Close:   (*wal.Log).Close,
		Clients: 1,
	}
}

func raftLog() crashtest.Store[*raftwal.WAL] {
	return crashtest.Store[*raftwal.WAL]{
		Open: func(dir string) (*raftwal.WAL, error) {
			if err := os.MkdirAll(dir+"/wal", 0o755); err != nil {
				return nil, err
			}
			return raftwal.Open(dir+"/wal", raftwal.WithSegmentSize(4096))
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
