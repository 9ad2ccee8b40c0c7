package mdb_test

import (
	"context"
	"os"

	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/systems/pingack"
)

// A session at the first state of a system. The commands make events happen, and show the result.
func ExampleBatch() {
	session, err := mdb.Open(mdb.Config{System: &pingack.System})
	if err != nil {
		panic(err)
	}
	if err := mdb.Batch(context.Background(), session, []string{"options", "take 0", "messages"}, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// (mdb) options
	//     0  n0 ping
	// (mdb) take 0
	// branch1 step 1 of 1: n0 ping  [../systems/pingack/pingack.go:24]
	//   n0.Sent  0 -> 1
	//   n0.(timer resend{})  none -> in 1s
	//   n0.(action ping)  none -> 1 of 2 done
	// (mdb) messages
	//   n0->n1  Ping{1}  sent in step 1
}
