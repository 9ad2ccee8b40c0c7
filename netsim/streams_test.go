package netsim

import (
	"errors"
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

func TestStreamIsFIFO(t *testing.T) {
	b := newBench(Streams{}, 3)
	b.stream(0, 2, "z")
	b.stream(1, 2, "x")
	b.stream(0, 2, "a")
	b.expect(t, "deliver 0>2 z", "deliver 1>2 x")
	if d := b.do(t, "deliver 0>2 z"); d.From != 0 || d.Msg.Body != "z" || d.Msg.ID != 1 {
		t.Errorf("delivered %+v", d)
	}
	b.expect(t, "deliver 0>2 a", "deliver 1>2 x")
	b.do(t, "deliver 0>2 a")
	b.do(t, "deliver 1>2 x")
	b.expect(t)
	b.expectFates(t, fate{1, netmodel.Delivered}, fate{3, netmodel.Delivered}, fate{2, netmodel.Delivered})
}

func TestStreamBuffer(t *testing.T) {
	if got := newBench(Streams{}, 2).Room(0, 1); got != 20 {
		t.Errorf("the default buffer holds %d, want 20", got)
	}
	b := newBench(Streams{Buffer: 2}, 2)
	for i, want := range []bool{true, true, false, false} {
		if got := b.stream(0, 1, fmt.Sprint(i)); got != want {
			t.Errorf("message %d: accepted %v", i, got)
		}
	}
	// Two refusals make one call-back, and only once there is room.
	b.expect(t, "deliver 0>1 0")
	b.do(t, "deliver 0>1 0")
	b.expect(t, "ready 1>0", "deliver 0>1 1")
	// It waits again while the buffer is full.
	b.stream(0, 1, "4")
	b.expect(t, "deliver 0>1 1")
	b.do(t, "deliver 0>1 1")
	if d := b.do(t, "ready 1>0"); d.From != 1 {
		t.Errorf("the call-back names %d", d.From)
	}
	b.expect(t, "deliver 0>1 4")
}

// A message to a node that is down drops the queued messages, and results in an error.
func TestStreamToDownNode(t *testing.T) {
	b := newBench(Streams{}, 2)
	b.stream(0, 1, "attempt")
	b.crash(1)
	b.expect(t)
	b.stream(0, 1, "second")
	b.stream(0, 1, "third")
	b.expectFates(t, fate{1, netmodel.DroppedDown}, fate{2, netmodel.DroppedDown}, fate{3, netmodel.DroppedDown})
	b.expect(t, "error 1>0 connection refused")

	// Until the error is read, sent messages are lost, and messages of the peer wait behind it.
	b.boot(1)
	b.stream(0, 1, "fourth")
	b.expectFates(t, fate{4, netmodel.DroppedBreak})
	b.stream(1, 0, "hello")
	b.expect(t, "error 1>0 connection refused")
	if d := b.do(t, "error 1>0 connection refused"); !errors.Is(d.Err, sim.ErrRefused) || d.From != 1 {
		t.Errorf("delivered %+v", d)
	}
	b.stream(0, 1, "fifth")
	b.expect(t, "deliver 1>0 hello", "deliver 0>1 fifth")
}

func TestCrashOfConnectedNode(t *testing.T) {
	b := newBench(Streams{}, 3)
	b.stream(0, 1, "a")
	b.do(t, "deliver 0>1 a")
	b.stream(0, 1, "b")
	b.stream(1, 0, "c")
	b.stream(1, 2, "d")
	b.host.fates = nil
	b.crash(1)
	b.expectFates(t, fate{3, netmodel.DroppedCrash}, fate{2, netmodel.DroppedCrash}, fate{4, netmodel.DroppedCrash})
	b.boot(1)
	b.stream(1, 0, "new")
	b.expect(t, "error 1>0 connection reset")
	if d := b.do(t, "error 1>0 connection reset"); !errors.Is(d.Err, sim.ErrReset) {
		t.Errorf("delivered %+v", d)
	}
	b.expect(t, "deliver 1>0 new")
}

// A connection attempt survives the crash of its target (the cause of RT13). Messages in the other direction do not.
func TestAttemptSurvivesCrash(t *testing.T) {
	b := newBench(Streams{}, 2)
	b.stream(0, 1, "first")
	b.stream(0, 1, "second")
	b.stream(1, 0, "lost")
	b.crash(1)
	b.expectFates(t, fate{3, netmodel.DroppedCrash})
	b.expect(t)
	b.boot(1)
	b.expect(t, "deliver 0>1 first")
	b.do(t, "deliver 0>1 first")
	b.expect(t, "deliver 0>1 second")
}

func TestBreak(t *testing.T) {
	b := newBench(Streams{Errors: 2}, 2)
	b.stream(0, 1, "a")
	b.expect(t, "deliver 0>1 a") // nothing to break yet
	b.do(t, "deliver 0>1 a")
	b.stream(0, 1, "b")
	b.stream(1, 0, "c")
	b.host.fates = nil
	b.do(t, "break 1>0")
	b.expectFates(t, fate{2, netmodel.DroppedBreak}, fate{3, netmodel.DroppedBreak})
	b.expect(t, "error 1>0 connection reset", "error 0>1 connection reset")

	// Node 0 learns of it and restarts; node 1 must first read its own error.
	b.do(t, "error 1>0 connection reset")
	b.stream(0, 1, "d")
	b.stream(1, 0, "lost")
	b.expectFates(t, fate{5, netmodel.DroppedBreak})
	b.expect(t, "error 0>1 connection reset")
	b.do(t, "error 0>1 connection reset")
	b.expect(t, "deliver 0>1 d")
	b.do(t, "deliver 0>1 d")
	b.expect(t, "break 1>0")
	b.do(t, "break 1>0")
	b.do(t, "error 1>0 connection reset")
	b.do(t, "error 0>1 connection reset")
	b.stream(0, 1, "e")
	b.do(t, "deliver 0>1 e")
	b.expect(t) // the limit is used up
}

// If an end crashes while both ends have an error, its own error is dropped; the peer still reads its error.
func TestCrashAfterBreak(t *testing.T) {
	b := newBench(Streams{Errors: 1}, 2)
	b.stream(0, 1, "a")
	b.do(t, "deliver 0>1 a")
	b.do(t, "break 1>0")
	b.crash(0)
	b.boot(0)
	b.expect(t, "error 0>1 connection reset")
	b.crash(1)
	b.boot(1)
	b.expect(t)
}

func TestClose(t *testing.T) {
	b := newBench(Streams{Buffer: 1}, 2)
	b.stream(0, 1, "attempt")
	b.CloseStream(0, 1)
	b.expectFates(t, fate{1, netmodel.DroppedBreak})
	b.expect(t) // the peer never knew

	b.stream(0, 1, "a")
	b.do(t, "deliver 0>1 a")
	b.stream(0, 1, "b")
	b.stream(0, 1, "refused")
	b.stream(1, 0, "c")
	b.host.fates = nil
	b.CloseStream(0, 1)
	b.expectFates(t, fate{3, netmodel.DroppedBreak}, fate{4, netmodel.DroppedBreak})
	b.expect(t, "ready 1>0", "error 0>1 connection reset")
	b.stream(0, 1, "new")
	b.do(t, "error 0>1 connection reset")
	b.expect(t, "deliver 0>1 new")
}

func TestStreamToSelf(t *testing.T) {
	b := newBench(Streams{Errors: 1, Partitions: 1}, 1)
	b.stream(0, 0, "a")
	b.do(t, "deliver 0>0 a")
	b.stream(0, 0, "b")
	b.expect(t, "deliver 0>0 b")
	b.crash(0)
	b.boot(0)
	b.expect(t)
}

func TestStreamQuiet(t *testing.T) {
	b := newBench(Streams{Partitions: 1}, 2)
	quiet := func(want bool, when string) {
		t.Helper()
		if b.Quiet() != want {
			t.Errorf("quiet is %v %s", !want, when)
		}
	}
	quiet(true, "at first")
	b.stream(0, 1, "a")
	quiet(false, "with a message in flight")
	b.do(t, "partition 1>0")
	quiet(true, "while the message cannot arrive")
	b.do(t, "heal 1>0")
	quiet(false, "after healing")
	b.crash(1)
	quiet(true, "while the receiver is down")
	b.boot(1)
	b.do(t, "deliver 0>1 a")
	quiet(true, "after delivery")
	b.crash(1)
	quiet(false, "with an error to deliver")
	b.do(t, "error 1>0 connection reset")
	quiet(true, "after the error")
}

// Peers beyond the first 64 are in further words of the sets.
func TestManyNodes(t *testing.T) {
	b := newBench(Both{Streams: Streams{Errors: 1, Buffer: 1}}, 200)
	for _, from := range []sim.NodeID{150, 63, 64, 0, 199} {
		b.stream(from, 130, "s")
		b.datagram(from, 130, "d")
	}
	b.stream(199, 130, "refused")
	b.expect(t,
		"deliver 0>130 stream s", "deliver 63>130 stream s", "deliver 64>130 stream s", "deliver 150>130 stream s",
		"deliver 199>130 stream s",
		"deliver 0>130 datagram d", "deliver 63>130 datagram d", "deliver 64>130 datagram d", "deliver 150>130 datagram d",
		"deliver 199>130 datagram d")
	b.do(t, "deliver 199>130 stream s")
	b.do(t, "deliver 64>130 stream s")
	b.crash(64)
	b.expect(t,
		"error 64>130 connection reset",
		"deliver 0>130 stream s", "deliver 63>130 stream s", "deliver 150>130 stream s",
		"deliver 0>130 datagram d", "deliver 63>130 datagram d", "deliver 64>130 datagram d", "deliver 150>130 datagram d",
		"deliver 199>130 datagram d",
		"ready 130>199", "break 199>130")
}

func TestNoStreams(t *testing.T) {
	defer func() {
		if r := recover(); r != "the network has no streams: use netsim.Streams or netsim.Both" {
			t.Errorf("panic value %v", r)
		}
	}()
	newBench(Datagrams{}, 2).Room(0, 1)
}
