package recording

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// repair searches for a fault that enables the next event. If there is none the recording of the node ends here,
// and other nodes continue while they do not depend on it.
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
	if e.Kind == eventkind.DeliverError && int(e.Peer) < len(m.cursors) && m.up(c.node) {
		peer := m.cursors[e.Peer]
		a, b := min(c.node, e.Peer), max(c.node, e.Peer)
		breaks := func(attempt bool) func(netmodel.Event) bool {
			return func(ev netmodel.Event) bool {
				return ev.Kind == eventkind.Break && ev.Node == a && ev.Peer == b && (m.world.Label(ev).Content == simext.Attempt) == attempt
			}
		}
		if e.Err == sim.ErrRefused.Error() && // a crash leaves errors of the model
			m.inject(breaks(true), &m.used[sim.NetErrors]) {
			m.attempts = true
			return true
		}
		if peer.next() == nil && m.up(e.Peer) { // it stopped, and did not start again
			if index, ok := m.findCrash(e.Peer); ok {
				ended := m.upInProcess(e.Peer)
				m.crash(index)
				for _, id := range ended {
					m.cursors[id].dead = m.cursors[id].next() == nil
				}
				return true
			}
		}
		if m.inject(breaks(false), &m.used[sim.NetErrors]) {
			return true
		}
		if index, ok := m.findEvent(c.node, e, false); ok {
			m.out.Notes = append(m.out.Notes, fmt.Sprintf("step %d: n%d saw %q, in the model it is another error", m.run.Steps()+1, c.node, e.Err))
			m.perform(c, index)
			return true
		}
	}
	c.dead = true
	d := &Disagreement{Origin: Origin{c.node, c.start + 1, e.Number, nil}, Step: m.run.Steps() + 1, What: e.describe(), Reason: m.why(c, e)}
	if m.missing(e) || m.outlives(e) {
		m.out.Notes = append(m.out.Notes, d.Error())
		return true
	}
	m.out.Disagreement = d
	return false
}

// missing reports whether the event needs an event of another node that was not recorded: the sending of a message
// or, for room in a send buffer, a delivery.
func (m *merger) missing(e *Event) bool {
	switch {
	case e.Kind == eventkind.DeliverReady && int(e.Peer) < len(m.cursors):
		peer := m.cursors[e.Peer]
		return peer.dead || peer.next() == nil && !peer.starts[len(peer.starts)-1].Ended
	}
	return slices.ContainsFunc(e.Received(), func(a Received) bool {
		p, ok := m.index.incarnations[a.From.Incarnation]
		if !ok {
			return true
		}
		sender := m.cursors[p.node]
		return sender.sent[p.start] < a.From.Number && (sender.dead || sender.next() == nil)
	})
}

// outlives reports whether e takes a stream message whose sender is down or has started again. A real network may
// deliver it after others have noticed the crash, and the receiver may have heard of it from them. In the model a
// crash loses what its node sent on streams.
func (m *merger) outlives(e *Event) bool {
	return e.Stream && slices.ContainsFunc(e.Received(), func(a Received) bool {
		p, ok := m.index.incarnations[a.From.Incarnation]
		return ok && (m.cursors[p.node].start != p.start || !m.up(p.node))
	})
}

func (m *merger) why(c *cursor, e *Event) string {
	switch {
	case e.Call:
		return "it is a call from outside (Node.Do), which cannot be repeated: make it an action of the system"
	case m.missing(e) && e.Kind == eventkind.Deliver:
		return fmt.Sprintf("the recording of n%d ends before it sends this message", e.Peer)
	case m.missing(e) && e.Kind == eventkind.TakeQuorum:
		return "a recording ends before one of its messages is sent"
	case m.missing(e):
		return fmt.Sprintf("the recording of n%d ends before the delivery that made room", e.Peer)
	case m.outlives(e):
		return "its sender had crashed, as other nodes knew; in the model the message is lost with it"
	case e.Kind == eventkind.Deliver:
		return "in the model no such message can be delivered here"
	case e.Kind == eventkind.TakeQuorum:
		return "in the model no such set of messages can be taken here"
	case e.Kind == eventkind.FireTimer:
		return "the timer is not set"
	case e.Kind == eventkind.DoAction:
		return "the action cannot be done here"
	case e.Kind == eventkind.DeliverError:
		return "the network model does not have this error"
	}
	return "this cannot happen in the model"
}

func (e *Event) describe() string {
	switch e.Kind {
	case eventkind.Deliver:
		return fmt.Sprintf("message %d from n%d", e.From.Number, e.Peer)
	case eventkind.DeliverError:
		return fmt.Sprintf("error with n%d: %s", e.Peer, e.Err)
	case eventkind.DeliverReady:
		return fmt.Sprintf("room to send to n%d", e.Peer)
	case eventkind.Boot:
		return "boot"
	}
	return fmt.Sprintf("%v %s", e.Kind, e.Name)
}
