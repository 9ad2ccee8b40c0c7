package mctest

import (
	"sync"
	"testing"
)

// begun counts the checks of the tests that are running, by name. A process that was started for one check finds it
// by its number: systems may look alike and differ in their code only. There is no place for that in a test
// itself.
var begun = struct {
	sync.Mutex
	checks map[string]int
}{checks: map[string]int{}}

// ordinal is the number of a check in its test, from 1. It begins anew when the test runs again.
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
