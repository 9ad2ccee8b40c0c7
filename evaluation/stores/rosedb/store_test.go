package rosedb

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/rosedblabs/rosedb/v2"
)

func store() crashtest.Store[*rosedb.DB] {
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

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "acknowledged") }
