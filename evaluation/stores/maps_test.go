//go:build macemc_overlay

package stores

import (
	"errors"

	"github.com/nutsdb/nutsdb"
	"github.com/rosedblabs/rosedb/v2"
	"github.com/tidwall/buntdb"
	"go.etcd.io/bbolt"

	"github.com/macemc/macemc/crashtest"
)

func bboltMap() crashtest.Store[*bbolt.DB] {
	bucket := []byte("b")
	return crashtest.Store[*bbolt.DB]{
		Open: func(dir string) (*bbolt.DB, error) { return bbolt.Open(dir+"/db", 0o600, nil) },
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

func rosedbMap() crashtest.Store[*rosedb.DB] {
	return crashtest.Store[*rosedb.DB]{
		Open: func(dir string) (*rosedb.DB, error) {
			o := rosedb.DefaultOptions
			o.DirPath, o.Sync = dir+"/db", true
			return rosedb.Open(o)
		},
		Put: func(db *rosedb.DB, key, value string) error { return db.Put([]byte(key), []byte(value)) },
		Get: func(db *rosedb.DB, key string) (string, bool, error) {
			v, err := db.Get([]byte(key))
			if errors.Is(err, rosedb.ErrKeyNotFound) {
				return "", false, nil
			}
			return string(v), err == nil, err
		},
		Close: (*rosedb.DB).Close,
	}
}

func buntdbMap() crashtest.Store[*buntdb.DB] {
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
		Maintain: (*buntdb.DB).Shrink,
		Close:    (*buntdb.DB).Close,
	}
}

func nutsdbMap() crashtest.Store[*nutsdb.DB] {
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
