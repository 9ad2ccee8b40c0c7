package gkvlite

import (
	"os"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/steveyen/gkvlite"
)

// db is a store with its file, which its user syncs.
type db struct {
	file  *os.File
	store *gkvlite.Store
	c     *gkvlite.Collection
}

func (d *db) flush(err error) error {
	if err == nil {
		err = d.store.Flush()
	}
	if err == nil {
		err = d.file.Sync()
	}
	return err
}

func store() crashtest.Store[*db] {
	return crashtest.Store[*db]{
		Open: func(dir string) (*db, error) {
			f, err := os.OpenFile(dir+"/db", os.O_CREATE|os.O_RDWR, 0o600)
			if err != nil {
				return nil, err
			}
			s, err := gkvlite.NewStore(f)
			if err != nil {
				return nil, err
			}
			c := s.GetCollection("c")
			if c == nil {
				c = s.SetCollection("c", nil)
			}
			return &db{f, s, c}, nil
		},
		Put: func(d *db, key, value string) error { return d.flush(d.c.Set([]byte(key), []byte(value))) },
		Get: func(d *db, key string) (string, bool, error) {
			v, err := d.c.Get([]byte(key))
			return string(v), v != nil, err
		},
		Delete: func(d *db, key string) error { _, err := d.c.Delete([]byte(key)); return d.flush(err) },
		Close:  func(d *db) error { d.store.Close(); return d.file.Close() },

		Clients: 1,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "couldn't find roots; file corrupted or wrong\\?")
}
