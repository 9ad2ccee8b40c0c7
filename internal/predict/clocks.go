package predict

import "slices"

// run is the analysis of one record, event by event.
type run struct {
	events     []Event
	goroutines map[uint64]int
	clocks     []clock // by goroutine
	woken      []int   // by event: number of later events that it wakes
	wakers     map[int]clock
	channels   map[uint64]*channel
	streams    map[uint64]clock // by direction of a connection: its send and close operations
	released   map[uint64]clock // by WaitGroup: its Done operations
	held       [][]acquisition  // by goroutine: its lockset
	last       []int            // by goroutine: its last event, or -1
	counts     map[occurrence]uint32
	nth        []uint32 // by event, see Hold
	outermost  []int32  // by event: the acquisition of the outermost lock that its goroutine holds, or -1
	wakee      []int32  // by event: the last goroutine that it wakes, or -1
	dependences
}

// dependences are those of the present event, if its goroutine holds locks.
type dependences struct {
	waits   []dependence
	waiting int // event that waits for what the goroutine's clock is joined with
}

// dependence is an event that waits until another goroutine has executed some of its events.
type dependence struct {
	event, goroutine, other int
	from, to                uint32 // the other goroutine's events have the numbers from..to-1 in the record
}

// clock is a vector clock. Its entry for a goroutine is one more than the index of that goroutine's last event which happens before. A
// shared list is copied before it changes. own is the entry of the owner, so that the owner's events change no list. Owner -1 means none.
type clock struct {
	at     []uint32
	shared bool
	owner  int
	own    uint32
}

// channel holds the clocks of values that were sent and not yet received.
type channel struct {
	sent    []clock
	waiting int // receivers that wait
	closed  clock
}

// acquisition is a lock that a goroutine holds since an event.
type acquisition struct {
	lock  uint64
	read  bool
	event int
	clock clock // of the goroutine
}

// occurrence identifies operations that Hold.Nth counts together.
type occurrence struct {
	goroutine int
	op        Op
	context   uint64
}

// maxGoroutines is the maximum number of goroutines of a record that is analysed.
const maxGoroutines = 1024

// newRun returns nil if the record has too many goroutines, or a single one without timers.
func newRun(events []Event) *run {
	r := &run{events: events, goroutines: map[uint64]int{}, woken: make([]int, len(events)), wakers: map[int]clock{},
		channels: map[uint64]*channel{}, streams: map[uint64]clock{}, released: map[uint64]clock{}, counts: map[occurrence]uint32{},
		nth: make([]uint32, len(events)), outermost: make([]int32, len(events)), wakee: slices.Repeat([]int32{-1}, len(events))}
	timers := false
	for i := range events {
		timers = timers || events[i].Due > 0
		if _, ok := r.goroutines[events[i].Who]; !ok {
			r.goroutines[events[i].Who] = len(r.goroutines)
		}
		if w := int(events[i].Waker); w > 0 && w <= i {
			r.woken[w-1]++
			r.wakee[w-1] = int32(r.goroutine(i))
		}
	}
	n := len(r.goroutines)
	if n < 2 && !timers || n > maxGoroutines {
		return nil
	}
	r.clocks, r.held, r.last = make([]clock, n), make([][]acquisition, n), make([]int, n)
	for g := range r.clocks {
		r.clocks[g], r.last[g] = clock{at: make([]uint32, n), owner: g}, -1
	}
	return r
}

func (r *run) goroutine(event int) int { return r.goroutines[r.events[event].Who] }

// before reports whether an event happens before the present one of a goroutine.
func (r *run) before(event, g int) bool {
	of := r.goroutine(event)
	return of == g || r.clocks[g].precededBy(of, event)
}

// precededBy reports whether an event of a goroutine happens before the clock.
func (c clock) precededBy(goroutine, event int) bool {
	if goroutine == c.owner {
		return c.own > uint32(event)
	}
	return c.at[goroutine] > uint32(event)
}

// share returns the present clock of a goroutine, to be kept.
func (r *run) share(g int) clock {
	r.clocks[g].shared = true
	return r.clocks[g]
}

// join makes the events before a clock happen before the present event of a goroutine.
func (r *run) join(g int, from clock) {
	if from.at == nil {
		return
	}
	for k, v := range from.at {
		r.raise(g, k, v)
	}
	if from.owner >= 0 {
		r.raise(g, from.owner, from.own)
	}
}

// raise raises the entry of another goroutine in the clock of g.
func (r *run) raise(g, k int, v uint32) {
	c := &r.clocks[g]
	if k == g || v <= c.at[k] {
		return
	}
	if c.shared {
		c.at, c.shared = slices.Clone(c.at), false
	}
	if len(r.held[g]) > 0 {
		r.waits = append(r.waits, dependence{r.waiting, g, k, c.at[k], v})
	}
	c.at[k] = v
}

// begin orders an event after those that happen before it.
func (r *run) begin(i int) {
	e, g := &r.events[i], r.goroutine(i)
	r.waits, r.waiting = r.waits[:0], max(0, r.last[g])
	if w := int(e.Waker) - 1; w >= 0 && w < i {
		if !r.waitedForLock(g) {
			r.join(g, r.wakers[w])
			r.handedOver(g, w)
		}
		if r.woken[w]--; r.woken[w] == 0 {
			delete(r.wakers, w)
		}
	}
	if last := &r.events[r.waiting]; r.last[g] >= 0 && last.Op == WaitGroup && last.Method == Waits {
		r.join(g, r.released[last.Object])
	}
	r.waiting = i
	switch {
	case e.Method == Stream:
		if e.receives() && e.Due == 0 {
			r.join(g, r.streams[e.Object])
		}
	case e.receives() && e.Flags&(Tries|Case) == 0:
		r.receive(i, g)
	case e.Op == WaitGroup && e.Method == Waits:
		r.join(g, r.released[e.Object])
	}
	if e.Flags&Case == 0 {
		k := occurrence{g, e.Op, e.Context}
		r.counts[k]++
		r.nth[i] = r.counts[k]
	} else if last := r.last[g]; last >= 0 {
		r.nth[i] = r.nth[last]
	}
	r.outermost[i] = -1
	if len(r.held[g]) > 0 {
		r.outermost[i] = int32(r.held[g][0].event)
	}
}

// waitedForLock reports whether the last event of a goroutine requests a lock. Its release does not order the operations around it.
func (r *run) waitedForLock(g int) bool {
	last := r.last[g]
	return last >= 0 && (r.events[last].Op == Lock || r.events[last].Op == RLock)
}

// end records the effects of an event on later ones.
func (r *run) end(i int) {
	e, g := &r.events[i], r.goroutine(i)
	switch { // without waiting, or because of a deadline, it could have come before the operation whose value it receives
	case e.Method == Stream:
		if e.receives() {
			r.join(g, r.streams[e.Object])
		}
	case e.receives() && e.Flags&(Tries|Case) != 0:
		r.receive(i, g)
	}
	r.clocks[g].own = uint32(i + 1)
	switch {
	case e.Method == Stream:
		if e.Op != Receive {
			r.streams[e.Object] = r.merge(r.streams[e.Object], g)
		}
	case e.sends():
		r.send(i, g)
		if s := r.wakee[i]; e.Flags&Unbuffered != 0 && e.Flags&Tries == 0 && s >= 0 { // it could not have come before the receive operation
			r.join(g, r.clocks[s])
		}
	case e.Op == Close:
		r.channel(e.Object).closed = r.share(g)
	case e.Op == WaitGroup && e.Method != Waits:
		r.released[e.Object] = r.merge(r.released[e.Object], g)
	}
	r.lock(i, g)
	if r.woken[i] > 0 {
		r.wakers[i] = r.share(g)
	}
	r.last[g] = i
}

// merge returns the maximum of a clock without an owner and that of a goroutine.
func (r *run) merge(c clock, g int) clock {
	if c.at == nil {
		c = clock{at: make([]uint32, len(r.clocks)), owner: -1}
	}
	for k, v := range r.clocks[g].at {
		c.at[k] = max(c.at[k], v)
	}
	c.at[g] = max(c.at[g], r.clocks[g].own)
	return c
}

// receives reports whether the event receives, or waits until it can.
func (e *Event) receives() bool { return e.Op == Receive && e.completes() }

// sends reports whether the event sends, or waits until it can.
func (e *Event) sends() bool { return e.Op == Send && e.completes() }

// completes reports whether a channel operation waits or succeeds. A select that waits completes by a wake-up.
func (e *Event) completes() bool {
	return e.Flags&(Case|Tries) == 0 || e.Flags&Succeeded != 0
}

func (r *run) channel(object uint64) *channel {
	c := r.channels[object]
	if c == nil {
		c = &channel{}
		r.channels[object] = c
	}
	return c
}

// receive orders a receive operation after the send operation of its value, or after the close. A later sender wakes a receiver that
// waits.
func (r *run) receive(i, g int) {
	switch c := r.channel(r.events[i].Object); {
	case len(c.sent) > 0:
		r.join(g, c.sent[0])
		c.sent = c.sent[1:]
	case c.closed.at != nil:
		r.join(g, c.closed)
	default:
		c.waiting++
	}
}

func (r *run) send(i, g int) {
	c := r.channel(r.events[i].Object)
	if c.waiting > 0 {
		c.waiting--
		return
	}
	c.sent = append(c.sent, r.share(g))
}

// handedOver removes the value that an event has sent to a goroutine which waited in a select.
func (r *run) handedOver(g, sender int) {
	last, s := r.last[g], &r.events[sender]
	if last < 0 || s.Op != Send || r.events[last].Op != Select && r.events[last].Flags&Case == 0 {
		return
	}
	if c := r.channel(s.Object); len(c.sent) > 0 {
		c.sent = c.sent[:len(c.sent)-1]
	}
}

// lock updates the locks that goroutines hold. A goroutine that waits for a lock executes its next operation when it holds the lock.
func (r *run) lock(i, g int) {
	e := &r.events[i]
	switch {
	case e.Op == Lock, e.Op == RLock, e.Op == TryLock && e.Flags&Succeeded != 0:
		r.held[g] = append(r.held[g], acquisition{e.Object, e.Op == RLock || e.Flags&Reads != 0, i, r.share(g)})
	case e.Op == Unlock:
		if !r.release(g, e.Object) { // another goroutine holds it
			for h := range r.held {
				if r.release(h, e.Object) {
					break
				}
			}
		}
	}
}

func (r *run) release(g int, lock uint64) bool {
	for k, h := range slices.Backward(r.held[g]) {
		if h.lock == lock {
			r.held[g] = slices.Delete(r.held[g], k, k+1)
			return true
		}
	}
	return false
}

// last is the Hold.Order of goroutines that continue after others of the same prediction.
const last = 1

// hold returns a hold before an event.
func (r *run) hold(i int, order uint32) Hold {
	e := &r.events[i]
	op := e.Op
	if e.Flags&Case != 0 {
		op = Select
	}
	return Hold{Who: e.Who, Context: e.Context, Op: uint32(op), Nth: r.nth[i], Order: order}
}

func (r *run) operation(i int) Operation {
	e := &r.events[i]
	return Operation{e.Who, e.Op, e.Place}
}
