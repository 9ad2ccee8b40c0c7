// Channels and wait groups that were made outside of a node, such as those of package variables. Nodes that are not processes share them.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// macemcForeign holds goroutines of nodes that were woken outside of the steps of their nodes. They do not run any more.
var macemcForeign struct {
	woken guintptr // linked by schedlink
	count int
	timed uint64 // goroutine of the last step that waits for a timer from outside of its node; 0 means none
}

// macemcQuiet is called when no goroutine of the bubble is runnable. It ends the step if nothing else can act, and if the goroutines that
// keep the bubble active all wait for something from outside of their node.
func macemcQuiet(pp *p) {
	d := macemcDriver.g
	if d == nil || d.bubble == nil || !macemcNoOthers(pp) {
		return
	}
	b, waits := d.bubble, 0
	forEachG(func(gp *g) {
		if macemcWaitsOutside(gp, b) {
			waits++
		}
	})
	lock(&b.mu)
	settled := waits > 0 && b.running == waits && b.active == 0
	unlock(&b.mu)
	if !settled {
		return
	}
	forEachG(func(gp *g) {
		if macemcWaitsOutside(gp, b) {
			for s := gp.waiting; s != nil && gp.waitreason != waitReasonSyncWaitGroupWait; s = s.waitlink {
				if c := s.c.get(); c != nil && c.timer != nil && c.bubble == nil {
					macemcForeign.timed = gp.macemc.id
				}
			}
			gp.waitreason = macemcWaitOutside
		}
	})
	lock(&b.mu)
	b.running -= waits
	wake := b.maybeWakeLocked()
	unlock(&b.mu)
	if wake != nil {
		goready(wake, 0)
	}
}

// macemcWaitsOutside reports whether a goroutine of a bubble waits for something that was made outside of it. The main goroutine is exempt:
// it waits for the next step.
func macemcWaitsOutside(gp *g, b *synctestBubble) bool {
	if gp.bubble != b || gp.macemc.id <= macemcMain || readgstatus(gp) != _Gwaiting {
		return false
	}
	switch gp.waitreason {
	case waitReasonChanReceive, waitReasonChanSend, waitReasonSelect, waitReasonSyncWaitGroupWait:
		return true
	}
	return false
}

// macemcIntrudes is called when a goroutine becomes runnable that has waited for something from outside of its node. It retains the
// goroutine, and returns true, if no step of its node is in progress.
func macemcIntrudes(gp *g) bool {
	if macemcOn && macemcDriver.g != nil && macemcDriver.g.bubble == gp.bubble {
		return false
	}
	gp.schedlink = macemcForeign.woken
	macemcForeign.woken.set(gp)
	macemcForeign.count++
	return true
}

// macemcReleaseIntruders lets the retained goroutines of a bubble exit.
func macemcReleaseIntruders(bubble uint64) {
	all := macemcForeign.woken
	macemcForeign.woken, macemcForeign.count = 0, 0
	for all != 0 {
		gp := all.ptr()
		all = gp.schedlink
		if gp.bubble.id != bubble {
			macemcIntrudes(gp)
			continue
		}
		gp.schedlink, gp.waitreason = 0, waitReasonZero
		mp := acquirem()
		runqput(mp.p.ptr(), gp, false)
		releasem(mp)
	}
}

// macemc_intruded returns the number of retained goroutines, one of those of a bubble, and a goroutine that waits in the step for a timer
// from outside of its node. 0 means that there is none.
func macemc_intruded(bubble uint64) (count int, gid, timed uint64) {
	for at := macemcForeign.woken; at != 0; at = at.ptr().schedlink {
		if gp := at.ptr(); gp.bubble.id == bubble {
			gid = gp.macemc.id
		}
	}
	timed, macemcForeign.timed = macemcForeign.timed, 0
	return macemcForeign.count, gid, timed
}

// macemcUsedOutside reports whether a WaitGroup counts goroutines outside of the node that calls Add. It then belongs to no bubble.
func macemcUsedOutside(wg unsafe.Pointer) bool {
	const flag = 0x8000_0000 // waitGroupBubbleFlag of package sync
	state := (*uint64)(wg)
	if s := atomic.Load64(state); s != 0 && s&flag == 0 {
		return true
	}
	if getOrSetBubbleSpecial(wg, getg().bubble.id, false) == bubbleAssocOtherBubble {
		atomic.And64(state, ^uint64(flag))
		return true
	}
	return false
}
