package mctest

import (
	"sync"
	"testing"
)

// begun counts the checks of the running tests, by name of the test. A process that was started for one check finds it
// by its number, because systems may differ in their code only. A test has no place for such a counter.
var begun = struct {
	sync.Mutex
	checks map[string]int
}{checks: map[string]int{}}

// ordinal returns the number of a check in its test, from 1. It restarts when the test runs again.
func ordinal(t testing.TB) int {
	begun.Lock()
	defer begun.Unlock()
	name := t.Name()
	begun.checks[name]++
	if begun.checks[name] == 1 {
		t.Cleanup(func() {
			begun.Lock()
			defer begun.Unlock()
			delete(begun.checks, name)
		})
	}
	return begun.checks[name]
}
