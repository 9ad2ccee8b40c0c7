package twophase

import "github.com/macemc/macemc/sim"

// Outcome is the outcome of the transaction in a node's view.
type Outcome uint8

const (
	Undecided Outcome = iota
	Committed
	Aborted
)

func (o Outcome) String() string { return [...]string{"undecided", "committed", "aborted"}[o] }

// record is the key of a node's record on disk: an outcome, or that a participant is prepared.
const record = "transaction"

// prepared is the record of a participant that has voted yes.
const prepared = "prepared"

func save(env sim.Env, what string) {
	env.Disk().Put(record, []byte(what))
	env.Disk().Sync()
}

// saved returns the record on disk, or an empty string.
func saved(env sim.Env) string {
	value, _ := env.Disk().Get(record)
	return string(value)
}
