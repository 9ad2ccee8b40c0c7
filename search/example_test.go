package search_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/pingack"
)

// Breadth-first search visits all states to a depth.
func ExampleRun() {
	r, err := search.Run(context.Background(), search.Config{System: pingack.System, Strategy: search.BFS, MaxDepth: 5})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Verdict, r.Stopped)
	// Output: ok depth
}
