// The record of a traced run: its operations, the states of its goroutines, and the places where they started.

package runtime

import (
	"internal/goarch"
	testrun "internal/runtime"
	"unsafe"
)

// Values of macemcEvent.result, of operations that may fail: attempts to lock, comparisons with swaps, and the ends of timers.
const (
	macemcReturnedFalse = 1
	macemcReturnedTrue  = 2
)

func macemcTrace(gp *g, op testrun.Op, obj uintptr) {
	t, me := macemcT, &gp.macemc.test
	if t.followed == 0 {
		t.window.unchanged = t.ntrace
	}
	if t.window.end > 0 && t.ntrace >= t.window.end {
		t.ntrace++
		return
	}
	e := &t.trace[t.ntrace%uint32(len(t.trace))]
	switch {
	case me.tries && op == testrun.Send:
		op = testrun.TrySend
	case me.tries && op == testrun.Receive:
		op = testrun.TryReceive
	}
	*e = macemcEvent{who: gp.macemc.id, number: me.number, place: me.places, op: op, obj: obj, count: t.executed, by: me.by, byAt: me.byAt}
	if op == testrun.TryLock {
		e.result = macemcReturnedFalse
	}
	me.by = 0
	callers(2, e.stack[:])
	t.ntrace++
}

// macemcLastEvent returns the last event if it is the present operation of the running goroutine; otherwise nil.
func macemcLastEvent() *macemcEvent {
	t := macemcT
	if t.ntrace == 0 || t.window.end > 0 && t.ntrace > t.window.end {
		return nil
	}
	if e := &t.trace[(t.ntrace-1)%uint32(len(t.trace))]; e.who == getg().macemc.id && e.count == t.executed {
		return e
	}
	return nil
}

// macemcTraceResult completes the last event with a result, if it is this operation of the running goroutine.
func macemcTraceResult(op testrun.Op, ok bool) {
	t := macemcT
	if t == nil || !t.traced || t.over {
		return
	}
	if e := macemcLastEvent(); e != nil && e.op == op {
		e.result = macemcReturnedFalse
		if ok {
			e.result = macemcReturnedTrue
		}
	}
}

// macemcTimerStopped records the result of a method that stops or resets a timer.
func macemcTimerStopped(ok bool) bool {
	macemcTraceResult(testrun.Timer, ok)
	return ok
}

// macemcTraceState records a change of a goroutine's state.
func macemcTraceState(gp *g, kind, other uint64) {
	if gp.macemc.id <= macemcMain || gp.macemc.test.halted {
		return
	}
	if s := macemcStateOf(gp.macemc.id, kind, other); s != nil {
		s.number = gp.macemc.test.number
		if kind == macemcGParks {
			s.why = uint64(gp.waitreason)
			gcallers(gp, 0, s.stack[:])
		}
	}
}

// macemcStateOf adds an entry to the states of a traced run, over the oldest one if there is no room; nil means that the run is not traced.
func macemcStateOf(who, kind, other uint64) *macemcGState {
	t := macemcT
	if t == nil || !t.traced || t.over || len(t.states) == 0 || t.window.end > 0 && t.ntrace > t.window.end {
		return nil
	}
	s := &t.states[t.nstates%uint32(len(t.states))]
	t.nstates++
	*s = macemcGState{who: who, after: uint64(t.ntrace), kind: kind, other: other}
	return s
}

// macemcOriginOf adds an entry to the origins of a traced run. It returns nil if the run is not traced or there is no room.
func macemcOriginOf(number, timer uint64, by *g) *macemcOrigin {
	t := macemcT
	if t == nil || !t.traced || t.over || t.norigins == uint32(len(t.origins)) {
		return nil
	}
	o := &t.origins[t.norigins]
	t.norigins++
	*o = macemcOrigin{number: number, timer: timer}
	if by != nil {
		o.by, o.byAt = by.macemc.test.number, by.macemc.test.places
	}
	return o
}

// macemcTraceHolder records the holder of a lock for the goroutines that wait for it.
func macemcTraceHolder(lock uintptr) {
	if t := macemcT; t == nil || !t.traced || len(t.states) == 0 {
		return
	}
	for i := range macemcCur.locks[:macemcCur.nlocks] {
		if h := &macemcCur.locks[i]; h.lock == lock && h.state&1 == 0 {
			macemcStateOf(h.gid, macemcGHolder, macemcHolder(h.gid))
		}
	}
}

// macemcGo caches whether go statements are in WaitGroup.Go.
var macemcGo [64]struct {
	pc    uintptr
	group bool
}

// macemcFrom returns macemcTestG.from for a go statement that a goroutine executes.
func macemcFrom(gp *g, pc uintptr) uintptr {
	e := &macemcGo[pc>>2%uintptr(len(macemcGo))]
	if e.pc != pc {
		e.pc, e.group = pc, funcname(findfunc(pc)) == "sync.(*WaitGroup).Go"
	}
	if !e.group || gp == nil {
		return pc
	}
	fp := gp.sched.bp
	for range 4 { // without frame pointers, it is unknown
		if fp <= gp.stack.lo || fp >= gp.stack.hi {
			break
		}
		caller := *(*uintptr)(unsafe.Pointer(fp))
		if *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) == pc && gp.stack.lo < caller && caller < gp.stack.hi {
			return *(*uintptr)(unsafe.Pointer(caller + goarch.PtrSize))
		}
		fp = caller
	}
	return pc
}

// macemcTraceCase completes the last event, if it is this select: with the case that it takes. That is the picked one; if none is picked, at
// most one is ready. If a schedule that does not fit has picked another one, see macemcRandn, the first case is behind those before the picked
// one.
func macemcTraceCase(cases []scase, nsends int, block bool, picked uint32) {
	e := macemcLastEvent()
	if e == nil || e.op != testrun.Select {
		return
	}
	if uint64(picked) > macemcCaseNumber(cases, len(cases)) { // the code has changed
		picked = 0
	}
	taken := uint32(0)
	for i := range cases {
		c := cases[i].c
		if c == nil || !macemcCanDo(c, i < nsends) {
			continue
		}
		e.ready++
		number := uint32(macemcCaseNumber(cases, i)) + 1
		if number != picked && taken != 0 && (taken != 1 || number > picked) {
			continue
		}
		taken = number
		e.obj = uintptr(unsafe.Pointer(c))
		if e.takes, e.nth = testrun.Send, uint64(i); i >= nsends { // the compiler lists the others in reverse order
			e.takes, e.nth = testrun.Receive, uint64(len(cases)-1-i)
		}
	}
	if e.ready == 0 && !block {
		e.takes = testrun.Select
	}
}

// macemcTraceTry completes the last event, if it is this operation, which does not wait: with the operation, or with a select that takes
// its default case.
func macemcTraceTry(c *hchan, op testrun.Op) {
	e := macemcLastEvent()
	if e == nil || e.op != testrun.TrySend && e.op != testrun.TryReceive {
		return
	}
	e.takes = testrun.Select
	if c != nil && macemcCanDo(c, op == testrun.Send) {
		e.takes, e.ready = op, 1
	}
}
