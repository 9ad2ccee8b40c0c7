package predict

import (
	"math"
	"slices"
)

// Predictor collects the predictions of an exploration, and orders the directed schedules that confirm or refute them. Its results depend
// only on the records and their order.
type Predictor struct {
	usual      int64                // virtual time in nanoseconds for which predictions without Delay hold a goroutine
	queue      map[int][]Prediction // by rank, in the order of their arrival
	ranks      []int                // of queue, ascending
	delays     []Prediction         // with Delay
	waiting    int                  // number of predictions in queue and delays
	known      map[uint64]bool      // hashes of the holds of all predictions
	contexts   map[uint64]bool      // of operations of the analysed records, by hash
	signatures map[signature]int
	pairs      map[signature]int // flips, by contexts and operations
	base       Prediction        // prefix of the predictions of the record that is analysed
	groups     int               // number of cycles and flips
	predicted  map[int]bool      // groups with a directed schedule
	tried      map[int]bool
}

// New returns a Predictor without predictions. usual is the time for which a directed schedule without Delay holds goroutines.
func New(usual int64) *Predictor {
	return &Predictor{usual: usual, queue: map[int][]Prediction{}, known: map[uint64]bool{}, contexts: map[uint64]bool{}, signatures: map[signature]int{},
		pairs: map[signature]int{}, predicted: map[int]bool{}, tried: map[int]bool{}}
}

// signature identifies the code of a prediction.
type signature struct{ a, b uint64 }

// Prediction is a directed schedule: that of an analysed run with holds.
type Prediction struct {
	What  string // "cycle of 3 locks"
	Pairs []Pair // what the directed schedule reverses or combines
	Holds []Hold
	Run   int // number of the analysed run, as given to Add
	Depth int // number of directed runs that the prediction builds on
	// Carried means that the holds are added to a sampled schedule.
	Carried bool
	Effect  Effect
	Delay   int64 // virtual time in nanoseconds for which a goroutine is held; 0 means the usual one
	rank    int   // lower ranks come first
	group   int   // predictions of one cycle or flip
}

// Effect describes the findings that confirm a prediction.
type Effect int

const (
	AnyFinding Effect = iota
	Blocks            // the goroutines of Pairs wait for the second operations forever
	Panics            // an operation on a closed channel
)

// Pair is the outer and the inner request of a goroutine, or two conflicting operations in the predicted order.
type Pair [2]Operation

// Operation is an operation of a goroutine in the record.
type Operation struct {
	Who   uint64
	Op    Op
	Place uint64
}

// Ranks of predictions. A lower one comes first, whichever run the prediction is from. Cycle, Flip and Carry take ranks below a limit.
// Repetitions of the same pair of places add rankRepeated.
const (
	rankCycle      = 0
	rankWaits      = 9  // cycle with waits; its further schedules are flips
	rankClose      = 10 // and Add and Wait, Signal and Wait
	rankTry        = 12
	rankSelect     = 13
	rankAtomic     = 14
	rankLock       = 15
	rankChannel    = 16
	rankOther      = 17
	rankMemory     = 18
	rankKnownCycle = 20 // the contexts of another cycle
	rankUnknown    = 20 // added for an operation of the distribution alone
	rankRepeated   = 40
)

// maxQueue is the maximum number of predictions that wait.
const maxQueue = 5000

// Flips reports whether the prediction is a flip, without a longer delay than usual.
func (x *Prediction) Flips() bool { return x.rank >= rankClose && x.Delay == 0 }

// Fresh reports whether a record has an operation in a context that no analysed record has.
func (p *Predictor) Fresh(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return !p.contexts[e.Context^uint64(e.Op)<<57] })
}

// Add analyses the record of the run of a number that passed. base is the prediction that the run has executed, or nil.
func (p *Predictor) Add(events []Event, number int, base *Prediction) {
	r := newRun(events)
	if r == nil {
		return
	}
	p.base = Prediction{Run: number}
	if base != nil {
		p.base.Run, p.base.Holds, p.base.Depth, p.base.Delay = base.Run, base.Holds, base.Depth+1, base.Delay
	}
	o, f := newLockOrder(), newFlips(p, r)
	for i := range events {
		p.contexts[events[i].Context^uint64(events[i].Op)<<57] = true
		r.begin(i)
		o.add(r, i)
		f.add(i)
		r.end(i)
		o.await(r)
	}
	o.cycles(func(cycle []*edge, writers []*request) { p.predictCycle(r, cycle, writers) })
	p.predictAgain(r, o)
}

func (p *Predictor) group() int {
	p.groups++
	return p.groups
}

// with returns the prediction with holds. more is added to its rank.
func (x Prediction) with(holds []Hold, more int) Prediction {
	x.Holds = holds
	x.rank += more
	return x
}

// push adds a prediction, unless the same holds are known.
func (p *Predictor) push(x Prediction) {
	x.Holds = slices.Concat(p.base.Holds, x.Holds)
	x.Run, x.Depth, x.Delay = p.base.Run, p.base.Depth, max(x.Delay, p.base.Delay)
	key := mix(uint64(x.Delay))
	for _, h := range x.Holds {
		key = mix(key ^ h.Who ^ mix(h.Context^mix(uint64(h.Op)<<48^uint64(h.Nth)<<8^uint64(h.Mode))))
	}
	if p.known[key] || p.waiting == maxQueue || len(x.Holds) > MaxHolds {
		return
	}
	p.known[key], p.predicted[x.group] = true, true
	p.waiting++
	if x.Delay > 0 {
		p.delays = append(p.delays, x)
		return
	}
	if p.queue[x.rank] = append(p.queue[x.rank], x); len(p.queue[x.rank]) == 1 {
		at, _ := slices.BinarySearch(p.ranks, x.rank)
		p.ranks = slices.Insert(p.ranks, at, x.rank)
	}
}

// Cycle returns the next directed schedule for a cycle of locks, which is executed for its own sake. nil means that there is none.
func (p *Predictor) Cycle() *Prediction { return p.below(rankClose) }

// Flip returns the next directed schedule for a flip of new places, which is executed for its own sake. nil means that there is none.
func (p *Predictor) Flip() *Prediction { return p.below(rankKnownCycle) }

// Delay returns the next prediction with a longer delay than usual; nil means that there is none.
func (p *Predictor) Delay() *Prediction {
	if len(p.delays) == 0 {
		return nil
	}
	return p.take(&p.delays)
}

// Carry returns the next prediction for a sampled schedule, which keeps its own order besides the holds: any prediction, or only a conflict
// of close or wait operations. nil means that there is none.
func (p *Predictor) Carry(any bool) *Prediction {
	rank := rankTry
	if any {
		rank = math.MaxInt
	}
	x := p.below(rank)
	if x == nil {
		return nil
	}
	x.Carried, x.Holds = true, slices.Clone(x.Holds)
	for i := range x.Holds {
		x.Holds[i].Mode |= Keep
	}
	return x
}

// Best returns the directed schedule with the lowest rank, without those that delay a goroutine for longer than usual. nil means that
// there is none.
func (p *Predictor) Best() *Prediction { return p.below(math.MaxInt) }

// below returns the directed schedule with the lowest rank if that is lower than the given one.
func (p *Predictor) below(limit int) *Prediction {
	if len(p.ranks) == 0 || p.ranks[0] >= limit {
		return nil
	}
	rank := p.ranks[0]
	list := p.queue[rank]
	x := p.take(&list)
	if p.queue[rank] = list; len(list) == 0 {
		delete(p.queue, rank)
		p.ranks = p.ranks[1:]
	}
	return x
}

// take removes the first prediction of a list and counts it as tried.
func (p *Predictor) take(list *[]Prediction) *Prediction {
	x := (*list)[0]
	*list = (*list)[1:]
	p.waiting--
	p.tried[x.group] = true
	return &x
}

// Counts returns the number of predicted cycles and flips, and how many of them were tried.
func (p *Predictor) Counts() (predicted, tried int) { return len(p.predicted), len(p.tried) }

// mix is a step of the generator SplitMix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// delay returns the time for which a goroutine is held at an instant so that it continues after another one; 0 means the usual one. ok is
// false if that is too long.
func (p *Predictor) delay(from, to int64) (delay int64, ok bool) {
	delay = to - from + p.usual/10
	if delay <= p.usual {
		return 0, true
	}
	return delay, delay <= maxDelay
}
