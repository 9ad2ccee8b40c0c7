package pogreb

import (
	"testing"

	"github.com/akrylysov/pogreb"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*pogreb.DB] {
	return crashtest.Store[*pogreb.DB]{
		Open: func(dir string) (*pogreb.DB, error) {
			return pogreb.Open(dir+"/db", &pogreb.Options{BackgroundSyncInterval: -1})
		},
		Put: func(db *pogreb.DB, key, value string) error { return db.Put([]byte(key), []byte(value)) },
		Get: func(db *pogreb.DB, key string) (string, bool, error) {
			value, err := db.Get([]byte(key))
			return string(value), value != nil, err
		},
		Delete:   func(db *pogreb.DB, key string) error { return db.Delete([]byte(key)) },
		Maintain: func(db *pogreb.DB) error { _, err := db.Compact(); return err },
		Close:    (*pogreb.DB).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "opening index meta: unexpected EOF|acknowledged")
}
