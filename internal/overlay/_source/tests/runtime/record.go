// The differences from the default order, which a run records (macemcRecord) and the next one follows (macemcFollow). In the default order
// the running goroutine goes on until it blocks. A point is an operation before which another one can be chosen (macemcDecidePoint).

package runtime

// macemcSwitch makes a goroutine yield to another one after a place.
type macemcSwitch struct {
	who   uint64
	place uint64 // number of its point. Bits 40 to 61 count timers fired there; with macemcBlocked, its turns since then, plus macemcPassed
	to    uint64 // goroutine, timer, macemcTimePasses or macemcPause
}

const (
	macemcBlocked = 1 << 63 // the goroutine could not continue after that point
	macemcPassed  = 1 << 52 // is added for each time that time has passed there
	macemcCase    = 1 << 62 // choice of a select's case at that point: to is macemcFirstCase plus the number of the case
)

const macemcFirstCase = 2

// Values of macemcSwitch.to, as in package testsched. No goroutine or timer of a test has these numbers.
const (
	macemcTimePasses = 1
	macemcPause      = 2 // the goroutine waits until all others wait
)

// macemcRecord records a switch that differs from the default order, unless record is full: it has room for so many.
func macemcRecord(who, place, to uint64) {
	t := macemcT
	if t.n < t.recordLen {
		t.record[t.n] = macemcSwitch{who, place, to}
	}
	t.n++
}

// macemcFollow returns the goroutine to which another one yields at a place; 0 means that the default order applies. The last operation that
// follows recorded switches may be a select, whose case is chosen after it is counted.
func macemcFollow(who, place uint64) uint64 {
	t := macemcT
	if t.directed || t.until != 0 && (t.executed > t.until || t.executed == t.until && place&macemcCase == 0) {
		return 0
	}
	mask := uint64(t.replayedLen - 1)
	for i := macemcMix(who^place<<24) & mask; ; i = (i + 1) & mask {
		s := &t.replayed[i]
		if s.who == who && s.place == place || s.who == 0 {
			return s.to
		}
	}
}
