package twophase

import "github.com/macemc/macemc/sim"

// Outcome is what becomes of the transaction, as far as a node knows.
type Outcome uint8

const (
	Undecided Outcome = iota
	Committed
	Aborted
)

func (o Outcome) String() string { return [...]string{"undecided", "committed", "aborted"}[o] }

// record is the key of what a node has on disk: an outcome, or that a participant is prepared.
const record = "transaction"

// prepared stands on the disk of a participant that has voted yes.
const prepared = "prepared"

func save(env sim.Env, what string) {
	env.Disk().Put(record, []byte(what))
	env.Disk().Sync()
}

// saved returns what is on disk; "" when nothing is.
func saved(env sim.Env) string {
	value, _ := env.Disk().Get(record)
	return string(value)
}
