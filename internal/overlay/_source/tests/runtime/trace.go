// The record of a traced run: its operations, the states of its goroutines, and the places where they started.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// macemcEvent is an operation that a goroutine executes. The event of a go statement comes after the start of the new goroutine.
type macemcEvent struct {
	who    uint64
	number uint64
	place  uint64
	op     uint64
	obj    uintptr
	count  uint64 // number of executed operations, including this one
	by     uint64 // number of the goroutine that has made this one runnable since its last point; 0 means none
	byAt   uint64 // point of that goroutine
	takes  uint64 // what a select executes that does not wait: macemcOpSend, macemcOpReceive, or macemcOpSelect for the default case; 0 means another operation
	nth    uint64 // number of that case in the source, among those that send or among those that receive
	ready  uint64 // number of ready cases
	stack  [16]uintptr
}

// macemcGState is a change of a goroutine's state between two events of a trace.
type macemcGState struct {
	who    uint64
	number uint64
	after  uint64 // number of preceding events
	kind   uint64
	why    uint64      // for macemcGParks, the wait reason
	other  uint64      // for macemcGParks and macemcGHolder, the holder of the lock; for macemcGReady, the number of the waker; 0 means none
	stack  [16]uintptr // macemcGParks
}

// Kinds of macemcGState.
const (
	macemcGParks = iota
	macemcGReady
	macemcGEnds
	macemcGHolder // the holder of the lock that it waits for
)

// macemcOrigin is the start of a goroutine, or the setting of a timer that may start goroutines.
type macemcOrigin struct {
	number uint64      // of the goroutine; 0 means that this is the setting of the timer
	timer  uint64      // 0 means that a go statement of a goroutine of the test started the goroutine
	by     uint64      // number of the goroutine that executed the go statement or set the timer; 0 means none
	byAt   uint64      // point of that goroutine
	stack  [16]uintptr // of that goroutine
}

func macemcTrace(gp *g, op uint64, obj uintptr) {
	t := macemcT
	e, me := &t.trace[t.ntrace%t.traceLen], &gp.macemc.test
	switch {
	case me.tries && op == macemcOpSend:
		op = macemcOpTrySend
	case me.tries && op == macemcOpReceive:
		op = macemcOpTryReceive
	}
	*e = macemcEvent{who: gp.macemc.id, number: me.number, place: me.places, op: op, obj: obj, count: t.executed, by: me.by, byAt: me.byAt}
	me.by = 0
	callers(2, e.stack[:])
	t.ntrace++
}

// macemcLastEvent returns the last event if it is the present operation of the running goroutine; otherwise nil.
func macemcLastEvent() *macemcEvent {
	t := macemcT
	if t.ntrace == 0 {
		return nil
	}
	if e := &t.trace[(t.ntrace-1)%t.traceLen]; e.who == getg().macemc.id && e.count == t.executed {
		return e
	}
	return nil
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
	if t == nil || !t.traced || t.over || t.statesLen == 0 {
		return nil
	}
	s := &t.states[t.nstates%t.statesLen]
	t.nstates++
	*s = macemcGState{who: who, after: uint64(t.ntrace), kind: kind, other: other}
	return s
}

// macemcOriginOf adds an entry to the origins of a traced run. It returns nil if the run is not traced or there is no room.
func macemcOriginOf(number, timer uint64, by *g) *macemcOrigin {
	t := macemcT
	if t == nil || !t.traced || t.over || t.norigins == t.originsLen {
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
	if t := macemcT; t == nil || !t.traced || t.statesLen == 0 {
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

// macemcMostTraced is the maximum number of cases of a select whose choice is traced.
const macemcMostTraced = 64

// macemcTraceCase completes the last event, if it is this select: with the case that it takes. It predicts the order in which selectgo
// polls the cases.
func macemcTraceCase(cases []scase, nsends int, block bool) {
	gp, e := getg(), macemcLastEvent()
	if e == nil || e.op != macemcOpSelect || len(cases) > macemcMostTraced {
		return
	}
	var order [macemcMostTraced]int
	n, drawn := uint32(0), gp.macemc.cases
	for i := range cases {
		if cases[i].c == nil {
			continue
		}
		j := macemcRandn(n + 1)
		order[n] = order[j]
		order[j] = i
		n++
	}
	gp.macemc.cases = drawn
	for _, i := range order[:n] {
		c := cases[i].c
		if !macemcCanDo(c, i < nsends) {
			continue
		}
		if e.ready++; e.ready > 1 {
			continue
		}
		e.obj = uintptr(unsafe.Pointer(c))
		if e.takes, e.nth = macemcOpSend, uint64(i); i >= nsends { // the compiler lists the others in reverse order
			e.takes, e.nth = macemcOpReceive, uint64(len(cases)-1-i)
		}
	}
	if e.ready == 0 && !block {
		e.takes = macemcOpSelect
	}
}

// macemcTraceTry completes the last event, if it is this operation, which does not wait: with the operation, or with a select that takes
// its default case.
func macemcTraceTry(c *hchan, op uint64) {
	e := macemcLastEvent()
	if e == nil || e.op != macemcOpTrySend && e.op != macemcOpTryReceive {
		return
	}
	e.takes = macemcOpSelect
	if c != nil && macemcCanDo(c, op == macemcOpSend) {
		e.takes, e.ready = op, 1
	}
}
