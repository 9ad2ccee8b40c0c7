package predict

import (
	"slices"
	"strings"
	"testing"
)

// record returns events of goroutines 1, 2 and so on; each has its index as context.
func record(list ...Event) []Event {
	for i := range list {
		list[i].Context, list[i].Place = uint64(i+1), uint64(i+1)
	}
	return list
}

// predicted returns the descriptions of the predictions of a record, in their order, without repetitions.
func predicted(events []Event) (texts []string) {
	p := New(1_000_000)
	p.Add(events, 1, nil)
	for x := p.Best(); x != nil; x = p.Best() {
		if !slices.Contains(texts, x.What) {
			texts = append(texts, x.What)
		}
	}
	return texts
}

// on returns an event of a goroutine.
func on(who, object uint64, op Op, method Method) Event {
	return Event{Who: who, Object: object, Op: op, Method: method}
}

// woken returns the event after a wake-up by the event of a number.
func (e Event) woken(by uint32) Event {
	e.Waker = by
	return e
}

// tried returns the event with the outcome of an operation that may fail.
func (e Event) tried(ok bool) Event {
	if e.Flags = Tries; ok {
		e.Flags |= Succeeded
	}
	return e
}

// reading returns the event as one of a read lock.
func reading(e Event) Event {
	e.Flags |= Reads
	return e
}

func TestPredictor_Flips(t *testing.T) {
	const c = 7
	send, closed := on(1, c, Send, Other), on(2, c, Close, Other)
	load, swap := on(1, c, Atomic, Loads), on(2, c, Atomic, Swaps)
	for name, test := range map[string]struct {
		events []Event
		want   []string
	}{
		"close before send":  {record(send, closed), []string{"close before send"}},
		"other channels":     {record(send, on(2, c+1, Close, Other)), nil},
		"ordered by go":      {record(send, closed.woken(1)), nil},
		"one goroutine":      {record(send, on(1, c, Close, Other)), nil},
		"signal before wait": {record(on(1, c, Cond, Waits), on(2, c, Cond, Other)), []string{"Signal before Wait"}},
		"two loads":          {record(load, on(2, c, Atomic, Loads)), nil},
		"failed CAS":         {record(load, swap.tried(false)), nil},
		"CAS without result": {record(load, swap), []string{"atomic operation before atomic operation"}},
		"CAS":                {record(load, swap.tried(true)), []string{"atomic operation before atomic operation"}},
		"done and wait":      {record(on(1, c, WaitGroup, Reduces), on(2, c, WaitGroup, Waits)), nil},
		"add and wait":       {record(on(1, c, WaitGroup, Waits), on(2, c, WaitGroup, Other)), []string{"Add before Wait"}},
		"failed receive":     {record(on(1, c, Receive, Other).tried(false), on(2, c, Send, Other)), []string{"send before receive"}},
		"close before try":   {record(on(1, c, Close, Other), on(2, c, Receive, Other).tried(true)), []string{"receive before close"}},
		"send orders close":  {record(send, on(1, c+2, Send, Other), on(2, c+2, Receive, Other), closed), nil},
		"unlock does not order": {record(on(1, 1, Lock, Other), send, on(1, 1, Unlock, Other), on(2, 2, Lock, Other), closed.woken(3)),
			[]string{"close before send"}},
		"close orders receive": {record(send, on(1, c+2, Close, Other), on(2, c+2, Receive, Other), closed), nil},
		"done orders wait":     {record(send, on(1, 1, WaitGroup, Reduces), on(2, 1, WaitGroup, Waits), closed), nil},
		"try orders what follows": {record(send, on(1, c+2, Send, Other), on(2, c+2, Receive, Other).tried(true), closed),
			[]string{"receive before send"}},
		"value of another receiver": {record(on(2, 1, Receive, Other), send, on(1, 1, Send, Other), on(3, 1, Receive, Other),
			on(3, c, Close, Other)), []string{"close before send", "receive before receive"}},
		"two closes":    {record(on(1, c, Close, Other), closed), []string{"close before close"}},
		"receive first": {record(on(1, c, Receive, Other), closed), []string{"close before receive"}},
		"two sends":     {record(send, on(2, c, Send, Other)), []string{"send before send"}},
		"two signals":   {record(on(1, c, Cond, Other), on(2, c, Cond, Other)), []string{"Signal before Signal"}},
		"two calls":     {record(on(1, c, Once, Other), on(2, c, Once, Other)), []string{"operation before operation"}},
		"pool":          {record(on(1, c, Pool, Other), on(2, c, Pool, Other)), nil},
		"read first":    {record(on(1, c, Read, Other), on(2, c, Write, Other)), []string{"write before read"}},
		"two reads":     {record(on(1, c, Read, Other), on(2, c, Read, Other)), nil},
		"two locks":     {record(on(1, c, Lock, Other), on(1, c, Unlock, Other), on(2, c, Lock, Other)), []string{"lock before lock"}},
		"lock after try": {record(on(1, c, TryLock, Other).tried(false), on(2, c, Lock, Other), on(2, c, Unlock, Other)),
			[]string{"lock before try to lock"}},
		"try after unlock": {record(on(1, c, Unlock, Other), on(2, c, TryLock, Other).tried(true)), []string{"try to lock before unlock"}},
		"unlock after try": {record(on(1, c, TryLock, Other).tried(false), on(2, c, Unlock, Other)), nil},
		"try to read":      {record(on(1, c, RLock, Other), reading(on(2, c, TryLock, Other))), nil},
		"write after try to read": {record(reading(on(2, c, TryLock, Other)), on(1, c, Lock, Other)),
			[]string{"lock before try to read-lock"}},
		"two tries of a channel": {record(on(1, c, Receive, Other).tried(false), on(2, c, Receive, Other).tried(false)),
			[]string{"receive before receive"}},
		"stream":                 {record(send, on(1, 1, Send, Stream).tried(true), on(2, 1, Receive, Stream).tried(true), closed), nil},
		"writes of a connection": {record(on(1, c, Send, Stream), on(2, c, Send, Stream)), []string{"write before write"}},
		"closed connection": {record(on(1, c, Send, Stream).tried(true), on(2, c, Close, Stream)),
			[]string{"close of a connection before write"}},
		"go after a wait": {record(on(1, 1, WaitGroup, Waits), send, on(1, 1, WaitGroup, Reduces), on(2, 0, Go, Other).woken(3),
			on(3, c, Close, Other).woken(4)), nil},
	} {
		if got := predicted(test.events); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// nested returns the events of a goroutine that acquires one lock after another, the first one by outer, and releases all.
func nested(who uint64, outer, inner Op, locks ...uint64) (list []Event) {
	for i, lock := range locks {
		op := inner
		if i == 0 {
			op = outer
		}
		list = append(list, on(who, lock, op, Other).tried(op == TryLock))
	}
	for _, lock := range slices.Backward(locks) {
		list = append(list, on(who, lock, Unlock, Other))
	}
	return list
}

func TestPredictor_Cycles(t *testing.T) {
	elsewhere := []Event{on(1, 1, Lock, Other), on(3, 1, Unlock, Other), on(1, 2, Lock, Other)}
	for name, test := range map[string]struct {
		first, second []Event
		want          bool
	}{
		"locks": {nested(1, Lock, Lock, 1, 2), nested(2, Lock, Lock, 2, 1), true},
		"writers": {slices.Concat(nested(1, RLock, RLock, 1, 2), nested(3, Lock, Lock, 1), nested(4, Lock, Lock, 2)), nested(2, RLock, RLock, 2, 1),
			true},
		"one writer":       {slices.Concat(nested(1, RLock, RLock, 1, 2), nested(3, Lock, Lock, 1)), nested(2, RLock, RLock, 2, 1), false},
		"one order":        {nested(1, Lock, Lock, 1, 2), nested(2, Lock, Lock, 1, 2), false},
		"inner read locks": {nested(1, Lock, RLock, 1, 2), nested(2, Lock, RLock, 2, 1), true},
		"outer read locks": {nested(1, RLock, Lock, 1, 2), nested(2, RLock, Lock, 2, 1), true},
		"only read locks":  {nested(1, RLock, RLock, 1, 2), nested(2, RLock, RLock, 2, 1), false},
		"guard":            {nested(1, Lock, Lock, 3, 1, 2), nested(2, Lock, Lock, 3, 2, 1), false},
		"read guard":       {nested(1, RLock, Lock, 3, 1, 2), nested(2, RLock, Lock, 3, 2, 1), true},
		"outer try":        {nested(1, TryLock, Lock, 1, 2), nested(2, Lock, Lock, 2, 1), true},
		"read lock again": {slices.Concat([]Event{on(1, 1, RLock, Other)}, nested(1, RLock, RLock, 1), nested(1, Lock, Lock, 2),
			[]Event{on(1, 1, Unlock, Other)}), nested(2, Lock, Lock, 2, 1), true},
		"unlocked by other": {elsewhere, nested(2, Lock, Lock, 2, 1), false},
		"reused goroutine":  {nested(1, Lock, Lock, 1, 2), append(nested(1, Lock, Lock, 2, 1), on(2, 9, Lock, Other)), true},
		"ordered by a channel": {append(nested(1, Lock, Lock, 1, 2), on(1, 9, Send, Other)),
			append([]Event{on(2, 9, Receive, Other)}, nested(2, Lock, Lock, 2, 1)...), false},
	} {
		texts := predicted(record(slices.Concat(test.first, test.second)...))
		if got := slices.Contains(texts, "cycle of 2 locks"); got != test.want {
			t.Errorf("%s: got %q, want a cycle: %v", name, texts, test.want)
		}
	}
}

// A cycle of the locks of the user's code is tried before those of the distribution.
func TestPredictor_CyclesOfDistribution(t *testing.T) {
	for place := range uint64(2) {
		p, events := New(1_000_000), record(slices.Concat(nested(1, Lock, Lock, 1, 2), nested(2, Lock, Lock, 2, 1))...)
		events[5].Place = place
		p.Add(events, 1, nil)
		if x := p.Cycle(); (x == nil) != (place == 0) {
			t.Errorf("inner request at place %d: %+v", place, x)
		}
	}
}

// A goroutine that holds a lock waits for another one, which needs that lock before.
func TestPredictor_CyclesWithWaits(t *testing.T) {
	const c, wg = 20, 21
	worker := append(nested(2, Lock, Lock, 1), on(2, wg, WaitGroup, Reduces))
	send := on(2, c, Send, Other)
	send.Flags = Unbuffered
	for name, test := range map[string]struct {
		events []Event
		want   string
	}{
		"wait group": {slices.Concat(worker, []Event{on(1, 1, Lock, Other), on(1, wg, WaitGroup, Waits), on(1, 1, Unlock, Other)}),
			"cycle of 1 lock and 1 wait"},
		"not held":     {slices.Concat(worker, []Event{on(1, 1, Lock, Other), on(1, 1, Unlock, Other), on(1, wg, WaitGroup, Waits)}), ""},
		"another lock": {slices.Concat(worker, []Event{on(1, 2, Lock, Other), on(1, wg, WaitGroup, Waits), on(1, 2, Unlock, Other)}), ""},
		"read locks": {slices.Concat([]Event{on(2, 1, RLock, Other), on(2, 1, Unlock, Other), on(2, wg, WaitGroup, Reduces)},
			[]Event{on(1, 1, RLock, Other), on(1, wg, WaitGroup, Waits), on(1, 1, Unlock, Other)}), ""},
		"locked before it starts": {slices.Concat(nested(2, Lock, Lock, 1), []Event{on(2, wg, WaitGroup, Reduces), on(1, 1, Lock, Other).woken(3),
			on(1, wg, WaitGroup, Waits), on(1, 1, Unlock, Other)}), ""},
		"value": {slices.Concat(nested(2, Lock, Lock, 1), []Event{send, on(1, 1, Lock, Other), on(1, c, Receive, Other), on(1, 1, Unlock, Other)}),
			"cycle of 1 lock and 1 wait"},
		"receiver": {slices.Concat(nested(1, Lock, Lock, 1), []Event{on(1, 0, Select, Other), on(2, 1, Lock, Other), send, on(1, 5, Atomic, Other).woken(5),
			on(2, 1, Unlock, Other)}), "cycle of 1 lock and 1 wait"},
		"two locks": {slices.Concat(nested(2, Lock, Lock, 1), []Event{on(2, wg, WaitGroup, Reduces)}, nested(3, Lock, Lock, 1, 2),
			[]Event{on(1, 2, Lock, Other), on(1, wg, WaitGroup, Waits), on(1, 2, Unlock, Other)}), "cycle of 2 locks and 1 wait"},
	} {
		got := ""
		for _, text := range predicted(record(test.events...)) {
			if strings.HasPrefix(text, "cycle") {
				got += text
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A goroutine is held before its select, not before a case.
func TestPredictor_HoldsBeforeSelect(t *testing.T) {
	events := []Event{on(1, 0, Select, Other), on(1, 7, Receive, Other), on(2, 7, Close, Other)}
	events[1].Flags = Case
	for i := range events {
		events[i].Place = 1
	}
	p := New(1_000_000)
	p.Add(events, 1, nil)
	x, want := p.Best(), Hold{Who: 1, Op: uint32(Select), Nth: 1}
	if x == nil || !slices.Equal(x.Holds, []Hold{want}) {
		t.Errorf("got %+v, want %+v", x, want)
	}
}

// A timer fires before an operation that stops it, or whose effect it precedes, if the goroutine is held for long enough.
func TestPredictor_Delays(t *testing.T) {
	const ms = 1_000_000
	stop := Event{Who: 2, Object: 7, Op: Timer, Time: 5 * ms, Due: 25 * ms}
	cancelled := record(on(1, 0, Select, Other), Event{Who: 1, Object: 8, Op: Receive, Flags: Case}, Event{Who: 1, Object: 9, Op: Receive,
		Flags: Case}, Event{Who: 2, Object: 8, Op: Send, Time: ms}, on(1, 9, Close, Other), on(1, 7, Lock, Other),
		Event{Who: 1, Object: 6, Op: Timer, Flags: NoPoint, Due: 30 * ms})
	cancelled[5].Place = cancelled[4].Place
	for name, test := range map[string]struct {
		events []Event
		want   int64
	}{
		"stop":          {record(on(1, 3, Send, Other), stop), 20*ms + ms/10},
		"one goroutine": {record(stop), 20*ms + ms/10},
		"timeout": {record(on(1, 0, Select, Other), Event{Who: 1, Object: 8, Op: Receive, Flags: Case}, Event{Who: 1, Object: 9, Op: Receive,
			Flags: Case, Due: 30 * ms}, Event{Who: 2, Object: 8, Op: Send, Time: ms}), 29*ms + ms/10},
		"deadline of a context": {cancelled, 29*ms + ms/10},
		"earlier timer": {record(on(1, 0, Select, Other), Event{Who: 1, Object: 8, Op: Receive, Flags: Case}, Event{Who: 1, Object: 9,
			Op: Receive, Flags: Case, Due: ms / 2}, Event{Who: 1, Object: 7, Op: Receive, Flags: Case, Due: 30 * ms},
			Event{Who: 2, Object: 8, Op: Send}), 30*ms + ms/10},
		"inside": {record(on(1, 3, Lock, Other), on(1, 4, Lock, Other), Event{Who: 1, Object: 7, Op: Timer, Flags: NoPoint, Due: 30 * ms}),
			30*ms + ms/10},
		"sleep": {record(on(1, 7, Atomic, Other), Event{Who: 2, Object: 7, Op: Atomic, Method: Loads, Time: 50 * ms}), 50*ms + ms/10},
		"short": {record(on(1, 7, Atomic, Other), Event{Who: 2, Object: 7, Op: Atomic, Method: Loads, Time: ms / 2}), 0},
		"read with a deadline": {record(Event{Who: 1, Object: 9, Op: Send, Method: Stream, Time: ms, Flags: Succeeded}, Event{Who: 2, Object: 9,
			Op: Receive, Method: Stream, Flags: Succeeded, Time: 2 * ms, Due: 30 * ms}), 29*ms + ms/10},
		"deadline of a pipe": {record(Event{Who: 1, Object: 9, Op: Timer, Method: Expires, Flags: NoPoint, Due: 30 * ms}, on(1, 0, Select, Other),
			Event{Who: 1, Object: 8, Op: Receive, Flags: Case}, Event{Who: 1, Object: 9, Op: Receive, Flags: Case},
			Event{Who: 2, Object: 8, Op: Send, Time: ms}), 29*ms + ms/10},
		"much too long": {record(on(1, 7, Atomic, Other), Event{Who: 2, Object: 7, Op: Atomic, Method: Loads, Time: 2 * maxDelay}), 0},
	} {
		p := New(ms)
		p.Add(test.events, 1, nil)
		got := int64(0)
		if x := p.Delay(); x != nil {
			got = x.Delay
		}
		if got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// The goroutines of a cycle that request its locks at different times are held for as long as that.
func TestPredictor_DelaysCycle(t *testing.T) {
	const ms = 1_000_000
	p := New(ms)
	p.Add(record(on(1, 3, Lock, Other), on(1, 4, Lock, Other), on(1, 4, Unlock, Other), on(1, 3, Unlock, Other),
		Event{Who: 2, Object: 4, Op: Lock, Time: 9 * ms}, Event{Who: 2, Object: 3, Op: Lock, Time: 10 * ms}), 1, nil)
	for x := p.Delay(); x != nil; x = p.Delay() {
		if x.What == "cycle of 2 locks" && x.Delay == 10*ms+ms/10 && len(x.Holds) == 2 {
			return
		}
	}
	t.Error("not predicted")
}

// A writer that waits between two read locks of a goroutine blocks both.
func TestPredictor_ReadLockAgain(t *testing.T) {
	reader := func(who uint64) []Event {
		return []Event{on(who, 1, RLock, Other), on(who, 1, RLock, Other), on(who, 1, Unlock, Other), on(who, 1, Unlock, Other)}
	}
	if got := predicted(record(append(reader(1), Event{Who: 2, Object: 1, Op: Lock})...)); !slices.Contains(got, "read lock requested again") {
		t.Errorf("got %q", got)
	}
	if got := predicted(record(append(reader(1), reader(2)...)...)); len(got) > 0 {
		t.Errorf("without a writer: %q", got)
	}
	gate, open := on(1, 3, Lock, Other), on(1, 3, Unlock, Other)
	guarded := slices.Concat([]Event{gate}, reader(1), []Event{open}, nested(2, Lock, Lock, 3, 1))
	ordered := slices.Concat(reader(1), []Event{on(1, 3, Send, Other), on(2, 3, Receive, Other)}, nested(2, Lock, Lock, 1))
	for _, events := range [][]Event{guarded, ordered} {
		if got := predicted(record(events...)); slices.Contains(got, "read lock requested again") {
			t.Errorf("%v: %q", events, got)
		}
	}
}

// Cycles, flips and delays have schedules of their own. Sampled schedules carry flips and repetitions.
func TestPredictor_Shares(t *testing.T) {
	p := New(1_000_000)
	for i, x := range []Prediction{{rank: rankRepeated + rankLock}, {rank: rankCycle}, {rank: rankLock}, {rank: rankClose}, {rank: rankClose},
		{rank: rankLock, Delay: 5}} {
		x.group, x.Holds = i, []Hold{{Who: uint64(i + 1)}}
		p.push(x)
	}
	who := func(x *Prediction) uint64 {
		if x == nil {
			return 0
		}
		return x.Holds[0].Who
	}
	for _, want := range []uint64{2, 0} {
		if got := who(p.Cycle()); got != want {
			t.Errorf("cycle: got goroutine %d, want %d", got, want)
		}
	}
	for _, want := range []uint64{6, 0} {
		if got := who(p.Delay()); got != want {
			t.Errorf("delay: got goroutine %d, want %d", got, want)
		}
	}
	if got := who(p.Close()); got != 4 {
		t.Errorf("close: got goroutine %d, want 4", got)
	}
	for _, want := range []uint64{3, 1, 0} {
		if x := p.Carry(); who(x) != want || x != nil && (!x.Carried || x.Holds[0].Mode&Keep == 0) {
			t.Errorf("got %+v, want goroutine %d", x, want)
		}
	}
	for _, want := range []uint64{5, 0} {
		if got := who(p.Flip()); got != want {
			t.Errorf("flip: got goroutine %d, want %d", got, want)
		}
	}
	if predicted, tried := p.Counts(); predicted != 6 || tried != 6 {
		t.Errorf("%d predicted, %d tried", predicted, tried)
	}
}

// Operations on the channels of one select compete, because the first one decides.
func TestPredictor_Rivals(t *testing.T) {
	waits := []Event{on(1, 0, Select, Other), {Who: 1, Object: 7, Op: Receive, Flags: Case}, {Who: 1, Object: 8, Op: Receive, Flags: Case}}
	send, closed := on(2, 7, Send, Other), on(3, 8, Close, Other)
	for name, test := range map[string]struct {
		events []Event
		want   bool
	}{
		"two cases": {append(slices.Clone(waits), send, closed), true},
		"one case":  {append(slices.Clone(waits[:2]), send, closed), false},
		"ordered":   {append(slices.Clone(waits), send, closed.woken(4)), false},
	} {
		if got := predicted(record(test.events...)); slices.Contains(got, "close before send for a select") != test.want {
			t.Errorf("%s: got %q, want a flip: %v", name, got, test.want)
		}
	}
}

// The pauses of a directed run take time. A flip of operations before and after them needs no longer delay.
func TestPredictor_TimeOfPauses(t *testing.T) {
	const ms = 1_000_000
	for _, base := range []*Prediction{nil, {Holds: []Hold{{Who: 2}}}} {
		p := New(ms)
		p.Add(record(on(1, 7, Cond, Waits), Event{Who: 2, Object: 7, Op: Cond, Time: ms}), 2, base)
		if x := p.Close(); (x != nil) != (base != nil) {
			t.Errorf("base %v: %v", base, x)
		}
		if x := p.Delay(); x == nil || x.Delay != ms+ms/10 {
			t.Errorf("base %v: %v", base, x)
		}
	}
}

// Holds are tried once, when the lowest of their ranks comes.
func TestPredictor_LowerRank(t *testing.T) {
	p := New(1_000_000)
	for _, rank := range []int{rankLock, rankClose, rankOther} {
		p.push(Prediction{rank: rank, Holds: []Hold{{Who: 1}}})
	}
	if x := p.Carry(); x != nil {
		t.Errorf("a sampled schedule carries %+v", x)
	}
	if x := p.Close(); x == nil || x.rank != rankClose {
		t.Errorf("got %+v", x)
	}
	if p.push(Prediction{rank: rankCycle, Holds: []Hold{{Who: 1}}}); p.Best() != nil {
		t.Error("the holds are tried again")
	}
}

// The goroutine that a prediction holds continues after those of its base.
func TestPredictor_Order(t *testing.T) {
	p := New(1_000_000)
	events := record(on(1, 7, Send, Other), on(2, 7, Close, Other))
	p.Add(events, 1, nil)
	p.Add(events, 2, p.Close())
	if x := p.Best(); x == nil || len(x.Holds) != 2 || x.Holds[0].Order >= x.Holds[1].Order {
		t.Errorf("got %+v", x)
	}
}

// A prediction from a directed run has its holds, too. Few predictions have the same contexts.
func TestPredictor_Bounds(t *testing.T) {
	p := New(1_000_000)
	events := record(on(1, 7, Send, Other), on(2, 7, Close, Other))
	p.Add(events, 1, nil)
	first := p.Best()
	p.Add(events, 2, first)
	if x := p.Best(); x == nil || x.Run != 1 || x.Depth != 1 || len(x.Holds) != 2 {
		t.Errorf("from a directed run: %+v", x)
	}
	p.Add(record(slices.Concat(nested(3, Lock, Lock, 1, 2), nested(4, Lock, Lock, 2, 1))...), 3, first)
	if x := p.Cycle(); x == nil || x.Depth != 1 {
		t.Errorf("cycle from a directed run: %+v", x)
	}
	for p.Best() != nil {
	}
	first.Holds = make([]Hold, MaxHolds)
	if p.Add(events, 3, first); p.Best() != nil {
		t.Error("a prediction has too many holds")
	}
	tried := 0
	for i := range 2 * maxPair {
		for p.Add(events, 4+i, &Prediction{Holds: []Hold{{Who: uint64(i + 10)}}}); p.Best() != nil; {
			tried++
		}
	}
	if tried != maxPair-3 {
		t.Errorf("%d further predictions, want %d", tried, maxPair-3)
	}
}
