package buntdb

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/tidwall/buntdb"
)

func store() crashtest.Store[*buntdb.DB] {
	return crashtest.Store[*buntdb.DB]{
		Open: func(dir string) (*buntdb.DB, error) {
			db, err := buntdb.Open(dir + "/db")
			if err == nil {
				err = db.SetConfig(buntdb.Config{SyncPolicy: buntdb.Always})
			}
			return db, err
		},
		Put: func(db *buntdb.DB, key, value string) error {
			return db.Update(func(tx *buntdb.Tx) error { _, _, err := tx.Set(key, value, nil); return err })
		},
		Get: func(db *buntdb.DB, key string) (value string, ok bool, err error) {
			err = db.View(func(tx *buntdb.Tx) error { value, err = tx.Get(key); return err })
			if err == buntdb.ErrNotFound {
				return "", false, nil
			}
			return value, err == nil, err
		},
		Close: (*buntdb.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "the store does not open") }
