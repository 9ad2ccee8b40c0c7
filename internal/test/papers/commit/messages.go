package commit

import "github.com/macemc/macemc/machine"

// Status is the result of a transaction or a read.
type Status string

const (
	Success Status = "success"
	Failure Status = "error"
	TimeOut Status = "timeout"
)

// Trans is a transaction: a write of a value.
type Trans struct{ Key, Value, ID int }

type (
	Write struct {
		Client machine.ID
		Trans  Trans
	}
	Written struct {
		ID     int
		Status Status
	}
	Read struct {
		Client machine.ID
		Key    int
	}
	ReadAnswer struct {
		Key, Value int
		Status     Status
	}
	Prepare  struct{ Trans Trans }
	Prepared struct {
		ID     int
		Status Status
	}
	Commit struct{ ID int }
	Abort  struct{ ID int }
	Inform struct{ Coordinator machine.ID }
	late   struct{} // the timer
)
