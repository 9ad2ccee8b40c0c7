// Early ends of a run: panics, fatal errors, os.Exit, refused operations, and goroutines that never reach a point.

package runtime

import _ "unsafe"

// macemcDied ends the run when a panic or a fatal error would end the process.
//
//go:yeswritebarrierrec
func macemcDied(arg any, fatal string) {
	if !macemcTested() {
		macemcOutsideDies()
		return
	}
	gp, t := getg(), macemcT
	if gp != gp.m.curg || gp.m.locks != 0 || gp.macemc.id <= macemcMain {
		return
	}
	if !t.died && !t.exited {
		t.died, t.panicked, t.fatal, t.ender = true, arg, fatal, gp.macemc.test.number
		t.nstack = callers(2, t.stack[:])
	}
	macemcHalt()
}

func macemcPanicked(p *_panic) {
	if !macemcTested() || p == nil {
		macemcOutsideDies()
		return
	}
	runningPanicDefers.Add(-1)
	for p.link != nil && p.link.repanicked { // the first one has the text
		p = p.link
	}
	macemcDied(p.arg, "")
}

// macemcPrinting is called before the methods of panics' values are called that return their texts. They may wait for a lock that the
// caller holds.
func macemcPrinting(p *_panic) {
	if t := macemcT; macemcTested() && p != nil && !t.died && !t.exited && t.printing == "" {
		t.printing = toRType(efaceOf(&p.arg)._type).string()
		t.nstack = callers(2, t.stack[:])
	}
}

// macemcOnDeath is called before a goroutine outside the test ends the process while a test is explored.
var macemcOnDeath func()

func macemc_testOnDeath(f func()) { macemcOnDeath = f }

func macemcOutsideDies() {
	gp := getg()
	if f := macemcOnDeath; f != nil && gp == gp.m.curg && gp.m.locks == 0 && macemcOutsider(gp) {
		macemcOnDeath = nil
		f()
	}
}

// macemcUnprintable is called when the method of a panic's value that returns its text has panicked.
func macemcUnprintable(text string) {
	if macemcTested() {
		runningPanicDefers.Add(-1)
		macemcDied(nil, text)
	}
}

func macemcExit(code int) {
	if macemcTested() {
		macemcEnds(code, "")
	}
}

// macemcEnds ends the run where the process would end with a status. how describes another end.
func macemcEnds(code int, how string) {
	t := macemcT
	if !t.died && !t.exited {
		t.exited, t.code, t.fatal, t.ender = true, code, how, getg().macemc.test.number
		t.nstack = callers(3, t.stack[:])
	}
	macemcHalt()
}

// macemcThrown ends the run if the goroutine of a test calls throw where it can stop: it holds nothing of the runtime. Else the process
// dies.
//
//go:nosplit
func macemcThrown(text string) {
	if macemcT == nil && macemcOnDeath == nil {
		return
	}
	gp := getg()
	mp := gp.m
	if gp == mp.curg && mp.locks == 0 && mp.mallocing == 0 && mp.throwing == throwTypeNone && mp.preemptoff == "" && mp.dying == 0 &&
		!gp.throwsplit && gp.syscallsp == 0 && readgstatus(gp) == _Grunning {
		macemcDied(nil, text)
	}
}

// macemcRefuse ends a run of a test that cannot be explored.
//
//go:linkname macemcRefuse
func macemcRefuse(reason string) {
	if !macemcTested() {
		return
	}
	if macemcT.refused == "" {
		macemcT.refused = reason
	}
	macemcHalt()
}

// macemcRefuseStarted ends a run that depends on what packages have started before it.
func macemcRefuseStarted(reason string) {
	if macemcTested() && macemcT.refusedOutside == "" {
		macemcT.refusedOutside = reason
	}
	macemcRefuse(reason)
}

// macemcCallerOutside reports whether the caller is a goroutine outside the test of a run.
func macemcCallerOutside() bool {
	return macemcT != nil && !macemcT.over && getg().bubble == nil
}

// macemcRefuseOutside makes the test of a run unexplored because of what a goroutine outside it does. Both continue, so that this goroutine
// does not wait for one of the run.
func macemcRefuseOutside(reason string) {
	if macemcCallerOutside() && macemcT.refusedOutside == "" {
		macemcT.refusedOutside = reason
	}
}

// macemcBusyFor is the maximum CPU time of a goroutine without a scheduling point.
const macemcBusyFor = 10e9

// macemcBusy holds the goroutine that was preempted last, its point, and the CPU time of the process at that point.
var macemcBusy struct {
	who, points uint64
	since       int64
}

// macemcPreempted is called when the wall clock, or macemcOverflowed, has preempted a goroutine. It ends a goroutine that runs without a
// scheduling point, or whose stack has overflowed. It needs a P.
//
//go:yeswritebarrierrec
func macemcPreempted(gp *g) {
	t, b := macemcT, &macemcBusy
	if t == nil || gp.bubble == nil || gp.macemc.id <= macemcMain || t.over || t.noEnd {
		return
	}
	if gp.macemc.test.overflowed && !t.died && !t.exited {
		macemcEndOverflowed(gp)
		return
	}
	if b.who != gp.macemc.id || b.points != t.points {
		b.who, b.points, b.since = gp.macemc.id, t.points, macemcCPU()
		return
	}
	if macemcCPU()-b.since < macemcBusyFor {
		return
	}
	t.noEnd, t.points, t.number = true, t.limit, gp.macemc.test.number
	t.nstack = gcallers(gp, 0, t.stack[:])
	macemcUnwind(gp)
}

// macemcOverflowed ends a goroutine of a test after a stack overflow. It returns true if the stack grows further, because the goroutine
// holds something of the runtime; it ends when it can be preempted. False means that the process dies.
//
//go:yeswritebarrierrec
func macemcOverflowed(gp *g, newsize uintptr) (grows bool) {
	t := macemcT
	if t == nil || gp.bubble == nil || gp.macemc.id <= macemcMain || t.over || t.died || t.exited {
		return false
	}
	if !canPreemptM(gp.m) {
		gp.macemc.test.overflowed, gp.preempt = true, true
		return newsize <= macemcStackMax
	}
	macemcEndOverflowed(gp)
	gogo(&gp.sched)
	return false
}

//go:yeswritebarrierrec
func macemcEndOverflowed(gp *g) {
	t := macemcT
	gp.macemc.test.overflowed = false
	t.died, t.fatal, t.ender = true, "stack overflow", gp.macemc.test.number
	t.nstack = gcallers(gp, 0, t.stack[:])
	macemcUnwind(gp)
}
