package diskqueue

import (
	"testing"
	"time"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/nsqio/go-diskqueue"
)

func store() crashtest.Store[diskqueue.Interface] {
	return crashtest.Store[diskqueue.Interface]{
		Open: func(dir string) (diskqueue.Interface, error) {
			return diskqueue.New("q", dir, 2000, 1, 1<<20, 1, time.Second, func(diskqueue.LogLevel, string, ...any) {}), nil
		},
		Append: func(q diskqueue.Interface, record string) error { return q.Put([]byte(record)) },
		Take: func(q diskqueue.Interface) (string, bool, error) {
			if q.Depth() == 0 {
				return "", false, nil
			}
			return string(<-q.ReadChan()), true, nil
		},
		Close: diskqueue.Interface.Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "acknowledged records are lost")
}
