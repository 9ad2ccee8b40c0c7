package critical_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/systems/pingack"
)

// The third step of this run loses the acknowledgement. Random walks from the states before and after it decide that it
// is critical.
func ExampleFind() {
	path := choose.Path{0, 1, 2} // ping, delivery of the ping, loss of the acknowledgement
	r, err := critical.Find(context.Background(), critical.Config{System: pingack.System, Path: path, Walks: 20, WalkSteps: 100})
	if err != nil {
		panic(err)
	}
	fmt.Println("critical step:", r.Step)
	fmt.Println("recovered before:", r.Before.Recovered, "of", r.Before.Walks)
	fmt.Println("recovered after:", r.After.Recovered, "of", r.After.Walks)
	// Output:
	// critical step: 3
	// recovered before: 8 of 8
	// recovered after: 0 of 8
}
