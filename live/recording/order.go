package recording

import (
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/sim"
)

// step executes the next event that can happen. false: there is none.
//
// Which events can happen is for the model to say, so that causes come first by themselves. Of these,
// some are put off: what is known to have happened while a node was down waits for its crash, a crash
// waits until what the node had sent has arrived. When nothing is left but what was put off, it
// happens nevertheless; and when the model knows no event at all that was recorded, a fault is
// looked for that explains the next one.
func (m *merger) step() bool {
	for _, patient := range []bool{true, false} {
		best, index := (*cursor)(nil), 0
		at := int64(never)
		for _, c := range m.cursors {
			if t := m.time(c); !c.dead && t < at {
				if i, ok := m.possible(c); ok && !(patient && m.putOff(c)) {
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

// time is when the node's next event happened; a crash right after the event before it.
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

// atCrash reports whether the node must crash before anything else: it was started again, or was not,
// and others have noticed.
func (m *merger) atCrash(c *cursor) bool {
	return m.up(c.node) && (c.atEnd() && c.next() != nil || c.next() == nil && m.awaited[place{c.node, len(c.starts)}] > 0)
}

// possible returns the index of the node's next event in the world. A crash before the next start is
// such an event too.
func (m *merger) possible(c *cursor) (int, bool) {
	if m.atCrash(c) {
		return m.find(func(ev sim.Event) bool { return ev.Kind == sim.Crash && ev.Node == c.node })
	}
	e := c.next()
	if e == nil {
		return 0, false
	}
	return m.findEvent(c.node, e, true)
}

func (m *merger) up(id sim.NodeID) bool { return m.world.Service(id) != nil }

func (m *merger) find(fits func(sim.Event) bool) (int, bool) {
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

// findEvent returns the index of the event that e is; exact: an error must be of the same kind.
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
		case sim.DoAction:
			fits = m.world.Key(ev) == fmt.Sprintf("%v n%d %s", e.Kind, node, e.Name)
		case sim.FireTimer:
			fits = m.world.Key(ev) == fmt.Sprintf("%v n%d %s", e.Kind, node, e.Name)
		case sim.Deliver:
			fits = ev.Peer == e.Peer && m.carries(ev, e)
		case sim.DeliverError:
			fits = ev.Peer == e.Peer && (!exact || m.world.Key(ev) == fmt.Sprintf("%v n%d<-n%d %s", e.Kind, node, e.Peer, e.Err))
		case sim.DeliverReady:
			fits = ev.Peer == e.Peer
		}
		if fits {
			return i, true
		}
	}
	return 0, false
}

// carries reports whether ev delivers the message that e did.
func (m *merger) carries(ev sim.Event, e *Event) bool {
	m.envelopes = m.world.Messages(ev, m.envelopes[:0])
	for _, env := range m.envelopes {
		return env.Stream == e.Stream && m.sum(&env) == xxhash.Sum64(e.Data)
	}
	return false
}

// sum is the digest of a message's encoding.
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

// putOff reports whether the node's next event should wait for events of other nodes.
func (m *merger) putOff(c *cursor) bool {
	e := c.next()
	switch {
	case m.atCrash(c):
		return m.coming[c.starts[c.start].Header.Incarnation] > 0
	case c.atEnd():
		return m.awaited[place{c.node, c.nextStart()}] > 0
	}
	if p, ok := m.refused[e]; ok {
		peer := m.cursors[p.node]
		if m.up(p.node) || peer.nextStart() != p.start {
			return true
		}
	}
	if e.Kind == sim.Deliver && e.Stream && m.unheard(c.node, e) || m.crowded(c.node, e) {
		return true
	}
	number := c.sent[c.start]
	incarnation := c.starts[c.start].Header.Incarnation
	for _, f := range e.Effects {
		if !f.numbered() {
			continue
		}
		number++
		to, arrives := m.arrives[Ref{incarnation, number}]
		if arrives && (m.cursors[to.node].start != to.start || !m.up(to.node)) {
			return true
		}
	}
	return false
}

// room is how much room the node saw in its send buffer to a peer before the event; ok is false when
// it did not look.
func (e *Event) room(peer sim.NodeID) (room int, ok bool) {
	for _, o := range e.Rooms {
		if o.Peer == peer {
			return o.Room, true
		}
	}
	return 0, false
}

// unheard reports whether the sender of what e delivers has not heard of that when it looks at its
// send buffer next, so that the delivery must wait: else there would be more room than there was.
func (m *merger) unheard(node sim.NodeID, e *Event) bool {
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

// crowded reports whether there was more room in some send buffer than there is now, so that
// deliveries are to come first.
func (m *merger) crowded(node sim.NodeID, e *Event) bool {
	for _, o := range e.Rooms {
		if first, _ := e.room(o.Peer); m.capacity-m.queued[[2]sim.NodeID{node, o.Peer}] < first {
			return true
		}
	}
	return false
}

// count keeps track of how many messages are queued, as far as that is needed to order events.
func (m *merger) count(node sim.NodeID, e *Event) {
	out := func(peer sim.NodeID) [2]sim.NodeID { return [2]sim.NodeID{node, peer} }
	switch {
	case e.Kind == sim.Deliver && e.Stream:
		if in := [2]sim.NodeID{e.Peer, node}; m.queued[in] > 0 {
			m.queued[in]--
		}
	case e.Kind == sim.DeliverError:
		m.queued[out(e.Peer)] = 0
	}
	for _, f := range e.Effects {
		switch {
		case f.Kind == sim.StreamEffect && int(f.Peer) < len(m.cursors) && m.up(f.Peer):
			m.queued[out(f.Peer)]++
		case f.Kind == sim.CloseEffect:
			m.queued[out(f.Peer)] = 0
			m.queued[[2]sim.NodeID{f.Peer, node}] = 0
		}
	}
}

// perform executes the event with that index, which is what the node does next.
func (m *merger) perform(c *cursor, index int) {
	if m.atCrash(c) {
		m.crash(c, index)
		return
	}
	e := c.next()
	if e.Kind == sim.Deliver && !e.Stream && m.copies[e.From] > 1 {
		if !m.inject(func(ev sim.Event) bool {
			return ev.Kind == sim.Duplicate && ev.Node == c.node && ev.Peer == e.Peer && m.duplicates(ev, index)
		}, &m.used.Dup) {
			m.disagree(c, e, m.describe(index), "it arrived twice, but in the model it cannot be duplicated; the network model lacks that")
			return
		}
		index, _ = m.findEvent(c.node, e, true)
	}
	src := answers{list: e.Answers}
	what := m.describe(index)
	err := m.take(index, &src)
	if wrong := m.compare(e, &src, err); wrong != nil {
		m.undo()
		m.disagree(c, e, what, wrong.Error())
		return
	}
	m.passed(c, e)
	if err != nil {
		m.finding = err
		return
	}
	m.compareState(c, e, what)
}

// disagree ends the run before the node's next event, which is e.
func (m *merger) disagree(c *cursor, e *Event, what, reason string) {
	start := c.start + 1
	if c.atEnd() {
		start = c.nextStart() + 1
	}
	m.disagreement = &Disagreement{Origin: Origin{c.node, start, e.Number, nil}, Step: len(m.file.Steps) + 1, What: what, Reason: reason}
}

// duplicates reports whether ev duplicates what the event with that index delivers.
func (m *merger) duplicates(ev sim.Event, index int) bool {
	deliver, ok := m.run.Event(index)
	return ok && deliver.Slot == ev.Slot
}

func (m *merger) describe(index int) string {
	ev, _ := m.run.Event(index)
	return m.world.Key(ev)
}

// undo forgets the last step: the run that the merger makes ends before a disagreement. The world is
// not used any more.
func (m *merger) undo() {
	m.file.Steps = m.file.Steps[:len(m.file.Steps)-1]
}

// compare compares the step that was executed last with what was recorded.
func (m *merger) compare(e *Event, src *answers, failed error) error {
	var f *sim.Finding
	errors.As(failed, &f)
	broken := f != nil && f.Property != sim.AssertionProperty
	switch {
	case broken && !e.Failed:
		return fmt.Errorf("it ends in a %s, which it did not: %s", f.Kind, f.Message)
	case !broken && e.Failed:
		return errors.New("the handler did not return when it was recorded, but does now")
	case broken:
		return nil
	}
	if err := src.done(); err != nil {
		return err
	}
	if err := m.compareEffects(e.Effects, 0); err != nil {
		return err
	}
	digest := xxhash.New()
	for i := range m.world.Last().Effects {
		f := &m.world.Last().Effects[i]
		if f.Kind == sim.SendEffect || f.Kind == sim.StreamEffect {
			data, err := m.codec.Append(nil, f.Msg.Body)
			if err != nil {
				return err
			}
			_, _ = digest.Write(data)
		}
	}
	if digest.Sum64() != e.Digest {
		return errors.New("it sends other messages than were recorded: the code is not what it was, or its behaviour " +
			"does not follow from its state, the event and the answers")
	}
	return nil
}

// compareState compares the node's state with its recorded fingerprint, if there is one.
func (m *merger) compareState(c *cursor, e *Event, what string) {
	states := c.starts[c.start].States
	for len(states) > 0 && states[0].Number < e.Number {
		states = states[1:]
	}
	c.starts[c.start].States = states
	if len(states) == 0 || states[0].Number != e.Number {
		return
	}
	for part, hash := range m.world.Components() {
		if part.Kind != sim.NodeState || part.Index != int(c.node) {
			continue
		}
		if hash != states[0].Hash {
			m.disagreement = &Disagreement{Origin: m.origins[len(m.origins)-1], Step: m.run.Steps(), What: what,
				Reason: "the node's state differs from the recorded one, by this event or one since its state was recorded last"}
			return
		}
		m.compared++
		return
	}
}

// crash takes a node down, so that its next start can follow.
func (m *merger) crash(c *cursor, index int) {
	src := answers{}
	if r, next := c.starts[c.start], c.nextStart(); len(r.Events) > 0 && next < len(c.starts) {
		had, has := r.Events[len(r.Events)-1].Writes, c.starts[next].Events[0].Found.Writes
		src.lost = int(min(had-min(had, has), 1<<30))
	}
	_ = m.take(index, &src)
	for peer := range m.cursors {
		m.queued[[2]sim.NodeID{c.node, sim.NodeID(peer)}] = 0
		m.queued[[2]sim.NodeID{sim.NodeID(peer), c.node}] = 0
	}
	m.used.Crashes++
	m.origins = append(m.origins, Origin{Node: -1})
}

func (m *merger) inject(fits func(sim.Event) bool, used *int) bool {
	index, ok := m.find(fits)
	if !ok {
		return false
	}
	_ = m.take(index, &answers{})
	*used++
	m.origins = append(m.origins, Origin{Node: -1})
	return true
}

// repair looks for a fault after which the next event is possible. When there is none, the node ends
// here, and others go on as far as they do not depend on it.
func (m *merger) repair() bool {
	var c *cursor
	for _, x := range m.cursors {
		if !x.dead && x.next() != nil && (c == nil || m.time(x) < m.time(c)) {
			c = x
		}
	}
	if c == nil {
		return false
	}
	e := c.next()
	if e.Kind == sim.DeliverError && int(e.Peer) < len(m.cursors) && m.up(c.node) {
		peer := m.cursors[e.Peer]
		if peer.next() == nil && m.up(e.Peer) { // it was ended, and not started again
			if index, ok := m.find(func(ev sim.Event) bool { return ev.Kind == sim.Crash && ev.Node == e.Peer }); ok {
				m.crash(peer, index)
				peer.dead = true
				return true
			}
		}
		a, b := min(c.node, e.Peer), max(c.node, e.Peer)
		if m.inject(func(ev sim.Event) bool { return ev.Kind == sim.Break && ev.Node == a && ev.Peer == b }, &m.used.NetErrors) {
			return true
		}
		if index, ok := m.findEvent(c.node, e, false); ok {
			m.notes = append(m.notes, fmt.Sprintf("step %d: n%d saw %q, in the model it is another error", m.run.Steps()+1, c.node, e.Err))
			m.perform(c, index)
			return true
		}
	}
	c.dead = true
	d := &Disagreement{Origin: Origin{c.node, c.start + 1, e.Number, nil}, Step: m.run.Steps() + 1, What: e.describe(), Reason: m.why(c, e)}
	if m.missing(e) {
		m.notes = append(m.notes, d.Error())
		return true
	}
	m.disagreement = d
	return false
}

// missing reports whether the event needs something of another node that stands in no recording: the
// sending of a message, or, for room in a send buffer, a delivery.
func (m *merger) missing(e *Event) bool {
	switch {
	case e.Kind == sim.DeliverReady && int(e.Peer) < len(m.cursors):
		peer := m.cursors[e.Peer]
		return peer.dead || peer.next() == nil && !peer.starts[len(peer.starts)-1].Ended
	case e.Kind != sim.Deliver:
		return false
	}
	p, ok := m.incarnations[e.From.Incarnation]
	if !ok {
		return true
	}
	sender := m.cursors[p.node]
	return sender.sent[p.start] < e.From.Number && (sender.dead || sender.next() == nil)
}

func (m *merger) why(c *cursor, e *Event) string {
	switch {
	case e.Call:
		return "it is a call from outside (Node.Do), which cannot be repeated: make it an action of the system"
	case m.missing(e) && e.Kind == sim.Deliver:
		return fmt.Sprintf("the recording of n%d does not reach as far as the sending of this message", e.Peer)
	case m.missing(e):
		return fmt.Sprintf("the recording of n%d does not reach as far as the delivery that made room", e.Peer)
	case e.Kind == sim.Deliver:
		return "in the model no such message can be delivered here"
	case e.Kind == sim.FireTimer:
		return "the timer is not set"
	case e.Kind == sim.DoAction:
		return "the action cannot be done here"
	case e.Kind == sim.DeliverError:
		return "in the model there is no error to be told of; the network model lacks that"
	}
	return "this cannot happen in the model"
}

func (e *Event) describe() string {
	switch e.Kind {
	case sim.Deliver:
		return fmt.Sprintf("message %d from n%d", e.From.Number, e.Peer)
	case sim.DeliverError:
		return fmt.Sprintf("error with n%d: %s", e.Peer, e.Err)
	case sim.DeliverReady:
		return fmt.Sprintf("room to send to n%d", e.Peer)
	case sim.Boot:
		return "boot"
	}
	return fmt.Sprintf("%v %s", e.Kind, e.Name)
}
