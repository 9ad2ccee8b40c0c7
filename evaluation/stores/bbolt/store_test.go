package bbolt

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"go.etcd.io/bbolt"
)

func store() crashtest.Store[*bbolt.DB] {
	bucket := []byte("b")
	return crashtest.Store[*bbolt.DB]{
		Open: func(dir string) (*bbolt.DB, error) {
			if err := stores.RemoveTorn(dir + "/db"); err != nil {
				return nil, err
			}
			return bbolt.Open(dir+"/db", 0o600, nil)
		},
		Put: func(db *bbolt.DB, key, value string) error {
			return db.Update(func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucketIfNotExists(bucket)
				if err != nil {
					return err
				}
				return b.Put([]byte(key), []byte(value))
			})
		},
		Get: func(db *bbolt.DB, key string) (value string, ok bool, err error) {
			err = db.View(func(tx *bbolt.Tx) error {
				if b := tx.Bucket(bucket); b != nil {
					v := b.Get([]byte(key))
					value, ok = string(v), v != nil
				}
				return nil
			})
			return value, ok, err
		},
		Close: (*bbolt.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, stores.Nothing) }
