package rosedbwal

import (
	"io"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/rosedblabs/wal"
)

func store() crashtest.Store[*wal.WAL] {
	return crashtest.Store[*wal.WAL]{
		Open: func(dir string) (*wal.WAL, error) {
			o := wal.DefaultOptions
			o.DirPath, o.Sync, o.SegmentSize = dir+"/wal", true, 3000
			return wal.Open(o)
		},
		Append: func(w *wal.WAL, record string) error { _, err := w.Write([]byte(record)); return err },
		Records: func(w *wal.WAL) (list []string, err error) {
			for r := w.NewReader(); ; {
				record, _, err := r.Next()
				if err == io.EOF {
					return list, nil
				}
				if err != nil {
					return nil, err
				}
				list = append(list, string(record))
			}
		},
		Close: (*wal.WAL).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "invalid crc, the data may be corrupted|acknowledged")
}
