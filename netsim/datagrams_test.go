package netsim

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

func TestDatagramsAreUnordered(t *testing.T) {
	b := newBench(Datagrams{}, 3)
	b.datagram(1, 2, "b")
	b.datagram(0, 2, "c")
	b.datagram(1, 2, "a")
	b.datagram(0, 2, "b")
	b.datagram(2, 0, "x")
	// In order of content, then sender.
	b.expect(t, "deliver 2>0 x", "deliver 1>2 a", "deliver 0>2 b", "deliver 1>2 b", "deliver 0>2 c")
	if d := b.do(t, "deliver 1>2 b"); d.From != 1 || d.Msg.Body != "b" || d.Msg.ID != 1 {
		t.Errorf("delivered %+v", d)
	}
	b.do(t, "deliver 0>2 c")
	b.expect(t, "deliver 2>0 x", "deliver 1>2 a", "deliver 0>2 b")
	b.expectFates(t, fate{1, netmodel.Delivered}, fate{2, netmodel.Delivered})
}

func TestEqualDatagramsAreOneEvent(t *testing.T) {
	b := newBench(Datagrams{Loss: 1}, 2)
	b.datagram(0, 1, "a")
	b.datagram(0, 1, "b")
	b.datagram(0, 1, "a")
	b.datagram(0, 1, "a")
	both := []string{"deliver 0>1 a", "deliver 0>1 b", "lose 0>1 a", "lose 0>1 b"}
	b.expect(t, both...)
	b.do(t, "lose 0>1 a") // the oldest
	b.expect(t, both[:2]...)
	b.do(t, "deliver 0>1 a")
	b.expect(t, both[:2]...)
	b.do(t, "deliver 0>1 a")
	b.expect(t, both[1])
	b.expectFates(t, fate{1, netmodel.Lost}, fate{3, netmodel.Delivered}, fate{4, netmodel.Delivered})
}

func TestDuplicate(t *testing.T) {
	b := newBench(Datagrams{Dup: 1}, 2)
	b.datagram(0, 1, "a")
	b.datagram(0, 1, "b")
	b.expect(t, "deliver 0>1 a", "deliver 0>1 b", "duplicate 0>1 a", "duplicate 0>1 b")
	b.do(t, "duplicate 0>1 a")
	b.expect(t, "deliver 0>1 a", "deliver 0>1 b")
	b.do(t, "deliver 0>1 a")
	b.do(t, "deliver 0>1 a")
	b.expect(t, "deliver 0>1 b")
	b.expectFates(t, fate{1, netmodel.Duplicated}, fate{1, netmodel.Delivered}, fate{1, netmodel.Delivered})
}

// A datagram survives crashes of both ends. A datagram to a node that is down is dropped.
func TestDatagramsAndCrashes(t *testing.T) {
	b := newBench(Datagrams{Loss: 1}, 2)
	b.datagram(0, 1, "a")
	b.crash(0)
	b.crash(1)
	b.expect(t, "lose 0>1 a")
	if !b.Quiet() {
		t.Error("not quiet while the receiver is down")
	}
	b.boot(0)
	b.datagram(0, 1, "b")
	b.expectFates(t, fate{2, netmodel.DroppedDown})
	b.boot(1)
	b.expect(t, "deliver 0>1 a", "lose 0>1 a")
	if b.Quiet() {
		t.Error("quiet with a datagram in flight")
	}
}

func TestEnvelopes(t *testing.T) {
	b := newBench(Both{}, 3)
	b.datagram(2, 1, "d")
	b.stream(2, 1, "s1")
	b.stream(2, 1, "s2")
	b.stream(0, 1, "s3")
	b.datagram(1, 0, "e")
	want := []sim.Envelope{
		{From: 1, To: 0, Msg: "e", ID: 5},
		{From: 0, To: 1, Msg: "s3", ID: 4, Stream: true},
		{From: 2, To: 1, Msg: "s1", ID: 2, Stream: true},
		{From: 2, To: 1, Msg: "s2", ID: 3, Stream: true},
		{From: 2, To: 1, Msg: "d", ID: 1},
	}
	if got := slices.Collect(b.InFlight); !slices.Equal(got, want) {
		t.Errorf("in flight %+v", got)
	}
	for stop := range want {
		n := 0
		for range b.InFlight {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Errorf("stopped after %d of %d", n, stop+1)
		}
	}
	var got []sim.Envelope
	for _, ev := range b.enabled() {
		got = b.Messages(ev, got)
		if ev.Msgs != 1 {
			t.Errorf("%s consumes %d messages", b.describe(ev), ev.Msgs)
		}
	}
	if !slices.Equal(got, slices.Delete(want, 3, 4)) { // s2 is not next in its stream
		t.Errorf("messages %+v", got)
	}
}

// Two datagrams a and b and one loss, counted by hand: both in flight; one in flight, with the other delivered or lost
// (2 x 2); none, with or without the loss: 1 + 4 + 2 states.
func TestDatagramStates(t *testing.T) {
	found := explore(newBench(Datagrams{Loss: 1}, 2), limits{depth: 10}, func(b *bench) {
		b.datagram(0, 1, "a")
		b.datagram(0, 1, "b")
	})
	if len(found.states) != 7 {
		t.Errorf("%d states, want 7", len(found.states))
	}
}

func TestNoDatagrams(t *testing.T) {
	defer func() {
		if r := recover(); r != "the network has no datagrams: use netsim.Datagrams or netsim.Both" {
			t.Errorf("panic value %v", r)
		}
	}()
	newBench(Streams{}, 2).datagram(0, 1, "a")
}
