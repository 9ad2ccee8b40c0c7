package goleveldb

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

func store() crashtest.Store[*leveldb.DB] {
	sync := &opt.WriteOptions{Sync: true}
	return crashtest.Store[*leveldb.DB]{
		Open: func(dir string) (*leveldb.DB, error) {
			return leveldb.OpenFile(dir+"/db", &opt.Options{WriteBuffer: 1000})
		},
		Put: func(db *leveldb.DB, key, value string) error { return db.Put([]byte(key), []byte(value), sync) },
		Get: func(db *leveldb.DB, key string) (string, bool, error) {
			v, err := db.Get([]byte(key), nil)
			if err == leveldb.ErrNotFound {
				return "", false, nil
			}
			return string(v), err == nil, err
		},
		Close: (*leveldb.DB).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "the store does not open: leveldb: manifest corrupted")
}
