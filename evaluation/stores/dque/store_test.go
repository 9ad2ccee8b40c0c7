package dque

import (
	"os"
	"testing"

	"github.com/joncrlsn/dque"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

type item struct{ Text string }

func store() crashtest.Store[*dque.DQue] {
	return crashtest.Store[*dque.DQue]{
		Open: func(dir string) (*dque.DQue, error) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return nil, err
			}
			return dque.NewOrOpen("q", dir, 5, func() any { return &item{} })
		},
		Append: func(q *dque.DQue, record string) error { return q.Enqueue(&item{record}) },
		Take: func(q *dque.DQue) (string, bool, error) {
			v, err := q.Dequeue()
			if err == dque.ErrEmpty {
				return "", false, nil
			}
			if err != nil {
				return "", false, err
			}
			return v.(*item).Text, true, nil
		},
		Close: (*dque.DQue).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "acknowledged records are lost")
}
