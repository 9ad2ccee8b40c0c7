// Package sqlite has tests of a service with SQLite in pure Go.
package sqlite

import (
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"
)

func open(t *testing.T) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("create table stock (name text primary key, n int); insert into stock values ('tea', 0)"); err != nil {
		t.Fatal(err)
	}
	return db
}

func stock(t *testing.T, db *sql.DB) (n int) {
	if err := db.QueryRow("select n from stock where name = ?", "tea").Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// both executes a function twice at the same time, the second one a little later.
func both(f func()) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			f()
		})
	}
	wg.Wait()
}

func TestSQLite(t *testing.T) {
	db := open(t)
	both(func() {
		if _, err := db.Exec("update stock set n = n + 1"); err != nil {
			t.Error(err)
		}
	})
	if n := stock(t, db); n != 2 {
		t.Errorf("%d in stock", n)
	}
	if _, err := db.Exec("insert into stock values ('tea', 1)"); err == nil {
		t.Error("the key is there twice")
	}
}

func TestSQLiteDefect(t *testing.T) {
	db := open(t)
	both(func() {
		if _, err := db.Exec("update stock set n = ?", stock(t, db)+1); err != nil {
			t.Error(err)
		}
	})
	if n := stock(t, db); n != 2 {
		t.Errorf("%d in stock", n)
	}
}

func TestSQLiteMended(t *testing.T) {
	db := open(t)
	both(func() {
		tx, err := db.Begin()
		if err != nil {
			t.Error(err)
			return
		}
		defer tx.Rollback()
		var n int
		if err := tx.QueryRow("select n from stock").Scan(&n); err != nil {
			t.Error(err)
		}
		tx.Exec("update stock set n = ?", n+1)
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
	})
	if n := stock(t, db); n != 2 {
		t.Errorf("%d in stock", n)
	}
}

type row struct {
	Name string `db:"name"`
	N    int    `db:"n"`
}

func TestSQLX(t *testing.T) {
	db := sqlx.NewDb(open(t), "sqlite")
	both(func() {
		var rows []row
		if err := db.Select(&rows, "select name, n from stock"); err != nil || len(rows) != 1 || rows[0].Name != "tea" {
			t.Errorf("got %v, %v", rows, err)
		}
	})
}

// A request reads while it holds the result of another query. There is one connection.
func TestSQLXDefect(t *testing.T) {
	db := sqlx.NewDb(open(t), "sqlite")
	db.SetMaxOpenConns(2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			rows, err := db.Queryx("select 1")
			if err != nil {
				t.Error(err)
				return
			}
			defer rows.Close()
			for rows.Next() {
				var n int
				if err := db.Get(&n, "select 2"); err != nil || n != 2 {
					t.Errorf("got %d, %v", n, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestSQLXMended(t *testing.T) {
	db := sqlx.NewDb(open(t), "sqlite")
	db.SetMaxOpenConns(2)
	both(func() {
		var ones []int
		if err := db.Select(&ones, "select 1"); err != nil {
			t.Error(err)
		}
		for range ones {
			var n int
			if err := db.Get(&n, "select 2"); err != nil || n != 2 {
				t.Errorf("got %d, %v", n, err)
			}
		}
	})
}
