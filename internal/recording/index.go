package recording

import (
	"fmt"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// index notes which messages arrive where.
func (m *merger) index() {
	for _, c := range m.cursors {
		for i, r := range c.starts {
			for k := range r.Events {
				e := &r.Events[k]
				for _, a := range e.Received() {
					if m.copies[a.From]++; m.copies[a.From] == 1 {
						m.arrives[a.From] = nodeStart{c.node, i}
					}
					if e.Stream {
						m.coming[a.From.Incarnation]++
					}
				}
			}
		}
	}
}

// trim drops the last events of a start that was killed before they had any effect: nothing that they sent arrived,
// and the next start found nothing that they left on the disk.
func (m *merger) trim(c *cursor, start int) {
	r := c.starts[start]
	if len(c.starts[start+1].Events) == 0 {
		return
	}
	found := c.starts[start+1].Events[0].Found
	sent := uint64(0)
	for i := range r.Events {
		sent += r.Events[i].numbered()
	}
	done := 0
	for _, n := range found.Counts {
		done += n
	}
	if start > 0 {
		for _, n := range r.Events[0].Found.Counts {
			done -= n
		}
	}
	for i := range r.Events {
		if r.Events[i].Kind == eventkind.DoAction && !r.Events[i].Call {
			done--
		}
	}
	dropped := 0
	for len(r.Events) > 1 {
		e := &r.Events[len(r.Events)-1]
		action := e.Kind == eventkind.DoAction && !e.Call
		if e.Ticks <= found.Ticks && e.Writes <= found.Writes && (!action || done >= 0) {
			break
		}
		seen := false
		for n := range e.numbered() {
			seen = seen || m.copies[Ref{r.Header.Incarnation, sent - n}] > 0
		}
		if seen {
			break
		}
		for _, a := range e.Received() { // it never arrived
			if m.copies[a.From]--; e.Stream {
				m.coming[a.From.Incarnation]--
			}
			if m.copies[a.From] == 0 {
				delete(m.arrives, a.From)
			}
		}
		if action {
			done++
		}
		sent -= e.numbered()
		r.Events = r.Events[:len(r.Events)-1]
		dropped++
	}
	if dropped > 0 {
		m.notes = append(m.notes, fmt.Sprintf("n%d was killed in start %d before %d events had any effect; they are omitted",
			c.node, start+1, dropped))
	}
}

func (e *Event) numbered() uint64 {
	n := uint64(0)
	for _, f := range e.Effects {
		if f.numbered() && !e.Failed {
			n++
		}
	}
	return n
}

// findRefused finds the sends to a node that was down: those that a later event reports as refused.
func (m *merger) findRefused(c *cursor) {
	for _, r := range c.starts {
		last := make([]*Event, len(m.cursors)) // by peer: the last event that sent to it
		for i := range r.Events {
			e := &r.Events[i]
			if e.Kind == eventkind.DeliverError && int(e.Peer) < len(last) && e.Peer >= 0 {
				if s := last[e.Peer]; s != nil && e.Err == sim.ErrRefused.Error() {
					p := nodeStart{e.Peer, m.startAfter(e.Peer, s.Time)}
					m.refused[s] = append(m.refused[s], p)
					m.awaited[p]++
				}
				last[e.Peer] = nil
			}
			for _, f := range e.Effects {
				if f.Kind == stepinfo.StreamEffect && f.Peer >= 0 && int(f.Peer) < len(last) {
					last[f.Peer] = e
				}
			}
		}
	}
}

// startAfter returns the first start of a node, other than its first, that began after that time.
func (m *merger) startAfter(node sim.NodeID, time int64) int {
	starts := m.cursors[node].starts
	for i := 1; i < len(starts); i++ {
		if len(starts[i].Events) > 0 && starts[i].Events[0].Time > time {
			return i
		}
	}
	return len(starts)
}
