package recording

import (
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

const never = math.MaxInt64

// step executes the next event that can happen. It returns false if there is none.
//
// The model decides which events can happen, so causes come first. Some of these are postponed: an event that must
// have happened while a node was down waits for its crash, and a crash waits until everything that the node sent
// has arrived. If only postponed events are left, they happen anyway. If no recorded event can happen in the model,
// step searches for a fault that explains the next one.
func (m *merger) step() bool {
	for _, patient := range []bool{true, false} {
		best, index := (*cursor)(nil), 0
		at := int64(never)
		for _, c := range m.cursors {
			if t := m.time(c); !c.dead && t < at {
				if i, ok := m.possible(c); ok && !(patient && m.postpones(c)) {
					best, index, at = c, i, t
				}
			}
		}
		if best != nil {
			m.perform(best, index)
			return true
		}
	}
	return m.repair()
}

// time returns the time of the node's next event. A crash comes right after the event before it.
func (m *merger) time(c *cursor) int64 {
	events := c.starts[c.start].Events
	if m.atCrash(c) && c.pos > 0 {
		return events[c.pos-1].Time
	}
	if e := c.next(); e != nil {
		return e.Time
	}
	return never
}

// atCrash reports whether the node must crash next: it was started again, or others noticed that it stopped.
func (m *merger) atCrash(c *cursor) bool {
	return m.up(c.node) && (c.atEnd() && c.next() != nil || c.next() == nil && m.index.beforeStart[nodeStart{c.node, len(c.starts)}] > 0)
}

// possible returns the index of the node's next event in the world, which may be a crash before its next start.
func (m *merger) possible(c *cursor) (int, bool) {
	if m.atCrash(c) {
		return m.findCrash(c.node)
	}
	e := c.next()
	if e == nil {
		return 0, false
	}
	return m.findEvent(c.node, e, true)
}

// findCrash returns the index of the crash of a node's process, after all events of its nodes before it.
func (m *merger) findCrash(id sim.NodeID) (int, bool) {
	all := m.upInProcess(id)
	if slices.ContainsFunc(all, func(mate sim.NodeID) bool { return !m.cursors[mate].atEnd() }) {
		return 0, false
	}
	return m.find(func(ev netmodel.Event) bool { return ev.Kind == eventkind.Crash && slices.Contains(all, ev.Node) })
}

func (m *merger) up(id sim.NodeID) bool { return m.world.Service(id) != nil }

func (m *merger) find(fits func(netmodel.Event) bool) (int, bool) {
	for i := 0; ; i++ {
		ev, ok := m.run.Event(i)
		if !ok {
			return 0, false
		}
		if fits(ev) {
			return i, true
		}
	}
}

// findEvent returns the index of the recorded event e. If exact is true an error must be of the same kind.
func (m *merger) findEvent(node sim.NodeID, e *Event, exact bool) (int, bool) {
	if e.Call {
		return 0, false
	}
	enabled := m.world.Enabled()
	for i, ev := range enabled {
		if ev.Node != node || ev.Kind != e.Kind {
			continue
		}
		fits := true
		switch e.Kind {
		case eventkind.DoAction, eventkind.FireTimer:
			fits = m.world.Label(ev).Content == e.Name
		case eventkind.Deliver:
			fits = ev.Peer == e.Peer && m.carries(ev, e)
		case eventkind.TakeQuorum:
			fits = m.world.Label(ev).Content == e.Name && m.carries(ev, e)
		case eventkind.DeliverError:
			fits = ev.Peer == e.Peer && (!exact || m.world.Label(ev).Content == e.Err)
		case eventkind.DeliverReady:
			fits = ev.Peer == e.Peer
		}
		if fits {
			return i, true
		}
	}
	return 0, false
}

// carries reports whether ev delivers the same messages as e.
func (m *merger) carries(ev netmodel.Event, e *Event) bool {
	m.envelopes = m.world.Messages(ev, m.envelopes[:0])
	return slices.EqualFunc(m.envelopes, e.Received(), func(env sim.Envelope, a Received) bool {
		return env.From == a.Peer && env.Stream == e.Stream && m.sum(&env) == xxhash.Sum64(a.Data)
	})
}

// sum returns the digest of a message's encoding.
func (m *merger) sum(env *sim.Envelope) uint64 {
	if sum, ok := m.sums[env.ID]; ok {
		return sum
	}
	var err error
	if m.buf, err = m.codec.Append(m.buf[:0], env.Msg); err != nil {
		m.buf = nil
	}
	sum := xxhash.Sum64(m.buf)
	m.sums[env.ID] = sum
	return sum
}

// postpones reports whether to postpone the node's next event until events of other nodes.
func (m *merger) postpones(c *cursor) bool {
	e := c.next()
	switch {
	case m.atCrash(c):
		return slices.ContainsFunc(m.upInProcess(c.node), func(mate sim.NodeID) bool {
			of := m.cursors[mate]
			return m.index.undelivered[of.starts[of.start].Header.Incarnation] > 0
		})
	case c.atEnd():
		return m.index.beforeStart[nodeStart{c.node, c.nextStart()}] > 0
	}
	for _, p := range m.index.refused[e] {
		peer := m.cursors[p.node]
		if m.up(p.node) || peer.nextStart() != p.start {
			return true
		}
	}
	if e.Kind == eventkind.Deliver && e.Stream && m.awaitsObservation(c.node, e) || m.crowded(c.node, e) {
		return true
	}
	number := c.sent[c.start]
	incarnation := c.starts[c.start].Header.Incarnation
	for _, f := range e.Effects {
		if !f.numbered() {
			continue
		}
		number++
		to, arrives := m.index.arrives[Ref{incarnation, number}]
		if arrives && (m.cursors[to.node].start != to.start || !m.up(to.node)) {
			return true
		}
	}
	return false
}

// room returns the room in the send buffer to a peer that the node observed before the event. Ok is false if it did
// not.
func (e *Event) room(peer sim.NodeID) (room int, ok bool) {
	for _, o := range e.Rooms {
		if o.Peer == peer {
			return o.Room, true
		}
	}
	return 0, false
}

// awaitsObservation reports whether the delivery e must wait until its sender has next observed its send buffer. Otherwise
// there would be more room than was recorded.
func (m *merger) awaitsObservation(node sim.NodeID, e *Event) bool {
	if int(e.Peer) >= len(m.cursors) {
		return false
	}
	sender := m.cursors[e.Peer]
	s := sender.next()
	if s == nil || s == e || sender.dead {
		return false
	}
	room, ok := s.room(node)
	if !ok || m.capacity-m.queued[[2]sim.NodeID{e.Peer, node}] < room {
		return false
	}
	_, ok = m.possible(sender)
	return ok
}

// crowded reports whether a send buffer had more room than it has in the model, so that deliveries must come first.
func (m *merger) crowded(node sim.NodeID, e *Event) bool {
	for _, o := range e.Rooms {
		if first, _ := e.room(o.Peer); m.capacity-m.queued[[2]sim.NodeID{node, o.Peer}] < first {
			return true
		}
	}
	return false
}

// count tracks the number of queued messages, as needed to order events.
func (m *merger) count(node sim.NodeID, e *Event) {
	out := func(peer sim.NodeID) [2]sim.NodeID { return [2]sim.NodeID{node, peer} }
	switch {
	case e.Kind == eventkind.Deliver && e.Stream:
		if in := [2]sim.NodeID{e.Peer, node}; m.queued[in] > 0 {
			m.queued[in]--
		}
	case e.Kind == eventkind.DeliverError:
		m.queued[out(e.Peer)] = 0
	}
	for _, f := range e.Effects {
		switch {
		case f.Kind == stepinfo.StreamEffect && int(f.Peer) < len(m.cursors) && m.up(f.Peer):
			m.queued[out(f.Peer)]++
		case f.Kind == stepinfo.CloseEffect:
			m.queued[out(f.Peer)] = 0
			m.queued[[2]sim.NodeID{f.Peer, node}] = 0
		}
	}
}
