// The record of a run's operations, which package predict analyses, and the holds of its directed schedules.

package runtime

import (
	"internal/goarch"
	testrun "internal/runtime"
	"internal/stringslite"
	"unsafe"
)

// macemcOperating is the part of a goroutine's state that concerns the record and holds.
type macemcOperating struct {
	waker     uint32 // see testrun.Event
	operation uint32 // number of its last recorded operation, from 1 on; 0 means none
	order     uint32 // testrun.Hold.Order, while it pauses
	reduces   bool   // its next operation on a WaitGroup counts down
	connects  int32  // more than 0 means that its operations on channels are parts of one on a connection
	due       int64  // when the timer of its next operation fires; 0 means that it is not set
}

// macemcMethodReads is the method of TryRLock. The record has the flag Reads instead.
const macemcMethodReads = testrun.Expires + 1

// macemcHoldsMost is the maximum number of pauses of a hold without a number.
const macemcHoldsMost = 64

// macemcWhere is the place of an operation.
type macemcWhere struct {
	site    uintptr
	context uint64
	method  testrun.Method
	inner   bool // it is an operation of the mutex of an RWMutex
}

// macemcMethodOf returns the method of a function of the distribution, as in testrun.Event.
func macemcMethodOf(name string) testrun.Method {
	pkg, at := macemcPackage(name), len(name)
	if pkg != "sync" && pkg != "sync/atomic" {
		return testrun.Other
	}
	for at > 0 && name[at-1] != '.' {
		at--
	}
	switch method := name[at:]; {
	case method == "Wait":
		return testrun.Waits
	case method == "TryRLock":
		return macemcMethodReads
	case method == "Load" || method == "Range" || pkg == "sync/atomic" && stringslite.HasPrefix(method, "Load"):
		return testrun.Loads
	case stringslite.HasPrefix(method, "CompareAndSwap"):
		return testrun.Swaps
	}
	return testrun.Other
}

// macemcLocate unwinds frame pointers from that of macemcPointed.
func macemcLocate(fp uintptr) (w macemcWhere) {
	const most = 14
	gp, own, beyond := getg(), true, 0 // own: the frames so far belong to package runtime
	for range most {
		if fp <= gp.stack.lo || fp >= gp.stack.hi-2*goarch.PtrSize {
			break
		}
		pc, next := *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)), *(*uintptr)(unsafe.Pointer(fp))
		if pc == 0 {
			break
		}
		e := macemcCallerAt(pc)
		if own && !e.runtime {
			own, w.method = false, e.method
		}
		w.context = macemcMix(w.context ^ uint64(pc))
		switch {
		case w.site != 0:
			beyond++
		case e.standard:
			w.inner = w.inner || e.rwmutex
		case !e.runtime:
			w.site = pc
		}
		if beyond == 2 || next <= fp {
			break
		}
		fp = next
	}
	return w
}

// macemcOperates records an operation, unless the record is full.
func macemcOperates(gp *g, op testrun.Op, obj uintptr, w *macemcWhere) {
	t, me := macemcT, &gp.macemc.test
	if w.inner && obj&1 == 0 || me.connects > 0 && op != testrun.Select {
		return
	}
	if t.noperations < uint32(len(t.operations)) {
		flags, method := testrun.Flags(0), w.method
		if me.tries || op == testrun.TryLock || op == testrun.Len {
			flags = testrun.Tries
		}
		if method == macemcMethodReads {
			flags, method = flags|testrun.Reads, testrun.Other
		}
		if op == testrun.Send && obj != 0 && (*hchan)(unsafe.Pointer(obj)).dataqsiz == 0 {
			flags |= testrun.Unbuffered
		}
		if me.reduces && op == testrun.WaitGroup && method != testrun.Waits {
			method = testrun.Reduces
		}
		t.operations[t.noperations] = testrun.Event{Who: gp.macemc.id, Object: uint64(obj), Place: uint64(w.site), Context: w.context,
			Time: gp.bubble.now, Due: me.due, Waker: me.waker, Op: op, Method: method, Flags: flags}
	}
	t.noperations++
	me.waker, me.operation = 0, min(t.noperations, uint32(len(t.operations)))
}

// macemcComplete completes the last operation of a goroutine if it is op on an object, which may fail. 0 means any object.
func macemcComplete(gp *g, op testrun.Op, obj uintptr, ok bool) {
	macemcTraceResult(op, ok)
	t := macemcT
	if t == nil || len(t.operations) == 0 || t.over || gp.macemc.id <= macemcMain || gp.macemc.test.operation == 0 {
		return
	}
	if o := &t.operations[gp.macemc.test.operation-1]; o.Who == gp.macemc.id && o.Op == op &&
		(obj == 0 || o.Object == uint64(obj)) &&
		t.noperations <= uint32(len(t.operations)) {
		o.Flags |= testrun.Tries
		if ok {
			o.Flags |= testrun.Succeeded
		}
	}
}

// macemcOperatesCases records the cases of a select after it. taken is the number of the case that it takes, starting at 1; 0 means none.
func macemcOperatesCases(gp *g, cases []scase, nsends int, block bool, taken uint32) {
	t, me := macemcT, &gp.macemc.test
	o, ok := macemcLastSelect(gp)
	if !ok || me.connects > 0 {
		return
	}
	o.Waker = 0
	number := uint32(0)
	for i := range cases {
		c := cases[i].c
		if c == nil {
			continue
		}
		number++
		o.Object, o.Op, o.Flags = uint64(uintptr(unsafe.Pointer(c))), testrun.Receive, testrun.Case
		if i < nsends {
			o.Op = testrun.Send
			if c.dataqsiz == 0 {
				o.Flags |= testrun.Unbuffered
			}
		}
		if !block {
			o.Flags |= testrun.Tries
		}
		if macemcCanDo(c, i < nsends) {
			o.Flags |= testrun.Ready
		}
		if number == taken {
			o.Flags |= testrun.Succeeded
		}
		if o.Due = 0; c.timer != nil {
			o.Due = c.timer.when
		}
		if t.noperations < uint32(len(t.operations)) {
			t.operations[t.noperations] = o
		}
		t.noperations++
	}
	me.operation = min(t.noperations, uint32(len(t.operations)))
}

// macemcLastSelect returns the last operation of a goroutine if it is a select.
func macemcLastSelect(gp *g) (o testrun.Event, ok bool) {
	t, me := macemcT, &gp.macemc.test
	if len(t.operations) == 0 || t.over || gp.macemc.id <= macemcMain || me.operation == 0 || t.noperations > uint32(len(t.operations)) {
		return o, false
	}
	o = t.operations[me.operation-1]
	return o, o.Who == gp.macemc.id && o.Op == testrun.Select
}

// macemcUsesQueue is called with 1 before operations on the channels of a connection, and with -1 after them.
func macemcUsesQueue(d int32) {
	if macemcT != nil {
		getg().macemc.test.connects += d
	}
}

// macemcConnected records an operation on a connection, after the select that is a part of it. due is the deadline; 0 means none.
func macemcConnected(op testrun.Op, obj uintptr, due int64, ok bool) {
	gp, t := getg(), macemcT
	if t == nil {
		return
	}
	o, found := macemcLastSelect(gp)
	if !found || t.noperations >= uint32(len(t.operations)) {
		return
	}
	me := &gp.macemc.test
	o.Op, o.Object, o.Due, o.Method, o.Flags, o.Waker = op, uint64(obj), due, testrun.Stream, testrun.Case, me.waker
	if ok {
		o.Flags |= testrun.Succeeded
	}
	t.operations[t.noperations] = o
	t.noperations++
	me.waker, me.operation = 0, t.noperations
}

// macemcWillClose records that a timer will close a channel after a duration.
func macemcWillClose(obj unsafe.Pointer, after int64) {
	if gp := getg(); macemcT != nil && gp.bubble != nil {
		macemcOperatesTimer(uintptr(obj), testrun.Expires, gp.bubble.now+after)
	}
}

// macemcNow returns the time of the test.
func macemcNow() int64 {
	if gp := getg(); gp.bubble != nil {
		return gp.bubble.now
	}
	return 0
}

// macemcSwapped completes the last operation of the caller, if it compares and swaps, with its result.
func macemcSwapped(ok bool) bool {
	if macemcT != nil {
		macemcComplete(getg(), testrun.Atomic, 0, ok)
	}
	return ok
}

// macemcCountsDown is called before a change of a WaitGroup.
func macemcCountsDown(down bool) {
	if macemcT != nil {
		getg().macemc.test.reduces = down
	}
}

// macemcOperatesTimer records that the distribution starts, stops or resets a timer. That is no scheduling point.
func macemcOperatesTimer(obj uintptr, method testrun.Method, due int64) {
	gp, t := getg(), macemcT
	if len(t.operations) == 0 || t.over || gp.bubble == nil || gp.macemc.id <= macemcMain || t.noperations >= uint32(len(t.operations)) {
		return
	}
	t.operations[t.noperations] = testrun.Event{Who: gp.macemc.id, Object: uint64(obj), Time: gp.bubble.now, Due: due, Op: testrun.Timer,
		Method: method, Flags: testrun.NoPoint}
	t.noperations++
	gp.macemc.test.operation = t.noperations
}

// macemcWokenBy records the operation with which a goroutine wakes or starts another one. A go statement is recorded after that. Timers
// wake goroutines, too.
func macemcWokenBy(waker, gp *g, starts bool) {
	if waker != nil && waker != gp && macemcFiring == nil && waker.bubble == gp.bubble && waker.macemc.id > macemcMain {
		gp.macemc.test.waker = waker.macemc.test.operation
		if t := macemcT; starts && t.noperations < uint32(len(t.operations)) {
			gp.macemc.test.waker = t.noperations + 1
		}
	}
}

// macemcMayBeHeld reports whether a hold may be before an operation, depending on its place.
func macemcMayBeHeld(gp *g, op testrun.Op) bool {
	t := macemcT
	for i := range t.holds {
		if h := &t.holds[i]; testrun.Op(h.Op) == op && (h.Who == 0 || h.Who == gp.macemc.id) && (h.Nth == 0 || h.Seen < h.Nth) {
			return true
		}
	}
	return false
}

// macemcHeld reports whether a hold makes the running goroutine pause before an operation.
func macemcHeld(gp *g, op testrun.Op, w *macemcWhere) (held bool) {
	t := macemcT
	for i := range t.holds {
		h := &t.holds[i]
		if testrun.Op(h.Op) != op || h.Who != 0 && h.Who != gp.macemc.id || h.Context != w.context {
			continue
		}
		if h.Seen++; h.Nth != 0 && h.Seen != h.Nth || h.Nth == 0 && h.Seen > macemcHoldsMost ||
			h.Mode&testrun.Locked != 0 && !macemcHoldsLock(gp) {
			continue
		}
		held = true
		t.directed = t.directed || h.Mode&testrun.Keep == 0
		gp.macemc.test.order = max(gp.macemc.test.order, h.Order)
	}
	return held
}

// macemcHoldsLock reports whether a goroutine holds a lock.
func macemcHoldsLock(gp *g) bool {
	for i := range macemcCur.locks[:macemcCur.nlocks] {
		if h := &macemcCur.locks[i]; h.gid == gp.macemc.id && h.state&1 != 0 {
			return true
		}
	}
	return false
}

// macemcHoldNext pauses the running goroutine if a hold is before its operation.
func macemcHoldNext(gp *g, op testrun.Op, w *macemcWhere) (held bool) {
	t, me := macemcT, &gp.macemc.test
	if len(t.holds) == 0 || t.executed < t.until || !macemcHeld(gp, op, w) {
		return false
	}
	macemcPauses = true
	macemcRecord(gp.macemc.id, me.places, testrun.Pauses)
	mcall(macemcTestPause)
	me.order = 0
	return true
}

// macemcFirstInOrder returns the index of the first goroutine in the queue with the lowest testrun.Hold.Order.
func macemcFirstInOrder() int {
	first, least := macemcQ.start(), ^uint32(0)
	for i := range macemcQ.n {
		at := macemcQ.nth(i)
		if order := macemcQ.at(at).gp.ptr().macemc.test.order; order < least {
			first, least = at, order
		}
	}
	return first
}
