package mctest

import (
	"sync"
	"testing"
)

// checksBegun counts the checks of the running tests, by name of the test. A process that was started for one check finds it
// by its number, because systems may differ in their code only. A test has no place for such a counter.
var checksBegun = struct {
	sync.Mutex
	checks map[string]int
}{checks: map[string]int{}}

// ordinal returns the number of a check in its test, from 1. It restarts when the test runs again.
func ordinal(t testing.TB) int {
	checksBegun.Lock()
	defer checksBegun.Unlock()
	name := t.Name()
	checksBegun.checks[name]++
	if checksBegun.checks[name] == 1 {
		t.Cleanup(func() {
			checksBegun.Lock()
			defer checksBegun.Unlock()
			delete(checksBegun.checks, name)
		})
	}
	return checksBegun.checks[name]
}
