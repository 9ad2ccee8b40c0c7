// Declarations of package runtime that package testing contains, too, because the two exchange values of these types.

package runtime

import testrun "internal/runtime"

// macemcRun is one run of a test under one schedule.
type macemcRun struct {
	draws  uint64 // seed of the test's random numbers
	seed   uint64 // seed of the schedule
	policy testrun.Policy
	every  uint32    // testrun.Random: one in every points switches; testrun.SURW: of other operations
	drops  [8]uint64 // testrun.PCT: points at which the priority of the running goroutine drops, ascending
	ops    uint32    // testrun.SURW: operations that count, as bits
	passes uint32    // one in passes points lets time pass; 0 means none
	within int64     // maximum time that may pass between two instants at which all goroutines wait
	limit  uint64    // maximum number of points
	macemcManner
	weights     []testrun.Weight // testrun.SURW: hash table of the goroutines' expected numbers of points; its length is a power of two, or 0
	replayed    []testrun.Switch // hash table of the differences from the default order; its length is a power of two, or 0
	until       uint64           // number of executed operations after which policy applies in place of replayed
	pointCounts []testrun.Weight // hash table of the goroutines' numbers of points so far
	record      []testrun.Switch // recorded differences from the default order
	n           uint32           // more than the length of record means that some were not recorded
	trace       []macemcEvent    // event i is at index i modulo the length
	ntrace      uint32
	states      []macemcGState // of a traced run: state changes of goroutines
	nstates     uint32
	origins     []macemcOrigin // of a traced run: starts of goroutines, and the settings of timers that may start some
	norigins    uint32
	plan        []uint32   // testrun.Systematic: options of the first decisions
	reduce      bool       // testrun.Systematic: decisions with a single option are recorded, too
	asleep      [64]uint64 // sleep set after the plan (Godefroid, 1996)
	nasleep     uint32
	decided     []macemcDecision
	ndecided    uint32
	options     []testrun.Option
	noptions    uint32

	macemcShortened
	sampled        testrun.Sampled // sources of randomness that the run used outside its decisions, as bits
	delays         bool            // a timer was too far away to fire at a point at which time could pass
	leftOut        testrun.Limits  // see macemcLeavesOut
	points         uint64
	executed       uint64 // operations at points that have been executed, or are being executed
	choices        uint64 // points at which another goroutine could have run
	followed       uint32 // entries of replayed that applied
	hash           uint64 // of the order of goroutines
	noEnd          bool   // the limit of points was exceeded
	over           bool   // the run is being ended
	exited         bool   // the process would have ended with status code; fatal describes another end
	code           int
	ender          uint64 // number of the goroutine that died or exited
	outside        bool   // a goroutine outside the bubble has woken one of the test, or the reverse
	refused        string // why the test cannot be explored; empty if it can
	refusedOutside string // the same, because of what a goroutine outside the test does; the run ends like any other
	died           bool   // an unrecovered panic or a fatal error occurred
	fatal          string
	panicked       any
	number         uint64 // number of the goroutine that ran without a scheduling point
	stack          [64]uintptr
	nstack         int
	ended          [64]uintptr // distinct macemcTestG.from of goroutines that have ended
	nended         uint32
	printing       string // type of a panic's value whose method that returns its text has not returned; empty means none
}

// macemcShortened tells why the rest of a run is not explored.
type macemcShortened struct {
	cut      bool // it is part of explored runs, or there was no room for its decisions
	finished bool // the same, and the run has gone on, see macemcCuts
	long     bool // there was no room for its decisions
}

// macemcManner selects how a run is executed.
type macemcManner struct {
	memory   bool // plain memory accesses are points
	unfair   bool // a goroutine may pass any number of points without waiting
	hurried  bool // time passes quickly after many points, see clock.go
	finishes bool // see macemcCuts
	traced   bool // points are recorded in trace
	window   macemcWindow
	output   macemcOutput
	macemcDirection
}

// macemcWindow describes which events of a long run are recorded.
type macemcWindow struct {
	end       uint32 // number of the first event that is not recorded; 0 means that the last events of the run are
	unchanged uint32 // number of events before the first entry of replayed that applied
}

// macemcOutput has records of what a run prints: the number of events, the number of the goroutine, the length of the text, the text. The
// highest bit of the second field stands for a log entry.
type macemcOutput struct {
	muted    bool   // it is discarded
	records  []byte // empty means that there is no room
	recorded uint32
}

// macemcDirection holds the record of a run, and its holds.
type macemcDirection struct {
	operations  []testrun.Event
	noperations uint32 // more than the length of operations means that some were not recorded
	holds       []testrun.Hold
	directed    bool // a hold has applied
}

// macemcEvent is an operation that a goroutine executes. The event of a go statement comes after the start of the new goroutine.
type macemcEvent struct {
	who    uint64
	number uint64
	place  uint64
	op     testrun.Op
	obj    uintptr
	count  uint64     // number of executed operations, including this one
	by     uint64     // number of the goroutine that has made this one runnable since its last point; 0 means none
	byAt   uint64     // point of that goroutine
	takes  testrun.Op // what a select executes that does not wait: testrun.Send, testrun.Receive, or testrun.Select for the default case; 0 means another operation
	nth    uint64     // number of that case in the source, among those that send or among those that receive
	ready  uint64     // number of ready cases
	result uint64     // a testsched.Result; 0 means that it returns nothing, or that the result is not known
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

// macemcDecision is a choice of a run under testrun.Systematic.
type macemcDecision struct {
	kind  uint32
	taken uint32 // index of the taken option
	first uint32 // index of its first option
	n     uint32
}

// macemcVariable is a package variable.
type macemcVariable struct {
	from, to uintptr
	kind     uintptr
}

// macemcGoroutine describes a goroutine of a test.
type macemcGoroutine struct {
	who       uint64
	number    uint64
	start     uintptr // go statement
	from      uintptr // macemcTestG.from
	why       string
	holder    uint64     // holder of the lock that it waits for
	unwakable bool       // no goroutine that can continue can reach what it waits for
	op        testrun.Op // its last operation
	obj       uintptr
	stack     [64]uintptr
	n         int
}

// Selections of outsiders that need no other goroutine to continue.
const (
	macemcAnyActive    = iota // it sleeps, or waits for a timer, file or process
	macemcActingActive        // it waits for no other goroutine, and acts for the test
	macemcIOActive            // it waits for a file or process
)
