package transport

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint16

const (
	mt1 bugs = 1 << iota
	mt2
	mt3
	mt3a
	mt3b
	mt4
	mt5
	mt6
	mt7
	mt8
	mt9
	mt10
)

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// knownBugs describes MT1 to MT10 of the MaceMC paper.
func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "MT1",
			Summary: "a packet that carries SYN always opens a fresh incoming connection",
			Shows:   "the first packet is resent because its acknowledgement is late, and is delivered twice",
			Fix:     "recognize a duplicate by the initial sequence number of the open connection",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: InOrder,
			Defaults: spec.Defaults{Nodes: 2},
		},
		{
			ID:      "MT2",
			Summary: "closing a connection leaves the retransmission timers of its packets in flight armed",
			Shows:   "the connection is opened again, and an old timer accesses discarded state",
			Fix:     "stop them all",
			Kind:    sim.Panic, PaperKind: sim.Panic,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "3"}, Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "MT3",
			Summary: "SYNs have no order of their own",
			Shows:   "a late old SYN replaces the new connection, and the receiver refuses its next packets",
			Fix:     "recognize old SYNs by an identifier from a monotone counter",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: Acknowledged,
			OtherKinds: []sim.FindingKind{sim.Deadlock},
			Defaults:   spec.Defaults{Nodes: 2, Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "MT3a",
			Summary: "the SYN identifier is not compared while a connection is open",
			Shows:   "as MT3",
			Fix:     "compare it in every branch",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: Acknowledged,
			OtherKinds: []sim.FindingKind{sim.Deadlock},
			Defaults:   spec.Defaults{Nodes: 2, Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "MT3b",
			Summary: "the last SYN identifier is kept in the incoming connection",
			Shows:   "as MT3, if that connection was closed before the old SYN arrives",
			Fix:     "keep it where it outlives connections",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: Acknowledged,
			OtherKinds: []sim.FindingKind{sim.Deadlock, sim.Safety},
			Defaults:   spec.Defaults{Nodes: 2, Limits: sim.Limits{sim.Crashes: 2}},
		},
		{
			ID:      "MT4",
			Summary: "delivering a message from the reorder buffer does not advance the delivery counter",
			Shows:   "the assertion against double delivery fails at the next message",
			Fix:     "advance it",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: sim.AssertionProperty,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "4"}},
		},
		{
			ID:      "MT5",
			Summary: "the number acknowledged for an out-of-order packet is computed from that packet",
			Shows:   "an acknowledgement above anything received",
			Fix:     "acknowledge what was received in order",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoFutureAck,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "3"}},
		},
		{
			ID:      "MT6",
			Summary: "an acknowledgement above everything in flight is dropped",
			Shows:   "packets that have arrived are resent forever",
			Fix:     "treat everything up to it as acknowledged",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: Acknowledged,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "3"}},
		},
		{
			ID:      "MT7",
			Summary: "a reset closes the incoming connection, too",
			Shows:   "it deletes buffered packets, which must be resent",
			Fix:     "a reset closes the outgoing connection, a SYN the incoming one, a time-out both",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: BufferKept,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "3"}, Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "MT8",
			Summary: "a duplicate of a buffered fragment is counted again",
			Shows:   "a message is delivered before all its fragments have arrived",
			Fix:     "ignore buffered packets",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Complete,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{packetsParam: "2"}, Limits: sim.Limits{sim.Dup: 1}},
		},
		{
			ID:      "MT9",
			Summary: "the acknowledgement of a packet that fills a gap ignores the reorder buffer",
			Shows:   "an acknowledgement below what was received in order",
			Fix:     "look at the reorder buffer first",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: CumulativeAck,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{messagesParam: "3"}},
		},
		{
			ID:      "MT10",
			Summary: "the clear-to-send timer survives a connection error",
			Shows:   "more call-backs than requests",
			Fix:     "stop it",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: CallbacksMatch,
			Defaults: spec.Defaults{Nodes: 3, Params: map[string]string{messagesParam: "3", bufferParam: "1"}, Limits: sim.Limits{sim.Crashes: 1}},
		},
	}
}
