package predict

import (
	"slices"
	"testing"
	"unsafe"
)

func TestEvent_Size(t *testing.T) {
	if size := unsafe.Sizeof(Event{}); size != 64 {
		t.Errorf("an event has %d bytes, want 64", size)
	}
}

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

func TestPredictor_Flips(t *testing.T) {
	const c = 7
	for name, test := range map[string]struct {
		events []Event
		want   []string
	}{
		"close before send":  {record(Event{Who: 1, Object: c, Op: Send}, Event{Who: 2, Object: c, Op: Close}), []string{"close before send"}},
		"other channels":     {record(Event{Who: 1, Object: c, Op: Send}, Event{Who: 2, Object: c + 1, Op: Close}), nil},
		"ordered by go":      {record(Event{Who: 1, Object: c, Op: Send}, Event{Who: 2, Waker: 1, Object: c, Op: Close}), nil},
		"one goroutine":      {record(Event{Who: 1, Object: c, Op: Send}, Event{Who: 1, Object: c, Op: Close}), nil},
		"signal before wait": {record(Event{Who: 1, Object: c, Op: Cond, Method: Waits}, Event{Who: 2, Object: c, Op: Cond}), []string{"Signal before Wait"}},
		"two loads":          {record(Event{Who: 1, Object: c, Op: Atomic, Method: Loads}, Event{Who: 2, Object: c, Op: Atomic, Method: Loads}), nil},
		"failed CAS":         {record(Event{Who: 1, Object: c, Op: Atomic, Method: Loads}, Event{Who: 2, Object: c, Op: Atomic, Method: Swaps, Flags: Tries}), nil},
		"CAS": {record(Event{Who: 1, Object: c, Op: Atomic, Method: Loads}, Event{Who: 2, Object: c, Op: Atomic, Method: Swaps, Flags: Tries | Succeeded}),
			[]string{"atomic operation before atomic operation"}},
		"done and wait": {record(Event{Who: 1, Object: c, Op: WaitGroup, Method: Reduces}, Event{Who: 2, Object: c, Op: WaitGroup, Method: Waits}), nil},
		"add and wait": {record(Event{Who: 1, Object: c, Op: WaitGroup, Method: Waits}, Event{Who: 2, Object: c, Op: WaitGroup}),
			[]string{"Add before Wait"}},
		"send orders close": {record(Event{Who: 1, Object: c + 1, Op: Receive}, Event{Who: 1, Object: c, Op: Send}, Event{Who: 1, Object: c + 2, Op: Send},
			Event{Who: 2, Object: c + 2, Op: Receive}, Event{Who: 2, Object: c, Op: Close}), nil},
		"unlock does not order": {record(Event{Who: 1, Object: 1, Op: Lock}, Event{Who: 1, Object: c, Op: Send}, Event{Who: 1, Object: 1, Op: Unlock},
			Event{Who: 2, Object: 2, Op: Lock}, Event{Who: 2, Waker: 3, Object: c, Op: Close}), []string{"close before send"}},
	} {
		if got := predicted(test.events); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A writer that waits between two read locks of a goroutine blocks both.
func TestPredictor_ReadLockAgain(t *testing.T) {
	reader := func(who uint64) []Event {
		return []Event{{Who: who, Object: 1, Op: RLock}, {Who: who, Object: 1, Op: RLock}, {Who: who, Object: 1, Op: Unlock}, {Who: who, Object: 1, Op: Unlock}}
	}
	if got := predicted(record(append(reader(1), Event{Who: 2, Object: 1, Op: Lock})...)); !slices.Contains(got, "read lock requested again") {
		t.Errorf("got %q", got)
	}
	if got := predicted(record(append(reader(1), reader(2)...)...)); len(got) > 0 {
		t.Errorf("without a writer: %q", got)
	}
}

// Cycles and delays have schedules of their own. Sampled schedules carry the others, but at every second call only conflicts of close and wait
// operations.
func TestPredictor_Shares(t *testing.T) {
	p := New(1_000_000)
	for i, x := range []Prediction{{rank: rankRepeated + rankLock}, {rank: rankCycle}, {rank: rankLock}, {rank: rankClose}, {rank: rankClose}, {rank: rankLock, Delay: 5}} {
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
	for _, want := range []uint64{4, 5, 3, 0, 1, 0} {
		if x := p.Carry(); who(x) != want || x != nil && (!x.Carried || x.Holds[0].Mode&Keep == 0) {
			t.Errorf("got %+v, want goroutine %d", x, want)
		}
	}
	if predicted, tried := p.Counts(); predicted != 6 || tried != 6 {
		t.Errorf("%d predicted, %d tried", predicted, tried)
	}
}
