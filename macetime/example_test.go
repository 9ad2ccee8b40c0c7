package macetime_test

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/macetime"
)

// In the checker, the comparison of two readings is a choice unless it follows from earlier ones.
func ExampleModel() {
	for answer := range 2 {
		var clock macetime.Model
		choices := 0
		choose := func([]int) int { choices++; return answer }
		deadline := clock.Now().Add(10 * time.Second)
		now := clock.Now()
		expired := clock.Before(deadline, now, choose)
		again := clock.Before(deadline, now, choose) // the same result, without a choice
		fmt.Println(expired, again, choices)
	}
	// Output:
	// false false 1
	// true true 1
}

// Monotone times order the events of one node, also across crashes.
func ExampleMonotoneTime_Older() {
	var clock macetime.Model
	before := clock.Tick()
	clock.Crash()
	after := clock.Tick()
	fmt.Println(before.Older(after), macetime.MonotoneTime{}.Older(before))
	// Output: true true
}
