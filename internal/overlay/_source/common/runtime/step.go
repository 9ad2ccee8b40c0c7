// The step that a node or test executes, the state that all changes of the runtime share, and that of each goroutine.

package runtime

// macemcStep is the state of the node that executes the current step. Its fields must match the type control of package bubble.
type macemcStep struct {
	seed            uint64 // seed of select and of the program's random numbers
	sched           uint64 // seed of the schedule
	mode            uint32 // macemcFIFO, macemcRandom or macemcPCT
	every           uint32 // mode random: one in every places yields; 0 means none
	changes         uint32 // mode PCT: number of priority changes left
	resigns         uint32 // mode PCT: number of priorities lowered by runtime.Gosched or for fairness
	holdBacks       uint32 // number of goroutines that may still be held back until the next step
	number          uint32 // number of the step
	ids             uint64 // number of goroutines that the node has had
	timers          uint32 // number of timers that it has armed
	outside         macemcOutside
	locksOverflowed bool // locks had no room, so deadlocks may be missed
	readClock       bool // the program has read the clock
	nlocks          int32
	locks           [64]macemcLockUse
	stopped         guintptr // goroutines that wait for the next step because they called runtime.Gosched too often, or are held back
	heldBack        uint32   // number of goroutines that are held back
	yields          uint64
	wall            macemcWall
	main            guintptr      // main goroutine of the bubble
	places          *macemcPlaces // nil means that the step is not traced
}

// macemcOutside counts the times that a goroutine waited for something outside the bubble.
type macemcOutside struct {
	count uint32
	last  uint64 // last goroutine that did
	why   uint8  // its waitReason
}

// macemcWall relates the wall clock of a node to the clock of its bubble, in nanoseconds.
type macemcWall struct {
	ahead  int64 // by how much jumps have put it forward
	offset int64 // from the clock of the bubble to a wall clock without jumps
}

// Goroutines of a bubble outside its program.
const (
	macemcRoot = 1 + iota // fires timers
	macemcMain            // executes the orders of the checker
)

const (
	macemcFIFO = iota
	macemcRandom
	macemcPCT
)

// macemcG is the state of a goroutine. It is part of g.
type macemcG struct {
	macemcCommonG
	test macemcTestG
}

// macemcCommonG is the part of macemcG that does not belong to tests.
type macemcCommonG struct {
	id              uint64 // number in its bubble, starting at 1; 0 means that it has none or has not run yet
	seed            uint64 // of random numbers outside of bubbles; 0 means those of the process
	draws           uint64
	cases           uint64 // number of draws by select
	places          uint64 // number of places where it might have yielded
	low             uint64 // mode PCT: priority in step lowAt
	lowAt           uint32
	spins           uint32 // number of runtime.Gosched calls in step spinsAt
	spinsAt         uint32
	nextStopped     guintptr // next element of the list stopped
	unscheduled     int32    // nesting depth of work outside the schedule: once-only initialization, or for the checker
	oncePerProcess  bool     // whether that initialization runs once per process
	perProcessDraws uint64   // number of draws during such initialization
	onceDraws       uint64   // number of draws during other initialization
	macemcRaceCall
}

// Only one P, and one bubble, runs at a time. The state below needs no lock, except for the queue, to which threads without a P add.
var (
	macemcOn          bool        // whether a step is in progress
	macemcChans       bool        // whether operations on channels call macemcChan and macemcSelected, which would have no effect otherwise
	macemcReady       bool        // whether macemcCollector runs
	macemcCur         *macemcStep // state of the node or test whose step is in progress
	macemcPicks       uint64
	macemcOutsideTurn bool   // whether goroutines outside the bubble have the next turn
	macemcTurns       uint32 // number of turns of the bubble's goroutines
	macemcFront       bool   // whether the next goroutine is put at the front of the queue
	macemcGoOn        bool   // whether the first goroutine in the queue was preempted and must continue

	macemcThread uint32 // lock count of the thread of the goroutine that drives the node

	macemcLock   mutex // guards the queue of the bubble's runnable goroutines
	macemcHead   guintptr
	macemcTail   guintptr
	macemcQueued uint32

	macemcCall      uint32 // tick of the last system call that was observed
	macemcCallSince int64  // time of its first observation; 0 means none in this step
)

// macemcMine reports whether gp belongs to the bubble.
//
//go:nosplit
func macemcMine(gp *g) bool { return macemcOn && gp.bubble != nil }

// macemcUnscheduled enters (1) or leaves (-1) the function of the sync.Once at that address. In nodes, that function takes no part in the
// schedule, because it may run once per process. If the Once is a package variable it does, and its random numbers must not depend on which
// node comes first.
func macemcUnscheduled(d int32, once uintptr) {
	gp := getg()
	if gp.macemc.unscheduled == 0 {
		gp.macemc.oncePerProcess = macemcGlobal(once)
	}
	gp.macemc.unscheduled += d
}

//go:nosplit
func macemcBubbled() bool { return macemcOn && getg().bubble != nil }

func macemc_begin(it *macemcStep) {
	macemcCur, macemcPicks, macemcOutsideTurn, macemcFront, macemcGoOn = it, 0, false, false, false
	macemcCallSince = 0
	if !macemcReady {
		macemcReady = true
		macemcOld.find()
		go macemcCollect()
	}
	// The driving goroutine gives up its thread lock meanwhile: keeping it would cost a thread switch at each step.
	if gp := getg(); gp.m.lockedExt != 0 {
		macemcThread, gp.m.lockedExt = gp.m.lockedExt, 0
		gp.lockedm, gp.m.lockedg = 0, 0
	}
	macemcOn = true
	macemcChans = it.mode != macemcFIFO || it.places != nil || macemcInProcess || macemcTestStep != nil
}

func macemc_end() {
	macemcOn = false
	macemcChans = macemcTestStep != nil
	macemcCur = nil
	if macemcThread != 0 {
		gp := getg()
		gp.m.lockedExt, macemcThread = macemcThread, 0
		gp.lockedm.set(gp.m)
		gp.m.lockedg.set(gp)
	}
}
