// Functions of packages runtime, os and syscall that control a run.

package testing

import (
	testrun "internal/runtime"
	"unsafe"
)

func macemcDescribe(test string)
func macemcRefuse(reason string)

// macemcNow returns the time of the run, without a read of the variable time.Local, which the test may change meanwhile.
func macemcNow() int64

//go:linkname macemcRemoveLeft os.macemcRemoveLeft
func macemcRemoveLeft(restores bool)

//go:linkname macemcInRun runtime.macemcTested
func macemcInRun() bool

func macemcInitialized()
func macemcMain()
func macemcBegin(*macemcRun)
func macemcRunBubble(instant uint64, f func())
func macemcEnter() uint64
func macemcKill()
func macemcEnd()
func macemcWeigh(table []testrun.Weight, who, points uint64)

// macemcForget leaves a number of data races out of race.Errors.
func macemcForget(races int)

func macemcNext() int64
func macemcAgain() bool
func macemcAnyStopped() bool
func macemcBusyTime() int64
func macemcWait()
func macemcWaiter() bool
func macemcTimeless(on bool) bool
func macemcFiles() (woken bool, left int64)

func macemcSelf() uint64
func macemcNumber() uint64
func macemcTotal() int
func macemcBubbled() int
func macemcGoroutines(list []macemcGoroutine, left bool) int
func macemcLeaks() bool
func macemcWaits(why uint64) string
func macemcExampleStack(entry uintptr, frames []uintptr)

// macemcDisguise makes the caller seem to be started by T.Run.
func macemcDisguise()

func macemcOutside() int
func macemcWoken() bool
func macemcOthers(most int64) (waited int64, ok bool)
func macemcGiveTurns()
func macemcPace(most int64) (waited, took int64)
func macemcOutsideActive(which int) uintptr
func macemcOutsideTimer(most int64) int64
func macemcUnmark()
func macemcOnDeath(f func())
func macemcOnExit(f func(code int) int)

func macemcSave(variables []macemcVariable, hide []unsafe.Pointer)
func macemcRestore()
func macemcData() uintptr
func macemcIsolates() bool
func macemcUndone() bool
func macemcChanged() []bool
func macemcReopen()
func macemcCloseLeft()
func macemcSpares()
func macemcSparesNow()
func macemcAffected() bool

// macemcUnaffected forgets what package testing has changed since macemcAffected returned a value.
func macemcUnaffected(affected bool)
