// The record of a run's operations, which package predict analyses, and the holds of its directed schedules.

package runtime

import (
	"internal/goarch"
	"internal/stringslite"
	"unsafe"
)

// macemcDirection holds the record of a run, and its holds. It must match the type in package testing.
type macemcDirection struct {
	operations    *[1 << 20]macemcOperation
	operationsLen uint32
	noperations   uint32 // more than operationsLen means that some were not recorded
	holds         *[1 << 10]macemcHold
	holdsLen      uint32
	directed      bool // a hold has applied
}

// macemcOperating is the part of a goroutine's state that concerns the record and holds.
type macemcOperating struct {
	waker     uint32 // see macemcOperation
	operation uint32 // number of its last recorded operation, from 1 on; 0 means none
	last      bool   // it pauses at a hold with macemcHoldLast
	reduces   bool   // its next operation on a WaitGroup counts down
	connects  int32  // more than 0 means that its operations on channels are parts of one on a connection
	due       int64  // when the timer of its next operation fires; 0 means that it is not set
}

// macemcOperation is an operation of a goroutine. It must match predict.Event.
type macemcOperation struct {
	who     uint64
	obj     uintptr
	site    uintptr // return address in the innermost function outside the distribution; 0 means unknown
	context uint64  // hash of the return addresses up to two calls beyond site
	time    int64
	due     int64
	waker   uint32 // number of the operation, from 1 on, with which another goroutine has woken this one; 0 means none
	op      uint8
	method  uint8
	flags   uint8
	_       [9]byte
}

// Values of macemcOperation.method.
const (
	macemcMethodOther = iota
	macemcMethodWaits
	macemcMethodLoads
	macemcMethodSwaps
	macemcMethodReduces
	macemcMethodStream
	macemcMethodExpires
	macemcMethodReads // of TryLock; the record has macemcOfReader instead
)

// Bits of macemcOperation.flags.
const (
	macemcTries = 1 << iota
	macemcSucceeded
	macemcIsCase
	macemcIsReady
	macemcOfReader
	macemcNoPoint
	macemcUnbuffered
)

// macemcHold makes a goroutine pause before an operation. It must match predict.Hold.
type macemcHold struct {
	who     uint64 // 0 means any
	context uint64
	op      uint32
	nth     uint32 // 0 means each
	mode    uint32
	seen    uint32
}

// Bits of macemcHold.mode.
const (
	macemcHoldLast   = 1 << iota // after a pause, the goroutine continues after those that paused without this bit
	macemcHoldLocked             // only if the goroutine holds a lock
	macemcHoldKeep               // the policy continues after the pause; otherwise the default order follows
)

// macemcHoldsMost is the maximum number of pauses of a hold without a number.
const macemcHoldsMost = 64

// macemcWhere is the place of an operation.
type macemcWhere struct {
	site    uintptr
	context uint64
	method  uint8
	inner   bool // it is an operation of the mutex of an RWMutex
}

// macemcMethodOf returns the method of a function of the distribution, as in macemcOperation.
func macemcMethodOf(name string) uint8 {
	pkg, at := macemcPackage(name), len(name)
	if pkg != "sync" && pkg != "sync/atomic" {
		return macemcMethodOther
	}
	for at > 0 && name[at-1] != '.' {
		at--
	}
	switch method := name[at:]; {
	case method == "Wait":
		return macemcMethodWaits
	case method == "TryRLock":
		return macemcMethodReads
	case method == "Load" || method == "Range" || pkg == "sync/atomic" && stringslite.HasPrefix(method, "Load"):
		return macemcMethodLoads
	case stringslite.HasPrefix(method, "CompareAndSwap"):
		return macemcMethodSwaps
	}
	return macemcMethodOther
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
func macemcOperates(gp *g, op uint64, obj uintptr, w *macemcWhere) {
	t, me := macemcT, &gp.macemc.test
	if w.inner && obj&1 == 0 || me.connects > 0 && op != macemcOpSelect {
		return
	}
	if t.noperations < t.operationsLen {
		flags, method := uint8(0), w.method
		if me.tries || op == macemcOpTryLock || op == macemcOpLen {
			flags = macemcTries
		}
		if method == macemcMethodReads {
			flags, method = flags|macemcOfReader, macemcMethodOther
		}
		if op == macemcOpSend && obj != 0 && (*hchan)(unsafe.Pointer(obj)).dataqsiz == 0 {
			flags |= macemcUnbuffered
		}
		if me.reduces && op == macemcOpWaitGroup && method != macemcMethodWaits {
			method = macemcMethodReduces
		}
		t.operations[t.noperations] = macemcOperation{who: gp.macemc.id, obj: obj, site: w.site, context: w.context,
			time: gp.bubble.now, due: me.due, waker: me.waker, op: uint8(op), method: method, flags: flags}
	}
	t.noperations++
	me.waker, me.operation = 0, min(t.noperations, t.operationsLen)
}

// macemcComplete completes the last operation of a goroutine if it is op on an object, which may fail. 0 means any object.
func macemcComplete(gp *g, op uint64, obj uintptr, ok bool) {
	t := macemcT
	if t == nil || t.operationsLen == 0 || t.over || gp.macemc.id <= macemcMain || gp.macemc.test.operation == 0 {
		return
	}
	if o := &t.operations[gp.macemc.test.operation-1]; o.who == gp.macemc.id && o.op == uint8(op) && (obj == 0 || o.obj == obj) &&
		t.noperations <= t.operationsLen {
		o.flags |= macemcTries
		if ok {
			o.flags |= macemcSucceeded
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
	o.waker = 0
	number := uint32(0)
	for i := range cases {
		c := cases[i].c
		if c == nil {
			continue
		}
		number++
		o.obj, o.op, o.flags = uintptr(unsafe.Pointer(c)), macemcOpReceive, macemcIsCase
		if i < nsends {
			o.op = macemcOpSend
			if c.dataqsiz == 0 {
				o.flags |= macemcUnbuffered
			}
		}
		if !block {
			o.flags |= macemcTries
		}
		if macemcCanDo(c, i < nsends) {
			o.flags |= macemcIsReady
		}
		if number == taken {
			o.flags |= macemcSucceeded
		}
		if o.due = 0; c.timer != nil {
			o.due = c.timer.when
		}
		if t.noperations < t.operationsLen {
			t.operations[t.noperations] = o
		}
		t.noperations++
	}
	me.operation = min(t.noperations, t.operationsLen)
}

// macemcLastSelect returns the last operation of a goroutine if it is a select.
func macemcLastSelect(gp *g) (o macemcOperation, ok bool) {
	t, me := macemcT, &gp.macemc.test
	if t.operationsLen == 0 || t.over || gp.macemc.id <= macemcMain || me.operation == 0 || t.noperations > t.operationsLen {
		return o, false
	}
	o = t.operations[me.operation-1]
	return o, o.who == gp.macemc.id && o.op == macemcOpSelect
}

// macemcUsesQueue is called with 1 before operations on the channels of a connection, and with -1 after them.
//
//go:linkname macemcUsesQueue
func macemcUsesQueue(d int32) {
	if macemcT != nil {
		getg().macemc.test.connects += d
	}
}

// macemcConnected records an operation on a connection, after the select that is a part of it. due is the deadline; 0 means none.
//
//go:linkname macemcConnected
func macemcConnected(op uint64, obj uintptr, due int64, ok bool) {
	gp, t := getg(), macemcT
	if t == nil {
		return
	}
	o, found := macemcLastSelect(gp)
	if !found || t.noperations >= t.operationsLen {
		return
	}
	me := &gp.macemc.test
	o.op, o.obj, o.due, o.method, o.flags, o.waker = uint8(op), obj, due, macemcMethodStream, macemcIsCase, me.waker
	if ok {
		o.flags |= macemcSucceeded
	}
	t.operations[t.noperations] = o
	t.noperations++
	me.waker, me.operation = 0, t.noperations
}

// macemcWillClose records that a timer will close a channel after a duration.
//
//go:linkname macemcWillClose
func macemcWillClose(obj unsafe.Pointer, after int64) {
	if gp := getg(); macemcT != nil && gp.bubble != nil {
		macemcOperatesTimer(uintptr(obj), macemcMethodExpires, gp.bubble.now+after)
	}
}

// macemcNow returns the time of the test.
//
//go:linkname macemcNow
func macemcNow() int64 {
	if gp := getg(); gp.bubble != nil {
		return gp.bubble.now
	}
	return 0
}

// macemcSwapped completes the last operation of the caller, if it compares and swaps, with its result.
//
//go:linkname macemcSwapped
func macemcSwapped(ok bool) bool {
	if t := macemcT; t != nil && t.operationsLen != 0 {
		macemcComplete(getg(), macemcOpAtomic, 0, ok)
	}
	return ok
}

// macemcCountsDown is called before a change of a WaitGroup.
//
//go:linkname macemcCountsDown
func macemcCountsDown(down bool) {
	if macemcT != nil {
		getg().macemc.test.reduces = down
	}
}

// macemcOperatesTimer records that the distribution starts, stops or resets a timer. That is no scheduling point.
func macemcOperatesTimer(obj uintptr, method uint8, due int64) {
	gp, t := getg(), macemcT
	if t.operationsLen == 0 || t.over || gp.bubble == nil || gp.macemc.id <= macemcMain || t.noperations >= t.operationsLen {
		return
	}
	t.operations[t.noperations] = macemcOperation{who: gp.macemc.id, obj: obj, time: gp.bubble.now, due: due, op: macemcOpTimer,
		method: method, flags: macemcNoPoint}
	t.noperations++
	gp.macemc.test.operation = t.noperations
}

// macemcWokenBy records the operation with which a goroutine wakes or starts another one. A go statement is recorded after that. Timers
// wake goroutines, too.
func macemcWokenBy(waker, gp *g, starts bool) {
	if waker != nil && waker != gp && macemcFiring == nil && waker.bubble == gp.bubble && waker.macemc.id > macemcMain {
		gp.macemc.test.waker = waker.macemc.test.operation
		if t := macemcT; starts && t.noperations < t.operationsLen {
			gp.macemc.test.waker = t.noperations + 1
		}
	}
}

// macemcMayBeHeld reports whether a hold may be before an operation, depending on its place.
func macemcMayBeHeld(gp *g, op uint64) bool {
	t := macemcT
	for i := range t.holds[:t.holdsLen] {
		if h := &t.holds[i]; uint64(h.op) == op && (h.who == 0 || h.who == gp.macemc.id) && (h.nth == 0 || h.seen < h.nth) {
			return true
		}
	}
	return false
}

// macemcHeld reports whether a hold makes the running goroutine pause before an operation.
func macemcHeld(gp *g, op uint64, w *macemcWhere) (held bool) {
	t := macemcT
	for i := range t.holds[:t.holdsLen] {
		h := &t.holds[i]
		if uint64(h.op) != op || h.who != 0 && h.who != gp.macemc.id || h.context != w.context {
			continue
		}
		if h.seen++; h.nth != 0 && h.seen != h.nth || h.nth == 0 && h.seen > macemcHoldsMost ||
			h.mode&macemcHoldLocked != 0 && !macemcHoldsLock(gp) {
			continue
		}
		held = true
		t.directed = t.directed || h.mode&macemcHoldKeep == 0
		gp.macemc.test.last = gp.macemc.test.last || h.mode&macemcHoldLast != 0
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
func macemcHoldNext(gp *g, op uint64, w *macemcWhere) (held bool) {
	t, me := macemcT, &gp.macemc.test
	if t.holdsLen == 0 || t.executed < t.until || !macemcHeld(gp, op, w) {
		return false
	}
	macemcPauses = true
	macemcRecord(gp.macemc.id, me.places, macemcPause)
	mcall(macemcTestPause)
	me.last = false
	return true
}

// macemcFirstNotLast returns the index of the first goroutine in the queue that is not to continue last.
func macemcFirstNotLast() int {
	for i := range macemcQ.n {
		if at := macemcQ.nth(i); !macemcQ.at(at).gp.ptr().macemc.test.last {
			return at
		}
	}
	return macemcQ.start()
}
