// The end of all goroutines of a bubble, whatever they wait for.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
)

// macemc_kill ends all goroutines of the caller's bubble except its main goroutine. They must be waiting. Their deferred functions do not
// run. The timers of a node end, too.
func macemc_kill() {
	macemcCur.stopped, macemcCur.heldBack = 0, 0
	b := getg().bubble
	macemcEnd(b.id, getg())
	if macemcT == nil {
		for i := range b.timers.heap {
			b.timers.heap[i].timer.stop()
		}
		macemcTidy(&b.timers)
	}
}

// macemc_abort ends the step in progress and all goroutines of its bubble except the main one, in any state except in a system call. The
// driver continues.
func macemc_abort(bubble uint64) {
	macemcOn = false
	macemcCur = nil
	d := macemcDriver.g
	macemcEnd(bubble, d)
	if d != nil && readgstatus(d) == _Gwaiting {
		if d.waitreason == waitReasonSynctestWait { // as maybeWakeLocked does
			d.bubble.incActive()
			goready(d, 1)
		} else if d.waitreason == waitReasonSleep {
			d.timer.stop()
			goready(d, 1)
		}
	}
	for macemcHead != 0 {
		gp := macemcHead.ptr()
		macemcHead = gp.schedlink
		gp.schedlink = 0
		mp := acquirem()
		runqput(mp.p.ptr(), gp, false)
		releasem(mp)
	}
	macemcTail, macemcQueued = 0, 0
}

// macemcEnd makes the goroutines of a bubble exit when they next run.
func macemcEnd(bubble uint64, me *g) {
	forEachG(func(gp *g) {
		if gp == me || gp.bubble == nil || gp.bubble.id != bubble || gp == gp.bubble.root || macemcT == nil && gp == gp.bubble.main {
			return
		}
		status := readgstatus(gp)
		if status != _Gwaiting && status != _Grunnable {
			return
		}
		for s := gp.waiting; s != nil; {
			next := s.waitlink
			c := s.c.get()
			if c == nil { // semaphores and Conds link their waiters differently
				if gp.waitreason == waitReasonSyncCondWait {
					macemcUnlist((*notifyList)(s.elem.get()), s)
				} else {
					macemcUnwait(s)
				}
				break
			}
			lock(&c.lock)
			macemcDequeue(c, s)
			unlock(&c.lock)
			s.waitlink = nil
			s.elem.set(nil)
			s.c.set(nil)
			s = next
		}
		if gp.timer != nil { // a sleep, whose timer would wake a later goroutine that reuses gp
			gp.timer.stop()
		}
		macemcUnwind(gp)
		if status == _Gwaiting {
			ready(gp, 0, false)
		}
	})
	macemcReleaseIntruders(bubble)
}

// macemcUnwind makes a stopped goroutine continue at the end of its stack, where it exits.
func macemcUnwind(gp *g) {
	macemcHear(gp)
	gp.waiting, gp.param, gp._defer, gp._panic = nil, nil, nil, nil
	if gp.waitreason == macemcWaitOutside {
		gp.waitreason = waitReasonSleep
	}
	gp.activeStackChans, gp.asyncSafePoint, gp.syncSafePoint = false, false, false
	gp.parkingOnChan.Store(false)
	gp.xRegs = xRegPerG{} // left by a preemption between two instructions
	gp.sched.sp = gp.stktopsp
	gp.sched.pc = abi.FuncPCABI0(goexit) + sys.PCQuantum
	gp.sched.ctxt, gp.sched.lr, gp.sched.bp = nil, 0, 0
}

// macemcDequeue removes s from the queue of its channel, if it is in one.
func macemcDequeue(c *hchan, s *sudog) {
	for _, q := range [...]*waitq{&c.sendq, &c.recvq} {
		for at := q.first; at != nil; at = at.next {
			if at == s {
				q.dequeueSudoG(s)
				return
			}
		}
	}
}

// macemcUnwait removes s from the waiters of its semaphore.
func macemcUnwait(s *sudog) {
	if addr := (*uint32)(s.elem.get()); addr != nil {
		macemcSift(addr, func(other *sudog) bool { return other != s })
	}
}

// macemcSift removes the waiters of a semaphore for which stays returns false.
func macemcSift(addr *uint32, stays func(s *sudog) bool) {
	root := semtable.rootFor(addr)
	lock(&root.lock)
	var first *sudog // of those that stay
	for at := &first; ; {
		s, _, _ := root.dequeue(addr)
		if s == nil {
			break
		}
		if stays(s) {
			*at = s
			at = &s.waitlink
		} else {
			root.nwait.Add(-1)
		}
	}
	for first != nil {
		s := first
		first, s.waitlink = s.waitlink, nil
		macemcQueue(root, addr, s)
	}
	unlock(&root.lock)
}

// macemcQueue appends a waiter to the queue of its semaphore.
func macemcQueue(root *semaRoot, addr *uint32, s *sudog) {
	me, gp := getg(), s.g
	waiting := me.waiting
	root.queue(addr, s, false)
	me.waiting = waiting
	s.g, gp.waiting = gp, s
}

// macemcUnlist removes s from the waiters of a Cond, if it is one. Without others, the next signal is for a later one.
func macemcUnlist(l *notifyList, s *sudog) {
	if l == nil {
		return
	}
	lock(&l.lock)
	for last, at := (*sudog)(nil), l.head; at != nil; last, at = at, at.next {
		if at != s {
			continue
		}
		if last == nil {
			l.head = s.next
		} else {
			last.next = s.next
		}
		if s.next == nil {
			l.tail = last
		}
		s.next = nil
		break
	}
	if l.head == nil {
		atomic.Store(&l.notify, l.wait.Load())
	}
	unlock(&l.lock)
}
