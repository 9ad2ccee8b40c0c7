// The garbage collector, locks of the runtime, and system calls, which do not change who runs next.

package runtime

// macemcCallFor is how long a system call keeps the P.
const macemcCallFor = 2e9

// macemcCollector starts the garbage collector on behalf of goroutines of the bubble. In one of these, the start would wait for locks of
// others, and other goroutines of the bubble would overtake it.
var macemcCollector struct {
	lock mutex
	g    *g
	idle bool
}

func macemcCollect() {
	macemcCollector.g = getg()
	for {
		lock(&macemcCollector.lock)
		macemcCollector.idle = true
		goparkunlock(&macemcCollector.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
		gcStart(gcTrigger{kind: gcTriggerHeap})
	}
}

// macemcAsk requests the start of the collector at the next turn of goroutines outside the bubble.
func macemcAsk() {
	mp := acquirem()
	if gp := getg(); gp != mp.g0 && mp.locks == 1 && mp.preemptoff == "" {
		lock(&macemcCollector.lock)
		idle := macemcCollector.idle
		macemcCollector.idle = false
		unlock(&macemcCollector.lock)
		if idle {
			macemcOutsideTurn = true
			goready(macemcCollector.g, 1)
		}
	}
	releasem(mp)
}

// macemcAcquire waits for a lock of the runtime that others hold. No other goroutine of the bubble runs meanwhile.
func macemcAcquire(addr *uint32) {
	for !cansemacquire(addr) {
		mcall(gopreempt_m)
	}
}

// macemcHolds reports whether a goroutine in a system call keeps the P. A goroutine of the bubble does, so that no other one of the bubble
// runs meanwhile. After macemcCallFor it loses the P, so that a watchdog can report it.
func macemcHolds(gp *g, pp *p, now int64) bool {
	if !macemcMine(gp) {
		return false
	}
	if macemcCallSince == 0 || pp.syscalltick != macemcCall {
		macemcCall, macemcCallSince = pp.syscalltick, now
	}
	return now-macemcCallSince < macemcCallFor
}
