// The differences from the default order, which a run records (macemcRecord) and the next one follows (macemcFollow). In the default order
// the running goroutine goes on until it blocks. A point is an operation before which another one can be chosen (macemcDecidePoint).

package runtime

import testrun "internal/runtime"

// macemcRecord records a switch that differs from the default order, unless record is full: it has room for so many.
func macemcRecord(who, place, to uint64) {
	t := macemcT
	if t.n < uint32(len(t.record)) {
		t.record[t.n] = testrun.Switch{Who: who, Place: place, To: to}
	}
	t.n++
}

// macemcFollow returns the goroutine to which another one yields at a place; 0 means that the default order applies. The last operation
// that follows recorded switches may be a select, whose case is chosen after it is counted.
func macemcFollow(who, place uint64) uint64 {
	t := macemcT
	if t.directed || t.until != 0 && (t.executed > t.until || t.executed == t.until && place&testrun.CaseBit == 0) {
		return 0
	}
	mask := uint64(len(t.replayed) - 1)
	for i := macemcMix(who^place<<24) & mask; ; i = (i + 1) & mask {
		s := &t.replayed[i]
		if s.Who == who && s.Place == place || s.Who == 0 {
			return s.To
		}
	}
}
