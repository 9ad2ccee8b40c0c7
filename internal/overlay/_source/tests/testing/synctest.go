// Bubbles of package testing/synctest in an explored test.

package testing

import _ "unsafe"

// macemcSynctest replaces testing/synctest.Test for an explored test. The function executes in the bubble of the run. The clock is reset
// and advances only while all goroutines wait. Bubbles of parallel subtests execute one after another.
//
//go:linkname macemcSynctest testing/synctest.macemcTest
func macemcSynctest(t *T, f func(*T)) {
	if !macemcTimeless(true) {
		macemcRefuse("it uses testing/synctest while a timer of its own runs")
	}
	ok := testingSynctestTest(t, f)
	for macemcBubbled() > 0 {
		macemcWait()
		if macemcBubbled() == 0 {
			break
		}
		if macemcNext() == 0 {
			select {} // the report of the deadlock lists the goroutines
		}
		panic("deadlock: main bubble goroutine has exited but blocked goroutines remain") // as of the runtime
	}
	macemcTimeless(false)
	if !ok {
		t.FailNow()
	}
}
