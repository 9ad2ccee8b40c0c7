// Systematic exploration: the options of each decision, and sleep sets.

package runtime

import testrun "internal/runtime"

// macemcNumbers is a hash table of objects by address.
type macemcNumbers struct {
	slots [128]struct {
		key    uintptr // address in words plus 1; 0 means none
		number uint8
	}
	n uint8
}

// macemcNumbered holds the numbers of objects in the run.
var macemcNumbered macemcNumbers

// macemcBit returns the bit of an object in masks. The first 64 objects of a run have bits of their own, so that masks do not depend on
// addresses. An RWMutex has the bit of its first field.
//
//go:nosplit
func macemcBit(obj uintptr) uint64 {
	t, key := &macemcNumbered, obj>>3+1
	hash := macemcMix(uint64(key))
	for i := hash % uint64(len(t.slots)); ; i = (i + 1) % uint64(len(t.slots)) {
		s := &t.slots[i]
		if s.key == 0 && t.n < 64 {
			s.key, s.number = key, t.n
			t.n++
		}
		switch s.key {
		case key:
			return 1 << s.number
		case 0:
			return 1 << (hash >> 58)
		}
	}
}

// macemcMask returns the bits of the objects that a goroutine's next operation uses.
//
//go:nosplit
func macemcMask(gp *g) uint64 {
	me := &gp.macemc.test
	switch {
	case gp.macemc.unscheduled > 0 || me.op == testrun.Clock: // inside a Once, or time passes
		return ^uint64(0)
	case me.op == testrun.Go || me.op == testrun.Gosched || me.op == testrun.End:
		return 0
	case me.op == testrun.Select:
		return me.chans
	}
	return macemcBit(me.obj)
}

// macemcDecide records what can come next and returns an index. Index 0 is the choice of the default order. At a point of goroutine gp, gp
// is first, before the other runnable goroutines, macemcTimers, and the passage of time if mayPass is set. If gp is nil and notDue is not
// set, macemcTimers precede the goroutines.
func macemcDecide(gp *g, notDue, mayPass bool) int {
	first, kind := macemcT.noptions, uint32(testrun.AtEnd)
	if gp != nil {
		kind = testrun.AtPoint
		macemcOffer(gp.macemc.id, macemcMask(gp))
	} else if !notDue {
		macemcOfferTimers()
	}
	for i := macemcQ.start(); i >= 0; i = macemcQ.after(i) {
		r := macemcQ.at(i)
		macemcOffer(r.who, macemcMask(r.gp.ptr()))
		if t := macemcT; !t.cut {
			t.options[t.noptions-1].Yielded = r.gp.ptr().macemc.test.op == testrun.Gosched
		}
	}
	if gp != nil || notDue {
		macemcOfferTimers()
	}
	if mayPass {
		macemcOffer(testrun.TimePasses, ^uint64(0))
	}
	return macemcTake(kind, first)
}

func macemcOfferTimers() {
	for i := range macemcTimersN {
		macemcOffer(macemcTimerWho(i), ^uint64(0))
	}
}

func macemcOffer(who, mask uint64) {
	t := macemcT
	if t.noptions < uint32(len(t.options)) {
		t.options[t.noptions] = testrun.Option{Who: who, Mask: mask}
		t.noptions++
	} else {
		t.cut, t.long = true, true
	}
}

// macemcTake decides between the options, starting at index first.
func macemcTake(kind, first uint32) int {
	t := macemcT
	n := t.noptions - first
	if t.cut || t.ndecided >= uint32(len(t.decided)) {
		t.long = t.long || t.ndecided >= uint32(len(t.decided))
		macemcCuts()
		return 0
	}
	if n == 1 && !t.reduce {
		t.noptions = first
		return 0
	}
	taken := uint32(0)
	if t.ndecided < uint32(len(t.plan)) {
		taken = t.plan[t.ndecided]
		if taken >= n { // the run deviates from the plan
			taken = 0
			macemcCuts()
		}
	} else if kind < testrun.AtSelect {
		for taken < n && macemcAsleep(t.options[first+taken].Who) >= 0 {
			taken++
		}
		if taken == n {
			taken = 0
			macemcCuts()
		}
		macemcWake(first, n, t.options[first+taken].Mask)
	}
	t.decided[t.ndecided] = macemcDecision{kind, taken, first, n}
	t.ndecided++
	return int(taken)
}

// macemcCuts ends a run that other runs continue in each way. If it may have changed files, it goes on in the default order instead: its end
// may undo that.
func macemcCuts() {
	t := macemcT
	if t.finishes && !t.cut {
		t.finished, t.policy = true, testrun.Default
		return
	}
	t.cut = true
}

func macemcAsleep(who uint64) int {
	for i := range macemcT.asleep[:macemcT.nasleep] {
		if macemcT.asleep[i] == who {
			return i
		}
	}
	return -1
}

// macemcIndependent is independent in package testsched.
//
//go:nosplit
func macemcIndependent(mask, other uint64) bool {
	return mask&other == 0 && mask != ^uint64(0) && other != ^uint64(0)
}

// macemcWake removes goroutines from the sleep set whose next operation depends on an operation with the given mask.
func macemcWake(first, n uint32, mask uint64) {
	t := macemcT
	kept := uint32(0)
	for i := uint32(0); i < t.nasleep; i++ {
		for k := first; k < first+n; k++ {
			if t.options[k].Who == t.asleep[i] && macemcIndependent(t.options[k].Mask, mask) {
				t.asleep[kept] = t.asleep[i]
				kept++
				break
			}
		}
	}
	t.nasleep = kept
}

// macemcMakesCoroutine is called before a coroutine is made.
func macemcMakesCoroutine() { macemcLeavesOut(testrun.UsesCoroutines) }

// macemcLeavesOut records a reason why the orders of points do not cover all outcomes of the test.
func macemcLeavesOut(what testrun.Limits) {
	if macemcTested() {
		macemcT.leftOut |= what
	}
}
