// Bubbles of package testing/synctest in an explored test.

package testing

import (
	"time"
	_ "unsafe"
)

// macemcSynctest replaces testing/synctest.Test for an explored test. The function executes in the bubble of the run. The clock is reset
// and advances only while all goroutines wait.
//
//go:linkname macemcSynctest testing/synctest.macemcTest
func macemcSynctest(t *T, f func(*T)) {
	if !macemcTimeless(true) {
		macemcRefuse("it uses testing/synctest while a timer of its own runs")
	}
	before := macemcTotal()
	ok := testingSynctestTest(t, f)
	for macemcTotal() > before {
		macemcWait()
		if macemcTotal() <= before {
			break
		}
		wait := 10 * time.Millisecond
		if next := macemcNext(); next != 0 {
			wait = time.Duration(next - macemcNow())
		} else if !macemcAnyStopped() {
			select {} // the report of the deadlock lists the goroutines
		}
		time.Sleep(max(wait, 1))
	}
	macemcTimeless(false)
	if !ok {
		t.FailNow()
	}
}
