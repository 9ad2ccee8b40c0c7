// The process as an explored test observes it: processors, goroutines and stacks, without those of the checker.

package runtime

import "internal/stringslite"

// macemcProcessors is the number of processors that an explored test sees.
const macemcProcessors = 4

// macemcMaxProcs is the value of GOMAXPROCS that an explored test sees, and macemcMaxProcsInit the one after the initialization of
// packages.
var macemcMaxProcs, macemcMaxProcsInit = macemcProcessors, macemcProcessors

// macemcSeesProcs reports whether the caller is an explored test, or the initialization of its packages.
func macemcSeesProcs() bool { return macemcTested() || macemcInitially() }

// macemcSetMaxProcs replaces GOMAXPROCS for explored tests, which have one processor.
func macemcSetMaxProcs(n int) (before int) {
	before = macemcMaxProcs
	if n > 0 {
		macemcMaxProcs = n
	}
	if !macemcTested() {
		macemcMaxProcsInit = macemcMaxProcs
	}
	return before
}

// macemcIsOwn reports whether a goroutine of a run belongs to the checker. So does the main goroutine of the process if runs execute main.
func macemcIsOwn(gp *g) bool {
	return macemcT != nil && !macemcT.over && (gp.macemc.id != 0 && gp.macemc.id <= macemcMain || macemcInit.begins && gp.goid == 1)
}

// macemcHides reports whether the list of all goroutines that an explored test requests omits a goroutine.
func macemcHides(gp *g) bool { return getg().m.traceback != 0 && macemcIsOwn(gp) }

// macemcProfileHides reports whether the latest profile of goroutines omits those of the checker.
var macemcProfileHides bool

// macemcHidden returns the number of goroutines of the checker, which those that an explored test counts or profiles do not include.
func macemcHidden() int {
	macemcProfileHides = macemcTested()
	switch {
	case !macemcProfileHides:
		return 0
	case macemcInit.begins:
		return macemcMain + 1
	}
	return macemcMain
}

// macemcShowsBubbles reports whether stacks show the bubbles of goroutines. The bubble of a run appears in tests of testing/synctest alone,
// and that of a node does not in stacks that the node reads.
func macemcShowsBubbles() bool { return macemcT == nil && !macemcNodeStack || macemcStopped }

// macemcBubbleNumber returns the number of a bubble that stacks show.
func macemcBubbleNumber(b *synctestBubble) uint64 {
	if macemcT != nil {
		return 1
	}
	return b.id
}

// macemcStatus returns the text that stacks show for what a goroutine waits for.
func macemcStatus(gp *g) string {
	text := gp.waitreason.String()
	if macemcShowsBubbles() {
		return text
	}
	if gp.waitreason == macemcWaitHeld || gp.waitreason == macemcWaitBusy {
		return gStatusStrings[_Grunnable]
	}
	return stringslite.TrimSuffix(text, " (durable)")
}

// macemcHidesFunc reports whether stacks omit a function, because it belongs to the checker.
func macemcHidesFunc(f srcFunc) bool {
	if macemcT == nil {
		return false
	}
	name := f.name()
	return stringslite.Index(name, ".macemc") >= 0 || stringslite.Index(name, "(*macemc") >= 0
}

// macemcStart is the go statement that has started the goroutine that explores tests, and the goroutine that has executed it.
var macemcStart struct {
	pc   uintptr
	goid uint64
}

// macemc_testDisguise makes the caller seem to be started as package testing starts a test.
func macemc_testDisguise() {
	gp := getg()
	gp.gopc, gp.parentGoid = macemcStart.pc, macemcStart.goid
}

// macemcExample has the stack of an example in go test: frames, outermost last, take the place of the function with that entry, and of its
// callers.
var macemcExample struct {
	entry  uintptr
	frames []uintptr
}

func macemc_testExampleStack(entry uintptr, frames []uintptr) {
	macemcExample.entry, macemcExample.frames = entry, frames
}

// macemcStackOf replaces callers for Callers.
func macemcStackOf(skip int, pcs []uintptr) int {
	n := callers(skip+1, pcs)
	if macemcExample.entry == 0 || !macemcTested() {
		return n
	}
	for i, pc := range pcs[:n] {
		if findfunc(pc).entry() == macemcExample.entry {
			return i + copy(pcs[i:], macemcExample.frames)
		}
	}
	return n
}
