package sqlite

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	_ "modernc.org/sqlite"
)

func store() crashtest.Store[*sql.DB] {
	return crashtest.Store[*sql.DB]{
		Open: func(dir string) (*sql.DB, error) {
			db, err := sql.Open("sqlite", dir+"/db.sqlite?_pragma=busy_timeout(1000)")
			if err == nil {
				db.SetMaxOpenConns(1)
				_, err = db.Exec("create table if not exists t (k text primary key, v text)")
			}
			return db, err
		},
		Put: func(db *sql.DB, key, value string) error {
			_, err := db.Exec("insert or replace into t values (?, ?)", key, value)
			return err
		},
		Get: func(db *sql.DB, key string) (value string, ok bool, err error) {
			err = db.QueryRow("select v from t where k = ?", key).Scan(&value)
			if errors.Is(err, sql.ErrNoRows) {
				return "", false, nil
			}
			return value, err == nil, err
		},
		Close: (*sql.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "acknowledged") }
