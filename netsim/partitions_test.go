package netsim

import (
	"testing"

	"github.com/macemc/macemc/internal/netmodel"
)

func TestPartitionEvents(t *testing.T) {
	newBench(Datagrams{Partitions: 1}, 1).expect(t)
	newBench(Datagrams{Partitions: 1}, 2).expect(t, "partition 1>0")
	newBench(Datagrams{Partitions: 1}, 3).expect(t,
		"partition -1>0", "partition -1>1", "partition -1>2",
		"partition 1>0", "partition 2>0", "partition 2>1")
}

func TestPartitionOfNode(t *testing.T) {
	b := newBench(Both{Partitions: 2}, 3)
	b.stream(0, 1, "before")
	b.datagram(0, 1, "before")
	b.do(t, "partition -1>1")
	// Messages in a stream wait; a datagram has already passed the link.
	b.expect(t, "deliver 0>1 datagram before", "heal -1>1")
	b.stream(1, 2, "during")
	b.stream(0, 2, "others")
	b.datagram(1, 2, "during")
	b.datagram(0, 2, "others")
	b.datagram(1, 1, "self")
	b.stream(1, 1, "self")
	b.expectFates(t, fate{5, netmodel.DroppedCut})
	b.expect(t, "deliver 1>1 stream self", "deliver 0>1 datagram before", "deliver 1>1 datagram self",
		"deliver 0>2 stream others", "deliver 0>2 datagram others", "heal -1>1")
	b.do(t, "heal -1>1")
	b.do(t, "partition 2>1")
	b.expect(t, "deliver 0>1 stream before", "deliver 1>1 stream self", "deliver 0>1 datagram before",
		"deliver 1>1 datagram self", "deliver 0>2 stream others", "deliver 0>2 datagram others", "heal 2>1")
	b.do(t, "heal 2>1")
	b.do(t, "deliver 1>2 stream during")
	// The limit is used up.
	b.expect(t, "deliver 0>1 stream before", "deliver 1>1 stream self", "deliver 0>1 datagram before",
		"deliver 1>1 datagram self", "deliver 0>2 stream others", "deliver 0>2 datagram others")
}

// Errors do not wait for healing.
func TestErrorsDuringPartition(t *testing.T) {
	b := newBench(Streams{Errors: 1, Partitions: 1}, 2)
	b.stream(0, 1, "a")
	b.do(t, "deliver 0>1 a")
	b.do(t, "partition 1>0")
	b.do(t, "break 1>0")
	b.do(t, "error 1>0 connection reset")
	b.stream(0, 1, "b")
	b.do(t, "error 0>1 connection reset")
	b.expect(t, "heal 1>0")
	b.crash(1)
	b.stream(0, 1, "c")
	b.expect(t, "error 1>0 connection refused", "heal 1>0")
}
