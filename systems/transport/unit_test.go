package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
)

// sized is a message of several packets.
type sized struct{ Number, Size int }

func (s sized) Packets() int { return s.Size }

// Packets of random messages arrive in random order with duplicates. The oracle only stores the set of packets that
// have arrived.
func TestReassembly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := newEnd(0, Config{}), newEnd(1, Config{})
		var packets []Data
		var ends []int // of messages: the number of packets up to them
		syn := a.env.Clock().Tick()
		for i := range rapid.IntRange(1, 5).Draw(t, "messages") {
			count := rapid.IntRange(1, 4).Draw(t, "packets")
			for k := range count {
				d := Data{Seq: 1001 + len(packets), Fragment: Fragment{k, count}}
				if k == 0 {
					d.Body = i
				}
				if len(packets) == 0 {
					d.SYN = syn
				}
				packets = append(packets, d)
			}
			ends = append(ends, len(packets))
		}
		arrived := make([]bool, len(packets))
		order := append([]int{0}, rapid.SliceOf(rapid.IntRange(0, len(packets)-1)).Draw(t, "order")...)
		for _, i := range order {
			b.Receive(b.env, 0, packets[i])
			arrived[i] = true
			prefix := slices.Index(arrived, false)
			if prefix < 0 {
				prefix = len(packets)
			}
			if sent, want := b.env.take(), (Ack{1000 + prefix, syn}); len(sent) != 1 || sent[0] != want {
				t.Fatalf("answered %v, want %v", sent, want)
			}
			complete := 0
			for complete < len(ends) && ends[complete] <= prefix {
				complete++
			}
			if len(b.up.got) != complete {
				t.Fatalf("%d messages delivered, want %d", len(b.up.got), complete)
			}
		}
		for i, got := range b.up.got {
			if got != i {
				t.Fatalf("delivered %v", b.up.got)
			}
		}
		if b.env.fail {
			t.Fatal("an assertion failed")
		}
	})
}

// Starting with a window of 1 and a threshold of 4, slow start adds a packet for each acknowledged one: 1 2 3 4. Then a
// whole window must be acknowledged: 4 more packets for 5, 5 more for 6, and 6 and 7 for 7 and 8, the maximum.
func TestWindowGrows(t *testing.T) {
	o := outgoing{window: 1, threshold: 4}
	var at []int // packets acknowledged when the window grew
	for n := 1; n <= 40; n++ {
		was := o.window
		o.grow(1)
		if o.window != was {
			at = append(at, n)
		}
	}
	if want := []int{1, 2, 3, 7, 12, 18, 25}; !slices.Equal(at, want) || o.window != maxWindow {
		t.Errorf("grew at %v to %d, want %v to %d", at, o.window, want, maxWindow)
	}
}

// A window of 8 becomes 4 after a fast retransmit and 1 after a time-out; the threshold becomes half of the window.
func TestWindowShrinks(t *testing.T) {
	ready := func() *end {
		a := newEnd(0, Config{})
		for i := range 9 {
			if err := a.Send(a.env, 1, i); err != nil {
				t.Fatal(err)
			}
		}
		a.peers[1].out.window, a.peers[1].out.threshold = 8, 7 // not the threshold of 4 that is expected below
		a.Receive(a.env, 1, Ack{1001, a.peers[1].out.syn})
		if sent := a.env.take(); len(sent) != 9 { // the first, and 8 when it is acknowledged
			t.Fatalf("%d packets sent", len(sent))
		}
		return a
	}
	a := ready()
	o := &a.peers[1].out
	for i := range 5 {
		a.Receive(a.env, 1, Ack{1001, o.syn})
		again := a.env.take()
		if i != 2 && len(again) > 0 || i == 2 && (len(again) != 1 || again[0].(Data).Seq != 1002) {
			t.Errorf("duplicate %d: sent %v", i+1, again)
		}
	}
	if o.window != 4 || o.threshold != 4 || o.flying != 8 {
		t.Errorf("window %d, threshold %d, %d in flight; want 4, 4, 8", o.window, o.threshold, o.flying)
	}

	a = ready()
	o = &a.peers[1].out
	a.fire(retransmit{1, 1009})
	if o.window != 1 || o.threshold != 4 || o.flying != 7 || o.highest() != 1008 {
		t.Errorf("window %d, threshold %d, %d in flight up to %d; want 1, 4, 7, 1008", o.window, o.threshold, o.flying, o.highest())
	}
	if sent := a.env.take(); len(sent) > 0 {
		t.Errorf("sent %v although the window is full", sent)
	}
	a.Receive(a.env, 1, Ack{1009, o.syn}) // above everything in flight
	if len(o.packets) > 0 || o.flying != 0 || len(a.env.armed) != 0 || o.base != 1010 {
		t.Errorf("%d packets and %d timers left, next acknowledgement %d", len(o.packets), len(a.env.armed), o.base)
	}
}

// A connection has a thousand sequence numbers. The last message that certainly fits begins at 937, so 2,500 messages
// of one packet need three connections. No message is lost at the transitions, also if messages wait for them.
func TestSequenceNumbersRunOut(t *testing.T) {
	a, b := newEnd(0, Config{Buffer: 8}), newEnd(1, Config{Buffer: 8})
	const messages = 2500
	for sent := 0; sent < messages; {
		if a.Send(a.env, 1, sent) == nil {
			sent++
			continue
		}
		a.RequestClearToSend(a.env, 1)
		if a.env.armed[clearToSend{1}] {
			t.Fatal("there is no room, but a call-back is due")
		}
		if err := exchange(a, b); err != nil {
			t.Fatal(err)
		}
		if !a.env.armed[clearToSend{1}] {
			t.Fatal("there is room, but no call-back is due")
		}
		a.fire(clearToSend{1})
	}
	if err := exchange(a, b); err != nil {
		t.Fatal(err)
	}
	if len(b.up.got) != messages || a.env.ticks != 3 || len(a.up.failures) > 0 {
		t.Fatalf("%d messages on %d connections, failures %v", len(b.up.got), a.env.ticks, a.up.failures)
	}
	for i, m := range b.up.got {
		if m != i {
			t.Fatalf("message %d is %v", i, m)
		}
	}
	if o := &a.peers[1].out; o.base >= o.initial+stride {
		t.Errorf("number %d belongs to another connection than %d", o.base-1, o.initial)
	}
}

// Without room a message is refused as a whole. A request is granted once, by the timer.
func TestClearToSend(t *testing.T) {
	a, b := newEnd(0, Config{Buffer: 2}), newEnd(1, Config{})
	for i, want := range []error{nil, nil, sim.ErrFull} { // 1 in flight, 1 waiting; then 3 more
		size := 1 + i%2*2
		if err := a.Send(a.env, 1, sized{i, size}); err != want {
			t.Fatalf("message %d: %v, want %v", i, err, want)
		}
	}
	a.RequestClearToSend(a.env, 1)
	a.RequestClearToSend(a.env, 1)
	if a.env.armed[clearToSend{1}] {
		t.Error("a call-back is due without room")
	}
	if err := exchange(a, b); err != nil {
		t.Fatal(err)
	}
	if !a.env.armed[clearToSend{1}] || a.up.clear != 0 {
		t.Errorf("timer armed: %v, %d call-backs", a.env.armed[clearToSend{1}], a.up.clear)
	}
	a.fire(clearToSend{1})
	if a.up.clear != 1 || a.peers[1].out.wanted {
		t.Errorf("%d call-backs, still wanted: %v", a.up.clear, a.peers[1].out.wanted)
	}
	if want := []any{sized{0, 1}, sized{1, 3}}; !slices.Equal(b.up.got, want) {
		t.Errorf("got %v, want %v", b.up.got, want)
	}
}

// A packet may be resent twice; then both directions are closed and no timer stays armed.
func TestGivesUp(t *testing.T) {
	for _, old := range []bool{false, true} {
		a, b := newEnd(0, Config{Retries: 2}), newEnd(1, Config{})
		if err := b.Send(b.env, 0, "hello"); err != nil {
			t.Fatal(err)
		}
		if err := exchange(a, b); err != nil {
			t.Fatal(err)
		}
		if err := a.Send(a.env, 1, "anybody there?"); err != nil {
			t.Fatal(err)
		}
		a.env.old = old
		fires := 0
		for a.env.armed[retransmit{1, 1001}] {
			a.fire(retransmit{1, 1001})
			fires++
		}
		if want := map[bool]int{false: 3, true: 1}[old]; fires != want {
			t.Errorf("old %v: the timer fired %d times, want %d", old, fires, want)
		}
		if p := &a.peers[1]; p.out.open || p.in.open || len(a.env.armed) > 0 || !slices.Equal(a.up.failures, []error{ErrTimeout}) {
			t.Errorf("old %v: out open %v, in open %v, timers %v, failures %v", old, p.out.open, p.in.open, a.env.armed, a.up.failures)
		}
	}
}

// A restarted receiver refuses packets of unknown connections, and old SYNs, including the last one.
func TestRestartedReceiver(t *testing.T) {
	a, b := newEnd(0, Config{}), newEnd(1, Config{})
	_ = a.Send(a.env, 1, 1)
	syn := a.env.sent[0]
	if err := exchange(a, b); err != nil {
		t.Fatal(err)
	}
	_ = a.Send(a.env, 1, 2)
	late := a.env.take()[0].(Data)

	again := newEnd(1, Config{})
	again.env.disk = b.env.disk
	for _, m := range []any{syn, late} {
		d := m.(Data)
		again.Receive(again.env, 0, d)
		if sent, want := again.env.take(), (Reset{d.SYN, d.Seq}); len(sent) != 1 || sent[0] != want {
			t.Errorf("%+v: answered %v, want %v", d, sent, want)
		}
	}
	a.Receive(a.env, 1, Reset{syn.(Data).SYN, 1001}) // acknowledged before: ignored
	if !a.peers[1].out.open {
		t.Error("a reset of a packet that has arrived closed the connection")
	}
	a.Receive(a.env, 1, Reset{Seq: late.Seq})
	if a.peers[1].out.open || !slices.Equal(a.up.failures, []error{ErrReset}) || len(a.env.armed) > 0 {
		t.Errorf("open %v, failures %v, timers %v", a.peers[1].out.open, a.up.failures, a.env.armed)
	}
	_ = a.Send(a.env, 1, 3)
	if err := exchange(a, again); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.up.got, []any{3}) || len(a.up.failures) != 1 {
		t.Errorf("got %v, failures %v", again.up.got, a.up.failures)
	}
}

func TestOtherMessagesAndTimers(t *testing.T) {
	a := newEnd(0, Config{})
	if a.Receive(a.env, 1, "mine") || a.Timer(a.env, "mine") {
		t.Error("the transport took what is not its own")
	}
}

func TestMisuse(t *testing.T) {
	for what, f := range map[string]func(){
		"a negative buffer": func() { New(nil, Config{Buffer: -1}) },
		"no packets":        func() { a := newEnd(0, Config{}); _ = a.Send(a.env, 1, sized{1, 0}) },
		"too many packets":  func() { a := newEnd(0, Config{}); _ = a.Send(a.env, 1, sized{1, MaxPackets + 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

// The sender opens a connection, restarts, and opens another, which the receiver accepts. Then the first SYN arrives,
// before the sender learns that the second was accepted. Only a receiver that compares the age of SYNs continues with
// the second connection.
func TestLateSYN(t *testing.T) {
	for _, c := range []struct {
		bugs   bugs
		closed bool // the receiver gives up its own connection, and with it both, before the late SYN
		dead   bool
	}{
		{0, false, false}, {0, true, false},
		{mt3, false, true}, {mt3, true, true},
		{mt3a, false, true}, {mt3a, true, false},
		{mt3b, false, false}, {mt3b, true, true},
	} {
		a, b := newEnd(0, Config{}), newEnd(1, Config{})
		a.bugs, b.bugs = c.bugs, c.bugs
		_ = a.Send(a.env, 1, "first")
		late := a.env.take()[0]

		ticks := a.env.ticks
		a = newEnd(0, Config{})
		a.env.ticks = ticks
		_ = a.Send(a.env, 1, "second")
		_ = a.Send(a.env, 1, "third")
		b.Receive(b.env, 0, a.env.take()[0])
		ack := b.env.take()[0]
		if c.closed {
			_ = b.Send(b.env, 0, "to nobody")
			b.env.take()
			b.env.old = true
			b.fire(retransmit{0, 1001})
		}
		b.Receive(b.env, 0, late)
		b.env.take()
		a.Receive(a.env, 1, ack)
		for range 10 { // the packet after the SYN, again and again
			if err := exchange(a, b); err != nil {
				t.Fatal(err)
			}
			if a.env.armed[retransmit{1, 2002}] {
				a.fire(retransmit{1, 2002})
			}
		}
		waits := a.peers[1].out.open && len(a.peers[1].out.packets) > 0
		if waits != c.dead {
			t.Errorf("bugs %b, closed %v: the sender waits forever: %v, want %v", c.bugs, c.closed, waits, c.dead)
		}
	}
}
