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
	known      map[uint64]int       // the lowest rank of predictions, by the hash of their holds
	contexts   map[uint64]bool      // codes of the events of the analysed records
	signatures map[signature]int    // number of cycles, by contexts
	pairs      map[signature]int    // number of flips, by codes
	base       Prediction           // prefix of the predictions of the record that is analysed
	groups     int                  // number of cycles and flips
	predicted  map[int]bool         // groups with a directed schedule
	tried      map[int]bool
}

// New returns a Predictor without predictions. usual is the time for which a directed schedule without Delay holds goroutines.
func New(usual int64) *Predictor {
	return &Predictor{usual: usual, queue: map[int][]Prediction{}, known: map[uint64]int{}, contexts: map[uint64]bool{},
		signatures: map[signature]int{}, pairs: map[signature]int{}, predicted: map[int]bool{}, tried: map[int]bool{}}
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
	Delay   int64  // virtual time in nanoseconds for which a goroutine is held; 0 means the usual one
	rank    int    // lower ranks come first
	group   int    // predictions of one cycle or flip
	key     uint64 // hash of the holds
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

// Ranks of predictions. A lower one comes first, whichever run the prediction is from. Cycle, Close, Flip and Carry take a range of ranks.
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

// Flips reports whether the prediction has no longer delay than usual, and is a flip, or a cycle of known contexts or in the distribution.
func (x *Prediction) Flips() bool { return x.rank >= rankClose && x.Delay == 0 }

// Fresh reports whether a record has an operation in a context that no analysed record has.
func (p *Predictor) Fresh(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return !p.contexts[e.code()] })
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
		p.contexts[events[i].code()] = true
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

// with returns a copy of the prediction with holds. It adds more to the rank.
func (x Prediction) with(holds []Hold, more int) Prediction {
	x.Holds = holds
	x.rank += more
	return x
}

// push adds a prediction, unless the same holds have a rank that is as low.
func (p *Predictor) push(x Prediction) {
	if x.Delay > p.usual && x.Delay <= int64(1+p.base.Depth)*p.usual && p.base.Delay == 0 { // the pauses of the base may have taken that time
		short := x
		short.Delay = 0
		p.push(short)
	}
	x.Holds = slices.Concat(p.base.Holds, x.Holds)
	for i := range x.Holds[len(p.base.Holds):] { // the goroutines that reach the new holds because of the others continue last
		x.Holds[len(p.base.Holds)+i].Order += uint32(p.base.Depth) * (last + 1)
	}
	x.Run, x.Depth, x.Delay = p.base.Run, p.base.Depth, max(x.Delay, p.base.Delay)
	x.key = Mix(uint64(x.Delay))
	for _, h := range x.Holds {
		x.key = Mix(x.key ^ h.Who ^ Mix(h.Context^Mix(uint64(h.Op)<<48^uint64(h.Nth)<<16^uint64(h.Order)<<8^uint64(h.Mode))))
	}
	if rank, ok := p.known[x.key]; ok && rank <= x.rank || p.waiting == maxQueue || len(x.Holds) > MaxHolds {
		return
	}
	p.known[x.key], p.predicted[x.group] = x.rank, true
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

// Cycle returns the next directed schedule for a cycle of locks in new contexts. nil means that there is none.
func (p *Predictor) Cycle() *Prediction { return p.next(rankCycle, rankClose) }

// Close returns the next directed schedule for a cycle, or for a conflict of new places that close, wait or signal. nil means that there is
// none.
func (p *Predictor) Close() *Prediction { return p.next(rankCycle, rankTry) }

// Flip returns the next directed schedule for a cycle, or for a flip of new places. nil means that there is none.
func (p *Predictor) Flip() *Prediction { return p.next(rankCycle, rankKnownCycle) }

// Delay returns the next prediction with a longer delay than usual; nil means that there is none.
func (p *Predictor) Delay() *Prediction {
	for len(p.delays) > 0 {
		if x := p.take(&p.delays); x != nil {
			return x
		}
	}
	return nil
}

// Carry returns the next prediction whose holds a sampled schedule carries, which otherwise keeps its own order. Those of Close have
// directed schedules only. nil means that there is none.
func (p *Predictor) Carry() *Prediction {
	x := p.next(rankTry, math.MaxInt)
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
func (p *Predictor) Best() *Prediction { return p.next(rankCycle, math.MaxInt) }

// next returns the directed schedule with the lowest rank from one to another, which is excluded. nil means that there is none.
func (p *Predictor) next(from, to int) *Prediction {
	for {
		at, _ := slices.BinarySearch(p.ranks, from)
		if at == len(p.ranks) || p.ranks[at] >= to {
			return nil
		}
		rank := p.ranks[at]
		list := p.queue[rank]
		x := p.take(&list)
		if p.queue[rank] = list; len(list) == 0 {
			delete(p.queue, rank)
			p.ranks = slices.Delete(p.ranks, at, at+1)
		}
		if x != nil {
			return x
		}
	}
}

// done is the rank of holds that were tried.
const done = -1

// take removes the first prediction of a list, and counts it as tried. It returns nil if a prediction of a lower rank has the same holds.
func (p *Predictor) take(list *[]Prediction) *Prediction {
	x := (*list)[0]
	*list = (*list)[1:]
	p.waiting--
	p.tried[x.group] = true
	if p.known[x.key] != x.rank {
		return nil
	}
	p.known[x.key] = done
	return &x
}

// Counts returns the number of predicted cycles and flips, and how many of them were tried.
func (p *Predictor) Counts() (predicted, tried int) { return len(p.predicted), len(p.tried) }

// Mix is a step of the generator SplitMix64.
func Mix(z uint64) uint64 {
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
