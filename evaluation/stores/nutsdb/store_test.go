package nutsdb

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/nutsdb/nutsdb"
)

func store() crashtest.Store[*nutsdb.DB] {
	return crashtest.Store[*nutsdb.DB]{
		Open: func(dir string) (*nutsdb.DB, error) {
			db, err := nutsdb.Open(nutsdb.DefaultOptions, nutsdb.WithDir(dir+"/db"), nutsdb.WithSyncEnable(true), nutsdb.WithSegmentSize(8192))
			if err == nil {
				err = db.Update(func(tx *nutsdb.Tx) error {
					if tx.ExistBucket(nutsdb.DataStructureBTree, "b") {
						return nil
					}
					return tx.NewBucket(nutsdb.DataStructureBTree, "b")
				})
			}
			return db, err
		},
		Put: func(db *nutsdb.DB, key, value string) error {
			return db.Update(func(tx *nutsdb.Tx) error { return tx.Put("b", []byte(key), []byte(value), 0) })
		},
		Get: func(db *nutsdb.DB, key string) (value string, ok bool, err error) {
			err = db.View(func(tx *nutsdb.Tx) error {
				v, err := tx.Get("b", []byte(key))
				value = string(v)
				return err
			})
			if errors.Is(err, nutsdb.ErrKeyNotFound) {
				return "", false, nil
			}
			return value, err == nil, err
		},
		Close: (*nutsdb.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "acknowledged") }
