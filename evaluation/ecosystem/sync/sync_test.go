// Package sync has tests with other maps, counters, identifiers and events than those of the standard library.
package sync

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/asaskevich/EventBus"
	"github.com/google/uuid"
	"github.com/looplab/fsm"
	"github.com/oklog/ulid/v2"
	cmap "github.com/orcaman/concurrent-map/v2"
	"github.com/puzpuzpuz/xsync/v4"
	"go.uber.org/atomic"
)

// both executes two functions, the second one a little later, and waits for them.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(func() { time.Sleep(500 * time.Microsecond); g() })
	wg.Wait()
}

func TestXsync(t *testing.T) {
	m, c := xsync.NewMap[string, int](), xsync.NewCounter()
	count := func() {
		for i := range 3 {
			m.Store(fmt.Sprint(i), i)
			c.Inc()
		}
	}
	both(count, count)
	if m.Size() != 3 || c.Value() != 6 {
		t.Errorf("%d entries, %d counted", m.Size(), c.Value())
	}
}

// seats lets two people reserve one seat.
func seats(t *testing.T, reserve func(m *xsync.Map[string, string], who string) bool) {
	t.Helper()
	m, got := xsync.NewMap[string, string](), xsync.NewCounter()
	book := func(who string) func() {
		return func() {
			if reserve(m, who) {
				got.Inc()
			}
		}
	}
	both(book("ann"), book("bob"))
	if got.Value() != 1 {
		t.Errorf("%d reservations", got.Value())
	}
}

func TestXsyncDefect(t *testing.T) {
	seats(t, func(m *xsync.Map[string, string], who string) bool {
		if _, taken := m.Load("1A"); taken {
			return false
		}
		m.Store("1A", who)
		return true
	})
}

func TestXsyncMended(t *testing.T) {
	seats(t, func(m *xsync.Map[string, string], who string) bool {
		_, taken := m.LoadOrStore("1A", who)
		return !taken
	})
}

func TestAtomic(t *testing.T) {
	var ready atomic.Bool
	n := atomic.NewInt64(0)
	add := func() {
		n.Add(2)
		ready.Store(true)
	}
	both(add, add)
	if n.Load() != 4 || !ready.Load() {
		t.Errorf("%d, %v", n.Load(), ready.Load())
	}
}

// closes lets two goroutines close a connection. It is to be closed once.
func closes(t *testing.T, closeOnce func(closed *atomic.Bool, conn chan struct{})) {
	closed, conn := atomic.NewBool(false), make(chan struct{})
	both(func() { closeOnce(closed, conn) }, func() { closeOnce(closed, conn) })
	<-conn
}

func TestAtomicDefect(t *testing.T) {
	closes(t, func(closed *atomic.Bool, conn chan struct{}) {
		if !closed.Load() {
			closed.Store(true)
			close(conn)
		}
	})
}

func TestAtomicMended(t *testing.T) {
	closes(t, func(closed *atomic.Bool, conn chan struct{}) {
		if !closed.Swap(true) {
			close(conn)
		}
	})
}

func TestConcurrentMap(t *testing.T) {
	m := cmap.New[int]()
	fill := func() {
		for i := range 3 {
			m.Set(fmt.Sprint(i), i)
		}
	}
	both(fill, fill)
	if keys := m.Keys(); len(keys) != 3 {
		t.Errorf("keys %v", keys)
	}
}

// visits counts two visits of one page.
func visits(t *testing.T, visit func(m cmap.ConcurrentMap[string, int])) {
	t.Helper()
	m := cmap.New[int]()
	both(func() { visit(m) }, func() { visit(m) })
	if n, _ := m.Get("/"); n != 2 {
		t.Errorf("%d visits", n)
	}
}

func TestConcurrentMapDefect(t *testing.T) {
	visits(t, func(m cmap.ConcurrentMap[string, int]) {
		n, _ := m.Get("/")
		m.Set("/", n+1)
	})
}

func TestConcurrentMapMended(t *testing.T) {
	visits(t, func(m cmap.ConcurrentMap[string, int]) {
		m.Upsert("/", 1, func(exists bool, old, n int) int {
			if exists {
				return old + n
			}
			return n
		})
	})
}

func TestUUID(t *testing.T) {
	ids := xsync.NewMap[uuid.UUID, bool]()
	draw := func() {
		for range 3 {
			id, err := uuid.NewV7()
			if err != nil {
				t.Error(err)
			}
			ids.Store(id, true)
			ids.Store(uuid.New(), true)
		}
	}
	both(draw, draw)
	if ids.Size() != 12 {
		t.Errorf("%d identifiers", ids.Size())
	}
}

// sessions lets two requests of one user find or create her session.
func sessions(t *testing.T, session func(m *sync.Map) uuid.UUID) {
	t.Helper()
	var m sync.Map
	var a, b uuid.UUID
	both(func() { a = session(&m) }, func() { b = session(&m) })
	if a != b {
		t.Error("two sessions of one user")
	}
}

func TestUUIDDefect(t *testing.T) {
	sessions(t, func(m *sync.Map) uuid.UUID {
		if id, ok := m.Load("ann"); ok {
			return id.(uuid.UUID)
		}
		id := uuid.New()
		m.Store("ann", id)
		return id
	})
}

func TestUUIDMended(t *testing.T) {
	sessions(t, func(m *sync.Map) uuid.UUID {
		id, _ := m.LoadOrStore("ann", uuid.New())
		return id.(uuid.UUID)
	})
}

func TestULID(t *testing.T) {
	var a, b ulid.ULID
	both(func() { a = ulid.Make() }, func() { b = ulid.Make() })
	if a == b {
		t.Error("two equal identifiers")
	}
	if d := time.Since(a.Timestamp()); d < -time.Second || d > time.Minute {
		t.Errorf("made %v ago", d)
	}
}

// logged appends two events, whose identifiers are to be in order.
func logged(t *testing.T, appendEvent func(mu *sync.Mutex, log *[]ulid.ULID)) {
	t.Helper()
	var mu sync.Mutex
	var log []ulid.ULID
	both(func() { appendEvent(&mu, &log) }, func() { appendEvent(&mu, &log) })
	if log[0].Compare(log[1]) >= 0 {
		t.Error("the events are not in order")
	}
}

func TestULIDDefect(t *testing.T) {
	logged(t, func(mu *sync.Mutex, log *[]ulid.ULID) {
		id := ulid.Make()
		mu.Lock()
		defer mu.Unlock()
		*log = append(*log, id)
	})
}

func TestULIDMended(t *testing.T) {
	logged(t, func(mu *sync.Mutex, log *[]ulid.ULID) {
		mu.Lock()
		defer mu.Unlock()
		*log = append(*log, ulid.Make())
	})
}

func TestEventBus(t *testing.T) {
	bus := EventBus.New()
	var sum atomic.Int64
	bus.SubscribeAsync("add", func(n int64) { sum.Add(n) }, false)
	both(func() { bus.Publish("add", int64(1)) }, func() { bus.Publish("add", int64(2)) })
	bus.WaitAsync()
	if sum.Load() != 3 {
		t.Errorf("sum %d", sum.Load())
	}
}

// greet starts a subscriber, and publishes an event that it waits for.
func greet(subscribe func(bus EventBus.Bus, got chan string, ready chan struct{}), wait func(ready chan struct{})) string {
	bus, got, ready := EventBus.New(), make(chan string, 1), make(chan struct{})
	go subscribe(bus, got, ready)
	wait(ready)
	bus.Publish("hello", "ann")
	return <-got
}

func subscribe(bus EventBus.Bus, got chan string, ready chan struct{}) {
	bus.SubscribeOnce("hello", func(name string) { got <- name })
	close(ready)
}

// The event is lost if it is published before the subscription.
func TestEventBusDefect(t *testing.T) {
	greet(subscribe, func(chan struct{}) { time.Sleep(500 * time.Microsecond) })
}

func TestEventBusMended(t *testing.T) {
	greet(subscribe, func(ready chan struct{}) { <-ready })
}

func newOrder() *fsm.FSM {
	return fsm.NewFSM("new", fsm.Events{
		{Name: "pay", Src: []string{"new"}, Dst: "paid"},
		{Name: "cancel", Src: []string{"new"}, Dst: "canceled"},
	}, fsm.Callbacks{})
}

func TestFSM(t *testing.T) {
	f := newOrder()
	both(func() { f.Event(t.Context(), "pay") }, func() { f.Event(t.Context(), "cancel") })
	if s := f.Current(); s != "paid" && s != "canceled" {
		t.Errorf("the order is %s", s)
	}
}

// cancelAndPay cancels an order while its payment arrives.
func cancelAndPay(t *testing.T, do func(f *fsm.FSM, event string) bool) {
	t.Helper()
	f, did := newOrder(), atomic.NewInt64(0)
	event := func(name string) func() {
		return func() {
			if do(f, name) {
				did.Inc()
			}
		}
	}
	both(event("pay"), event("cancel"))
	if did.Load() != 1 {
		t.Errorf("%d events, now %s", did.Load(), f.Current())
	}
}

func TestFSMDefect(t *testing.T) {
	cancelAndPay(t, func(f *fsm.FSM, event string) bool {
		if !f.Can(event) {
			return false
		}
		f.Event(t.Context(), event)
		return true
	})
}

func TestFSMMended(t *testing.T) {
	cancelAndPay(t, func(f *fsm.FSM, event string) bool { return f.Event(t.Context(), event) == nil })
}
