package search_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/pingack"
)

// Breadth-first search visits all states to a depth. That does not judge liveness, the only property of this system.
func ExampleRun() {
	r, err := search.Run(context.Background(), search.Config{System: pingack.System, Strategy: search.BFS, MaxDepth: 5})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict, r.Stopped)
	// Output: inconclusive depth
}
