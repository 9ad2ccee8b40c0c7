package rule

import (
	"sync"
	"time"
)

// showLimit is how long a function that shows a value may take, which is less than a handler that shows it may take.
const showLimit = 2 * time.Second

// unreturned holds the functions that did not return. They are not called again in this process.
//
//lint:state affects only texts
var unreturned sync.Map

// Contained calls a function that shows a value on its own goroutine, because f may end that or not return. of identifies
// the function among all. It returns how f failed; an empty string means that f returned.
func Contained[T any](of any, f func() T) (v T, failed string) {
	const notReturned = "did not return"
	if _, ok := unreturned.Load(of); ok {
		return v, notReturned
	}
	type result struct {
		value  T
		failed string
	}
	done := make(chan result, 1)
	go func() {
		r := result{failed: "ended its goroutine"}
		defer func() {
			if recover() != nil {
				r.failed = "panicked"
			}
			done <- r
		}()
		r.value = f()
		r.failed = ""
	}()
	limit := time.NewTicker(showLimit)
	defer limit.Stop()
	select {
	case r := <-done:
		return r.value, r.failed
	case <-limit.C:
		unreturned.Store(of, true)
		return v, notReturned
	}
}
