// Package sqlmocks has tests of services whose database is a mock.
package sqlmocks

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/DATA-DOG/go-sqlmock"
	"github.com/jackc/pgx/v5"
	"github.com/pashagolub/pgxmock/v4"
)

func newMock(t *testing.T) (*sql.DB, sqlmock.Sqlmock) {
	db, mock, err := sqlmock.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, mock
}

func TestSQLMock(t *testing.T) {
	db, mock := newMock(t)
	mock.ExpectBegin()
	mock.ExpectExec("update users").WithArgs("ann").WillReturnResult(sqlmock.NewResult(0, 1))
	mock.ExpectCommit()
	mock.ExpectClose()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("update users set name = ?", "ann"); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	db.Close()
	if err := mock.ExpectationsWereMet(); err != nil {
		t.Error(err)
	}
}

// report inserts a row in the background, as the service answers.
func report(t *testing.T, wait func(inserted <-chan struct{})) {
	t.Helper()
	db, mock := newMock(t)
	mock.ExpectExec("insert").WillReturnResult(sqlmock.NewResult(1, 1))
	inserted := make(chan struct{})
	go func() {
		defer close(inserted)
		db.Exec("insert into log values (1)")
	}()
	wait(inserted)
	if err := mock.ExpectationsWereMet(); err != nil {
		t.Error(err)
	}
	<-inserted
}

func TestSQLMockDefect(t *testing.T) {
	report(t, func(<-chan struct{}) { time.Sleep(900 * time.Microsecond) })
}

func TestSQLMockMended(t *testing.T) { report(t, func(inserted <-chan struct{}) { <-inserted }) }

func newPool(t *testing.T) pgxmock.PgxPoolIface {
	p, err := pgxmock.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestPGX(t *testing.T) {
	p := newPool(t)
	p.ExpectQuery("select name").WithArgs(1).WillReturnRows(pgxmock.NewRows([]string{"name"}).AddRow("ann"))
	rows, err := p.Query(t.Context(), "select name from users where id = $1", 1)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) != 1 || names[0] != "ann" {
		t.Errorf("got %v, %v", names, err)
	}
	p.ExpectClose()
	p.Close()
	if err := p.ExpectationsWereMet(); err != nil {
		t.Error(err)
	}
}

// pay lets two requests pay one bill, which the mock expects once.
func pay(t *testing.T, request func(p pgxmock.PgxPoolIface, paid *sync.Map) error) {
	t.Helper()
	p := newPool(t)
	p.ExpectExec("update bills").WillReturnResult(pgxmock.NewResult("UPDATE", 1))
	var paid sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			if err := request(p, &paid); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func update(p pgxmock.PgxPoolIface) error {
	_, err := p.Exec(context.Background(), "update bills set paid = true")
	return err
}

func TestPGXDefect(t *testing.T) {
	pay(t, func(p pgxmock.PgxPoolIface, paid *sync.Map) error {
		if _, ok := paid.Load("bill"); ok {
			return nil
		}
		defer paid.Store("bill", true)
		return update(p)
	})
}

func TestPGXMended(t *testing.T) {
	pay(t, func(p pgxmock.PgxPoolIface, paid *sync.Map) error {
		if _, ok := paid.LoadOrStore("bill", true); ok {
			return nil
		}
		return update(p)
	})
}
