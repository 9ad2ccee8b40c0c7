package goque

import (
	"testing"

	"github.com/beeker1121/goque"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*goque.Queue] {
	return crashtest.Store[*goque.Queue]{
		Open:   func(dir string) (*goque.Queue, error) { return goque.OpenQueue(dir + "/q") },
		Append: func(q *goque.Queue, record string) error { _, err := q.EnqueueString(record); return err },
		Take: func(q *goque.Queue) (string, bool, error) {
			v, err := q.Dequeue()
			if err == goque.ErrEmpty {
				return "", false, nil
			}
			if err != nil {
				return "", false, err
			}
			return v.ToString(), true, nil
		},
		Close: (*goque.Queue).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "acknowledged records are lost|leveldb: manifest corrupted")
}
