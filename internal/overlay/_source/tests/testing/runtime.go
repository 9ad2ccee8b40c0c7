// Functions of package runtime that control a run. Their bodies are in tests/runtime, with the prefix macemc_test: macemcOthers here is
// macemc_testOthers in outside.go.

package testing

import (
	testrun "internal/runtime"
	"unsafe"
)

//go:linkname macemcDescribe runtime.macemcDescribe
func macemcDescribe(test string)

//go:linkname macemcBegin
func macemcBegin(*macemcRun)

//go:linkname macemcEnd
func macemcEnd()

//go:linkname macemcRunBubble
func macemcRunBubble(instant uint64, f func())

// macemcForget leaves a number of data races out of race.Errors.
//
//go:linkname macemcForget
func macemcForget(races int)

//go:linkname macemcSelf
func macemcSelf() uint64

//go:linkname macemcEnter
func macemcEnter() uint64

// macemcDisguise makes the caller seem to be started by T.Run.
//
//go:linkname macemcDisguise
func macemcDisguise()

//go:linkname macemcExampleStack
func macemcExampleStack(entry uintptr, frames []uintptr)

//go:linkname macemcNext
func macemcNext() int64

// macemcNow returns the time of the run, without a read of the variable time.Local, which the test may change meanwhile.
//
//go:linkname macemcNow runtime.macemcNow
func macemcNow() int64

//go:linkname macemcAgain
func macemcAgain() bool

//go:linkname macemcAnyStopped
func macemcAnyStopped() bool

//go:linkname macemcBusyTime
func macemcBusyTime() int64

//go:linkname macemcWait
func macemcWait()

//go:linkname macemcWaiter
func macemcWaiter() bool

//go:linkname macemcTimeless
func macemcTimeless(on bool) bool

//go:linkname macemcOutside
func macemcOutside() int

//go:linkname macemcWoken
func macemcWoken() bool

//go:linkname macemcOthers
func macemcOthers(most int64) (waited int64, ok bool)

//go:linkname macemcOnDeath
func macemcOnDeath(f func())

//go:linkname macemcPace
func macemcPace(most int64) (waited, took int64)

//go:linkname macemcOutsideActive
func macemcOutsideActive(which int) uintptr

//go:linkname macemcUnmark
func macemcUnmark()

//go:linkname macemcOutsideTimer
func macemcOutsideTimer(most int64) int64

//go:linkname macemcFiles
func macemcFiles() (woken bool, left int64)

//go:linkname macemcTotal
func macemcTotal() int

//go:linkname macemcBubbled
func macemcBubbled() int

//go:linkname macemcKill
func macemcKill()

//go:linkname macemcGoroutines
func macemcGoroutines(list []macemcGoroutine, left bool) int

//go:linkname macemcLeaks
func macemcLeaks() bool

//go:linkname macemcWaits
func macemcWaits(why uint64) string

//go:linkname macemcSave
func macemcSave(variables []macemcVariable, hide []unsafe.Pointer)

//go:linkname macemcRestore
func macemcRestore()

//go:linkname macemcCloseLeft
func macemcCloseLeft()

//go:linkname macemcRemoveLeft os.macemcRemoveLeft
func macemcRemoveLeft(restores bool)

//go:linkname macemcIsolates
func macemcIsolates() bool

//go:linkname macemcUndone
func macemcUndone() bool

//go:linkname macemcChanged
func macemcChanged(i int) int

//go:linkname macemcAffected
func macemcAffected() bool

// macemcUnaffected forgets what package testing has changed since macemcAffected returned a value.
//
//go:linkname macemcUnaffected
func macemcUnaffected(affected bool)

//go:linkname macemcWeigh
func macemcWeigh(table []testrun.Weight, who, points uint64)

//go:linkname macemcData
func macemcData() uintptr

//go:linkname macemcInitialized
func macemcInitialized()

//go:linkname macemcMain
func macemcMain()

//go:linkname macemcNumber
func macemcNumber() uint64

//go:linkname macemcSpares
func macemcSpares()

//go:linkname macemcSparesNow
func macemcSparesNow()

//go:linkname macemcOnExit
func macemcOnExit(f func(code int) int)

//go:linkname macemcRefuse runtime.macemcRefuse
func macemcRefuse(reason string)

//go:linkname macemcInRun runtime.macemcTested
func macemcInRun() bool

//go:linkname macemcOptionsNow
func macemcOptionsNow() macemcOptions

//go:linkname macemcSetOptions
func macemcSetOptions(macemcOptions)
