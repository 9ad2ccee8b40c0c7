package predict

import (
	"cmp"
	"slices"
)

// flips predicts reversals of conflicting operations on one object that happens-before does not order.
type flips struct {
	p      *Predictor
	r      *run
	recent map[uint64][]int    // by object: the latest events
	due    map[int][]int64     // by event that is the case of a select: when the timers of the select fire
	rivals map[uint64][]uint64 // by object: those of other cases of the same selects
}

// Bounds of flips.
const (
	maxRecent = 40 // operations on one object with which a later one is compared
	maxPair   = 4  // flips with the same contexts and operations
	maxRivals = 8  // objects with which one competes, and operations on each with which a later one is compared
)

func newFlips(p *Predictor, r *run) *flips {
	f := &flips{p: p, r: r, recent: map[uint64][]int{}, due: map[int][]int64{}, rivals: map[uint64][]uint64{}}
	expiry := expiries(r.events)
	for i := 0; i < len(r.events); i++ {
		switch e := &r.events[i]; {
		case e.Method == Expires:
			expiry[e.Object] = e.Due
		case e.Method == Stream && e.Due > e.Time && e.Op == Receive:
			f.due[i] = []int64{e.Due}
			continue
		}
		first, due := i+1, []int64(nil)
		for i+1 < len(r.events) && r.events[i+1].Flags&Case != 0 && r.events[i+1].Method != Stream && r.events[i+1].Who == r.events[first-1].Who {
			i++
			e := &r.events[i]
			if at := cmp.Or(e.Due, expiry[e.Object]); at > 0 && !slices.Contains(due, at) {
				due = append(due, at)
			}
		}
		for k := first; k <= i && due != nil; k++ {
			f.due[k] = due
		}
		f.compete(r.events[first : i+1])
	}
	return f
}

// compete records that the objects of the cases of a select are rivals.
func (f *flips) compete(cases []Event) {
	for i := range cases {
		for k := range cases {
			a, b := cases[i].Object, cases[k].Object
			if list := f.rivals[a]; a != b && len(list) < maxRivals && !slices.Contains(list, b) {
				f.rivals[a] = append(list, b)
			}
		}
	}
}

// expiries returns when the timer of each channel fires that an operation closed and whose timer it then stopped, as cancel does to the
// channel of a context with a deadline.
func expiries(events []Event) map[uint64]int64 {
	expiry := map[uint64]int64{}
	for i := range events {
		e := &events[i]
		if e.Op != Timer || e.Method == Expires || e.Flags&NoPoint == 0 || e.Due == 0 {
			continue
		}
		place, found := uint64(0), false
		for k := i - 1; k >= 0 && i-k < maxRecent; k-- {
			x := &events[k]
			if x.Who != e.Who {
				continue
			}
			if found && x.Place != place {
				break
			}
			if place, found = x.Place, true; x.Op == Close {
				expiry[x.Object] = e.Due
			}
		}
	}
	return expiry
}

// add compares an event with earlier ones of the same object. r has begun the event and not ended it.
func (f *flips) add(j int) {
	r := f.r
	e, g := &r.events[j], r.goroutine(j)
	if e.Op == Timer && e.Due > 0 && e.Method != Expires {
		f.overtake(j, g)
	}
	if e.Object == 0 || e.Op == Pool || e.Op == Select && e.Flags&Case == 0 {
		return
	}
	list := f.recent[e.Object]
	for _, i := range slices.Backward(list) {
		if !r.before(i, g) {
			f.compare(i, j)
		}
	}
	if e.decides() {
		for _, rival := range f.rivals[e.Object] {
			for _, i := range f.recent[rival][max(0, len(f.recent[rival])-maxRivals):] {
				if r.events[i].decides() && !r.before(i, g) {
					f.reverse(i, j, rankSelect, name(e)+" before "+name(&r.events[i])+" for a select")
				}
			}
		}
	}
	if len(list) == maxRecent {
		copy(list, list[1:])
		list = list[:maxRecent-1]
	}
	f.recent[e.Object] = append(list, j)
}

// code identifies the operation of an event and its calling context.
func (e *Event) code() uint64 { return e.Context ^ uint64(e.Op)<<57 }

// decides reports whether the event may make a case of another goroutine's select ready.
func (e *Event) decides() bool {
	return e.Flags&Case == 0 && (e.Op == Close || e.Op == Send || e.Op == Receive) && e.Method != Stream
}

// compare adds a flip of two events that are not ordered if they conflict. If one of them waits with a timeout, compare also adds that the
// timer fires before the other one.
func (f *flips) compare(i, j int) {
	a, b := &f.r.events[i], &f.r.events[j]
	rank, what := conflict(a, b)
	if b.Flags&Case == 0 || b.Method == Stream {
		for _, due := range f.due[i] {
			f.late(j, due, "timeout before "+name(b))
		}
	}
	if a.Flags&Case == 0 || a.Method == Stream {
		for _, due := range f.due[j] {
			f.late(i, due, "timeout before "+name(a))
		}
	}
	if rank == rankClose && a.Method == Stream { // it returns an error
		rank = rankSelect
	}
	if rank > 0 {
		f.reverse(i, j, rank, what)
	}
}

// reverse adds a flip of two events that are not ordered.
func (f *flips) reverse(i, j, rank int, what string) {
	p, a, b := f.p, &f.r.events[i], &f.r.events[j]
	if a.Place == 0 && b.Place == 0 {
		return
	}
	if a.Place == 0 || b.Place == 0 {
		rank += rankUnknown
	}
	key := signature{a.code(), b.code()}
	times := p.pairs[key]
	if times == maxPair {
		return
	}
	p.pairs[key]++
	delay, ok := p.delay(a.Time, b.Time)
	if !ok {
		return
	}
	x := Prediction{What: what, Delay: delay, rank: rank + rankRepeated*min(times, 2), group: p.group(),
		Pairs: []Pair{{f.r.operation(j), f.r.operation(i)}}}
	if rank == rankClose && (a.Op == Close || b.Op == Close) {
		x.Effect = Panics
	}
	p.push(x.with([]Hold{f.r.hold(i, 0)}, 0))
	if out := int(f.r.outermost[i]); out >= 0 && f.r.events[out].Op != TryLock { // the other operation may need that lock
		p.push(x.with([]Hold{f.r.hold(out, 0)}, 0))
	}
}

// maxDelay is the maximum virtual time, in nanoseconds, for which a goroutine is held. It exceeds a second, a usual timeout, by a margin.
const maxDelay = 1_100_000_000

// overtake adds a prediction that a timer fires before an event stops or resets it.
func (f *flips) overtake(j, g int) {
	r, at := f.r, j
	if r.events[j].Flags&NoPoint != 0 { // hold the goroutine before the first operation of the user's call that stops the timer
		if at = r.last[g]; at < 0 {
			return
		}
		for k, place := at-1, r.events[at].Place; k >= 0 && at-k < maxRecent; k-- {
			if r.goroutine(k) != g {
				continue
			}
			if r.events[k].Place != place {
				break
			}
			at = k
		}
	}
	f.late(at, r.events[j].Due, "timer before its stop or reset")
}

// late adds a prediction that a timer fires before an event.
func (f *flips) late(at int, due int64, what string) {
	p, r, before := f.p, f.r, &f.r.events[at]
	delay, ok := p.delay(before.Time, due)
	key := signature{before.Context, uint64(Timer) << 57}
	if times := p.pairs[key]; !ok || times == maxPair {
		return
	}
	x := Prediction{What: what, Delay: delay, rank: rankTry + rankRepeated*min(p.pairs[key], 2), group: p.group(),
		Pairs: []Pair{{r.operation(at), r.operation(at)}}}
	p.pairs[key]++
	p.push(x.with([]Hold{r.hold(at, 0)}, 0))
}

// class is a set of operations that conflict in the same way.
type class int

const (
	none class = iota
	send
	receive
	closes
	trySend // or try to receive, or the case of a select, that was not ready
	tryReady
	selectCase
	selected
	lock
	readLock
	unlock
	tryLock
	tryReadLock
	load
	store
	addition
	reduction
	wait
	signal
	read
	write
	other
)

// classOf returns the class of an event, and its name in reports.
func classOf(e *Event) (class, string) {
	switch e.Op {
	case Send, Receive, Len:
		return e.channelClass()
	case Close:
		if e.Method == Stream {
			return closes, "close of a connection"
		}
		return closes, "close"
	case Lock:
		return lock, "lock"
	case RLock:
		return readLock, "read-lock"
	case Unlock:
		return unlock, "unlock"
	case TryLock:
		if e.Flags&Reads != 0 {
			return tryReadLock, "try to read-lock"
		}
		return tryLock, "try to lock"
	case Atomic, Map:
		name := [...]string{Atomic: "atomic operation", Map: "sync.Map"}[e.Op]
		if e.Method == Loads || e.Method == Swaps && e.Flags&(Tries|Succeeded) == Tries {
			return load, name
		}
		return store, name
	case WaitGroup:
		switch e.Method {
		case Waits:
			return wait, "Wait"
		case Reduces:
			return reduction, "Done"
		}
		return addition, "Add"
	case Cond:
		if e.Method == Waits {
			return wait, "Wait"
		}
		return signal, "Signal"
	case Read:
		return read, "read"
	case Write:
		return write, "write"
	}
	return other, "operation"
}

func (e *Event) channelClass() (class, string) {
	name := [...]string{Send: "send", Receive: "receive", Len: "len"}[e.Op]
	if e.Method == Stream {
		return [...]class{Send: send, Receive: receive}[e.Op], [...]string{Send: "write", Receive: "read from a connection"}[e.Op]
	}
	switch tried := e.Flags&Tries != 0; {
	case e.Op == Len, tried && e.Flags&(Succeeded|Ready) == 0:
		return trySend, name
	case tried:
		return tryReady, name
	case e.Flags&Case != 0 && e.Flags&Succeeded != 0:
		return selected, name
	case e.Flags&Case != 0:
		return selectCase, name
	case e.Op == Send:
		return send, name
	}
	return receive, name
}

// rules are the conflicts of classes a with later operations of classes b, or with earlier ones unless ordered. The first rule applies.
var rules = []struct {
	a, b    []class
	ordered bool
	rank    int
}{
	{[]class{closes}, []class{closes, send}, false, rankClose},
	{[]class{closes}, []class{selectCase, selected, tryReady, trySend}, false, rankTry},
	{[]class{wait}, []class{signal, addition}, false, rankClose},
	{[]class{trySend, tryReady, selectCase, selected}, []class{send, receive}, false, rankTry},
	{[]class{trySend, tryReady, selectCase, selected}, []class{trySend, tryReady, selectCase, selected}, false, rankSelect},
	{[]class{unlock}, []class{tryLock, tryReadLock}, true, rankTry},
	{[]class{tryLock}, []class{lock, readLock, tryLock, tryReadLock}, false, rankTry},
	{[]class{tryReadLock}, []class{lock}, false, rankTry},
	{[]class{store}, []class{load, store}, false, rankAtomic},
	{[]class{lock}, []class{lock, readLock}, false, rankLock},
	{[]class{closes}, []class{receive}, false, rankChannel},
	{[]class{send}, []class{send}, false, rankChannel},
	{[]class{receive}, []class{receive}, false, rankChannel},
	{[]class{signal}, []class{signal}, false, rankOther},
	{[]class{other}, []class{other}, false, rankOther},
	{[]class{write}, []class{read, write}, false, rankMemory},
}

// name returns the name of an event in reports.
func name(e *Event) string {
	_, text := classOf(e)
	return text
}

// conflict returns the rank of the flip of two events of one object, and its description. 0 means that they commute.
func conflict(a, b *Event) (rank int, what string) {
	x, first := classOf(a)
	y, second := classOf(b)
	for _, rule := range rules {
		if slices.Contains(rule.a, x) && slices.Contains(rule.b, y) ||
			!rule.ordered && slices.Contains(rule.a, y) && slices.Contains(rule.b, x) {
			return rule.rank, second + " before " + first
		}
	}
	return 0, ""
}
