// A run of a test under one schedule, the state that all its parts share, and that of its goroutines.

package runtime

import testrun "internal/runtime"

// macemc_testWeigh adds an entry to a hash table, unless there is no room nearby.
func macemc_testWeigh(table []testrun.Weight, who, points uint64) {
	if w := macemcWeightOf(table, who); w != nil {
		*w = testrun.Weight{Who: who, Points: points}
	}
}

// macemcT is the current run; nil means none. The other variables belong to it.
var (
	macemcT           *macemcRun
	macemcRuns        uint64      // its number
	macemcTestStep    *macemcStep // state for its random numbers, its locks, and stopped goroutines
	macemcSpecial     [2]guintptr // goroutines of the bubble outside the test
	macemcNext        guintptr    // runs next unconditionally
	macemcAgain       guintptr    // preempted by wall clock, and continues before anything else; this does not count as a turn
	macemcRan         guintptr    // of a traced run: goroutine that ran last
	macemcLastWho     uint64      // goroutine that ran last
	macemcLastAt      uint64      // point of that goroutine
	macemcChildren    uint64      // number of goroutines that timers have started
	macemcTestPick    uint64
	macemcUntilWho    uint64 // goroutine that executed the last operation that follows recorded switches
	macemcLate        uint64 // number of points since its end
	macemcTestTurns   uint64 // how often a goroutine has continued
	macemcElapsed     uint64 // how often a timer has fired at a point
	macemcSince       int64  // instant from which macemcRun.within counts
	macemcIdleAt      int64  // last instant at which all goroutines waited or paused
	macemcIdle        int64  // sum of the time for which they did
	macemcWorked      int64  // sum of the time that operations have taken since macemcIdleAt
	macemcWorkNext    int64  // sum at which the clock advances next
	macemcPausedLimit int64  // instant to which time may pass before goroutines that pause continue
	macemcPauses      bool   // one of them follows the schedule
	macemcAsync       int32
	macemcStackMax    uintptr // maxstacksize of the process
	macemcCollects    bool
	macemcStopped     bool        // time stands still while goroutines run
	macemcTimers      [64]uintptr // timers that may fire next, in the default order
	macemcTimersN     int
	macemcFiring      *timer   // timer that is firing
	macemcWaiting     guintptr // a goroutine that waits until all others wait
	macemcFiles       int      // number of waits for files
	macemcWokeOutside bool     // a goroutine of the test has made one outside runnable, which has not had a turn since
)

// macemcTestG is the state of a goroutine of a test. It is part of macemcG.
type macemcTestG struct {
	number   uint64 // by age, starting at 1
	places   uint64 // number of points so far
	turns    uint64 // how often it has continued since its last point
	children uint64
	from     uintptr // go statement or, if that is in WaitGroup.Go, the call of it
	armed    uint64  // number of timers that it has armed
	obj      uintptr
	op       testrun.Op
	chans    uint64 // mask of the channels of a select
	entry    int    // index in macemcQ, while it is runnable
	ranges   uint64 // number of iterations over maps that it has begun
	pick     uint32 // number of the case, starting at 1, that a select polls first; 0 means a random one
	low      uint64 // priority after a drop; 0 means none
	macemcWork
	tries       bool  // the next send or receive does not block
	bubbled     bool  // it belongs to a bubble of testing/synctest
	polled      int64 // when the first timer is due whose channel the next operation uses, if no other goroutine waits for it; 0 means none
	halted      bool
	unwakable   bool       // nothing can wake it, see macemcFindUnwakable
	actsForTest macemcActs // of a goroutine outside the test
	sleeps      uint32     // how often it has slept since then
	by, byAt    uint64     // of a traced run: see macemcEvent
	macemcFileWait

	locks [8]uintptr // of a goroutine outside bubbles: addresses of locks that it holds; plus 1 for an RWMutex, which begins with a Mutex
}

// macemcFileWait is a wait for a file; nil means none. mode is 'r' or 'w'.
type macemcFileWait struct {
	file *pollDesc
	mode int32
}

// macemcWork counts the operations of a goroutine of a test, and its delays.
type macemcWork struct {
	sinceWait   uint32 // number of points since it last waited or paused
	reads       uint32 // number of clock readings since it last waited, while it ran alone
	delayed     int64  // sum of the time that has passed while it could run, see macemcLimitOf
	delayedAt   uint64 // places, and macemcIdle, when macemcLimitOf was called last
	delayedIdle int64
	readyAt     int64 // when it could run
	overflowed  bool  // see macemcOverflowed
	macemcOperating
}

// macemcStack is the maximum stack size of a goroutine, as on 32-bit systems. Runs that exceed it are executed many times.
const macemcStack = 250_000_000

// macemcStackStart is the initial stack size of goroutines. Each run starts new goroutines, and their stacks rarely grow beyond it.
const macemcStackStart = 8192

//go:nosplit
func macemcPolicy() testrun.Policy {
	if macemcT.executed < macemcT.until || macemcT.directed {
		return testrun.Default
	}
	if p := macemcT.policy; macemcT.points <= macemcLong || p == testrun.Default || p == testrun.Systematic || macemcT.unfair {
		return p
	}
	return testrun.Random
}

// macemcTested reports whether the caller belongs to an explored test.
//
//go:nosplit
func macemcTested() bool {
	return macemcT != nil && getg().bubble != nil && !macemcT.over
}

// macemcPrinted records output of a goroutine of the test, and reports whether it is then discarded. logged means that it is a log entry,
// which package testing prints later.
func macemcPrinted(text []byte, logged bool) (discarded bool) {
	gp, t := getg(), macemcT
	if t == nil || gp.bubble == nil || gp != gp.m.curg {
		return false
	}
	if !t.over && gp.macemc.id > macemcMain {
		number := uint32(gp.macemc.test.number)
		if logged {
			number |= 1 << 31
		}
		t.output.add(t.ntrace, number, text)
	}
	return t.output.muted
}

// add appends a record. If there is no room, the oldest ones are dropped.
func (t *macemcOutput) add(events, number uint32, text []byte) {
	const head = 12
	if len(t.records) == 0 {
		return
	}
	if most := len(t.records) / 4; len(text) > most {
		text = text[len(text)-most:]
	}
	if int(t.recorded)+head+len(text) > len(t.records) {
		from := uint32(0)
		for int(from) < len(t.records)/2 && from < t.recorded {
			n := t.records[from+8 : from+head]
			from += head + uint32(n[0]) + uint32(n[1])<<8 + uint32(n[2])<<16 + uint32(n[3])<<24
		}
		t.recorded = uint32(copy(t.records[:t.recorded-from], t.records[from:t.recorded]))
	}
	r := t.records[t.recorded:]
	for i, field := range [...]uint32{events, number, uint32(len(text))} {
		for j := range 4 {
			r[4*i+j] = byte(field >> (8 * j))
		}
	}
	t.recorded += head + uint32(copy(r[head:], text))
}
