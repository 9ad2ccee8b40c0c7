// Statements of a test that select a case, and its choice.

package runtime

import (
	testrun "internal/runtime"
	"unsafe"
)

// macemcRebubble assigns a channel that another run has left behind to the bubble of this run. A channel that a goroutine outside the test
// uses, perhaps after the run, belongs to no bubble.
func macemcRebubble(c *hchan) {
	if c != nil && c.bubble != nil && macemcTestStep != nil {
		if b := getg().bubble; c.bubble != b && c.timer == nil && (b == nil || macemcT != nil) {
			// Memory of a channel of elements without pointers does not keep its bubble. The bubble of an earlier run may
			// have been collected, and a write barrier would mark it.
			*(*uintptr)(unsafe.Pointer(&c.bubble)) = uintptr(unsafe.Pointer(b))
		}
	}
}

func macemcSelected(cas0 *scase, nsends, nrecvs int, block bool) {
	t := macemcT
	cases := (*[1 << 16]scase)(unsafe.Pointer(cas0))[: nsends+nrecvs : nsends+nrecvs]
	if t == nil {
		for i := range cases {
			macemcRebubble(cases[i].c)
			if macemcInProcess {
				macemcMoveChan(cases[i].c)
			}
		}
		if block {
			macemcYield()
		}
		return
	}
	me := &getg().macemc.test
	me.chans, me.pick = 0, 0
	for i := range cases {
		if c := cases[i].c; c != nil {
			macemcRebubble(c)
			if getg().bubble != nil {
				me.chans |= macemcBit(uintptr(unsafe.Pointer(c)))
			}
			me.poll(c)
		}
	}
	macemcPointed(testrun.Select, 0)
	me.polled = 0
	me.pick = macemcPickCase(cases, nsends)
	macemcOperatesCases(getg(), cases, nsends, block, me.pick)
	if t.traced && !t.over {
		macemcTraceCase(cases, nsends, block, me.pick)
	}
}

// macemcPickCase returns the number, starting at 1, of the ready case that a select takes; 0 means that none is ready. Cases without a
// channel have no number. The default order takes the first one, and other choices are recorded.
func macemcPickCase(cases []scase, nsends int) uint32 {
	gp, t := getg(), macemcT
	if gp.bubble == nil || gp.macemc.id <= macemcMain || t.over || t.cut {
		return 0
	}
	policy, place := macemcPolicy(), gp.macemc.test.places|testrun.CaseBit
	if policy == testrun.Systematic {
		return macemcPlanCase(cases, nsends, place)
	}
	ready, only := macemcReadyCases(cases, nsends, -1)
	if ready == 0 {
		return 0
	}
	if ready == 1 {
		return uint32(macemcCaseNumber(cases, only)) + 1
	}
	taken := 0
	switch {
	case policy != testrun.Default && t.executed != t.until:
		x := macemcMix(t.seed ^ macemcMix(^(gp.macemc.id ^ place<<24)))
		taken = int((x >> 32) * uint64(ready) >> 32)
	case len(t.replayed) != 0:
		if who := macemcFollow(gp.macemc.id, place); who >= testrun.FirstCase {
			t.followed++
			return uint32(who) - testrun.FirstCase + 1
		}
	}
	_, at := macemcReadyCases(cases, nsends, taken)
	number := macemcCaseNumber(cases, at)
	if taken > 0 {
		macemcRecord(gp.macemc.id, place, testrun.FirstCase+number)
	}
	return uint32(number) + 1
}

// macemcCaseAt returns the index of the case of a select that is number k in the source, starting at 0: the compiler lists those that
// receive in reverse order. It puts those that send first.
func macemcCaseAt(cases []scase, nsends, k int) int {
	if k < nsends {
		return k
	}
	return len(cases) - 1 - (k - nsends)
}

// macemcCaseNumber returns the number of the case of an index. Cases without a channel have no number.
func macemcCaseNumber(cases []scase, at int) (number uint64) {
	for i := range at {
		if cases[i].c != nil {
			number++
		}
	}
	return number
}

// macemcReadyCases returns the number of ready cases of a select, and the index of the last one. It stops at the case before which nth
// others are ready.
func macemcReadyCases(cases []scase, nsends, nth int) (ready, last int) {
	for k := range cases {
		i := macemcCaseAt(cases, nsends, k)
		if c := cases[i].c; c != nil && macemcCanDo(c, i < nsends) {
			if last = i; ready == nth {
				break
			}
			ready++
		}
	}
	return ready, last
}

// macemcPlanCase is macemcPickCase for a systematic run.
func macemcPlanCase(cases []scase, nsends int, place uint64) uint32 {
	t, first := macemcT, macemcT.noptions
	for n := range cases {
		i := macemcCaseAt(cases, nsends, n)
		c := cases[i].c
		if c == nil {
			continue
		}
		for k := range cases {
			if k != i && cases[k].c == c {
				t.sampled |= testrun.SampledCases
			}
		}
		if macemcCanDo(c, i < nsends) {
			macemcOffer(macemcCaseNumber(cases, i), 0)
		}
	}
	if t.noptions-first < 2 {
		t.noptions = first
		return 0
	}
	k := macemcTake(testrun.AtSelect, first)
	if t.cut {
		macemcHalt()
	}
	who := t.options[first+uint32(k)].Who
	if k > 0 {
		macemcRecord(getg().macemc.id, place, testrun.FirstCase+who)
	}
	return uint32(who) + 1
}

// macemcCanDo reports whether a case of a select is ready. A timer of the channel that is due fires.
func macemcCanDo(c *hchan, send bool) bool {
	if c.timer != nil {
		c.timer.maybeRunChan(c)
	}
	if c.closed != 0 || send && c.qcount < c.dataqsiz || !send && c.qcount > 0 {
		return true
	}
	q := &c.sendq
	if send {
		q = &c.recvq
	}
	for s := q.first; s != nil; s = s.next {
		if !s.isSelect || s.g.selectDone.Load() == 0 {
			return true
		}
	}
	return false
}
