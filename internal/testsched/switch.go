package testsched

// Policy determines the order of goroutines in a run. A new one needs a constant here, a name in schedule.go, its turn in Draw of package
// sampling, and its choices in macemcDecidePoint and macemcChoose of the changed package runtime.
type Policy uint32

// Policies. Package sampling draws their parameters, which are fields of Schedule. Files hold switches alone.
const (
	Default    Policy = iota // the running goroutine continues, else FIFO; Switches are exceptions
	Random                   // uniform among the runnable goroutines, at one of Every points
	PCT                      // priorities that drop at Drops (Burckhardt et al., ASPLOS 2010)
	POS                      // priorities drawn anew for each operation (Yuan et al., CAV 2018)
	SURW                     // in proportion to the points left of each goroutine (Zhao et al., ASPLOS 2025)
	Local                    // as Default, but the goroutines that the last one has started or woken come first
	Systematic               // follows Plan, then the default order
)

// Weight is the maximum number of points of a goroutine in a run, for policy SURW.
type Weight struct{ Who, Points uint64 }

// Switch makes a goroutine yield to another one.
type Switch struct {
	Who   uint64 // goroutine, as a hash of the path of go statements that led to it
	Place uint64 // number of its point. Bits 40 to 61 count timers fired there; with BlockedBit, its turns since then, plus PassedUnit
	To    uint64 // goroutine that continues, timer that fires, TimePasses, or Pauses; with CaseBit what the operation takes
}

// Parts of Switch.Place.
const (
	BlockedBit = 1 << 63 // the goroutine cannot continue after that point
	CaseBit    = 1 << 62 // the point is a select or a Get of a sync.Pool, which takes what To names
	PassedUnit = 1 << 52 // is added for each time that time has passed there
	placeMask  = 1<<40 - 1
)

// Values of Switch.To with CaseBit: FirstCase plus the number of a case; NewValue for a new value of a pool that has some, else plus 1 and
// the index of the value.
const (
	FirstCase = 2
	NewValue  = 1 << 32
)

// Values of Switch.To that are not goroutines or timers.
const (
	TimePasses = 1
	Pauses     = 2 // the goroutine waits until all others wait (as in delay-bounded scheduling: Emmi et al., POPL 2011)
)

// timerBits are the low three bits of the number of a timer.
const timerBits = 3

// Timer reports whether a timer fires, or time passes to the end of a sleep.
func (s Switch) Timer() bool { return !s.chooses() && (s.To == TimePasses || s.To&7 == timerBits) }

// Preempts reports whether the goroutine could have continued when another one took over.
func (s Switch) Preempts() bool { return s.Place&BlockedBit == 0 && !s.chooses() }

// Pauses reports whether the goroutine waits until all others wait.
func (s Switch) Pauses() bool { return s.To == Pauses && !s.chooses() }

// Case reports whether s chooses a case of a select.
func (s Switch) Case() bool { return s.chooses() && s.To < NewValue }

// Value reports whether s chooses what a pool returns.
func (s Switch) Value() bool { return s.chooses() && s.To >= NewValue }

func (s Switch) chooses() bool { return s.Place&(BlockedBit|CaseBit) == CaseBit }

// Kinds of decisions.
const (
	AtPoint  = iota // another goroutine may preempt the running one, which is the first option
	AtEnd           // the running goroutine cannot continue; timers that are due are the first options, others the last
	AtSelect        // several cases are ready
	AtPool          // a sync.Pool has values; the first option is the usual one
)

// Option is an alternative of a decision.
type Option struct {
	Who     uint64 // goroutine, timer, number of a case, value of a pool, or TimePasses
	Mask    uint64 // objects of its next operation, as bits; see independent
	Yielded bool   // the goroutine has called runtime.Gosched
}

// Timer reports whether a timer fires or time passes.
func (o Option) Timer() bool { return o.Who == TimePasses || o.Who&7 == timerBits }

// Same compares the goroutines of two options. Masks depend on addresses and differ between runs.
func (o Option) Same(p Option) bool { return o.Who == p.Who }

// Sampled is a set of sources of randomness that a run used outside its decisions.
type Sampled uint32

const (
	SampledNumbers Sampled = 1 << iota
	SampledMaps
	SampledCases
	SampledPools
)

// Limits is a set of reasons why the orders of points do not cover all outcomes of a test.
type Limits uint32

const (
	CountsGoroutines Limits = 1 << iota
	UsesCoroutines          // which have no points
	TriesRWMutex            // other goroutines can see that a Lock has begun, which is no point
	BubblesWait             // bubbles of parallel subtests share the clock
	MeasuresMemory          // which no collection has freed
)
