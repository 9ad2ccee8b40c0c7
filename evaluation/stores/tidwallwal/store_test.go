package tidwallwal

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/tidwall/wal"
)

func store() crashtest.Store[*wal.Log] {
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

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "the store does not open: log corrupt")
}
