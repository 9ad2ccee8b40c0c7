package recording

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// index relates the sending, the arrival and the refusal of messages in recordings.
type index struct {
	incarnations map[uint64]nodeStart
	arrives      map[Ref]nodeStart // first delivery of a message
	copies       map[Ref]int       // number of its deliveries
	undelivered  map[uint64]int    // undelivered stream messages of an incarnation
	refused      map[*Event][]nodeStart
	beforeStart  map[nodeStart]int // number of events that must precede that start while the node is down
	clocks       map[Ref][]int     // of the sending events, while they are needed
}

func newIndex() index {
	return index{map[uint64]nodeStart{}, map[Ref]nodeStart{}, map[Ref]int{}, map[uint64]int{}, map[*Event][]nodeStart{}, map[nodeStart]int{},
		map[Ref][]int{}}
}

// add adds the starts of a node and the messages that arrive in them.
func (x *index) add(c *cursor) {
	for i, r := range c.starts {
		x.incarnations[r.Header.Incarnation] = nodeStart{c.node, i}
		for k := range r.Events {
			e := &r.Events[k]
			for _, a := range e.Received() {
				if x.copies[a.From]++; x.copies[a.From] == 1 {
					x.arrives[a.From] = nodeStart{c.node, i}
				}
				if e.Stream {
					x.undelivered[a.From.Incarnation]++
				}
			}
		}
	}
}

// trim drops the last events of a start that was killed before they had any effect: nothing that they sent arrived,
// and the next start found nothing that they left on the disk. It returns the number of dropped events.
func (x *index) trim(c *cursor, start int) int {
	r := c.starts[start]
	if len(c.starts[start+1].Events) == 0 {
		return 0
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
			seen = seen || x.copies[Ref{r.Header.Incarnation, sent - n}] > 0
		}
		if seen {
			break
		}
		for _, a := range e.Received() { // it never arrived
			if x.copies[a.From]--; e.Stream {
				x.undelivered[a.From.Incarnation]--
			}
			if x.copies[a.From] == 0 {
				delete(x.arrives, a.From)
			}
		}
		if action {
			done++
		}
		sent -= e.numbered()
		r.Events = r.Events[:len(r.Events)-1]
		dropped++
	}
	return dropped
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
func (x *index) findRefused(c *cursor, all []*cursor) {
	for _, r := range c.starts {
		last := make([]*Event, len(all)) // by peer: the last event that sent to it
		for i := range r.Events {
			e := &r.Events[i]
			if e.Kind == eventkind.DeliverError && int(e.Peer) < len(last) && e.Peer >= 0 {
				if s := last[e.Peer]; s != nil && e.Err == sim.ErrRefused.Error() {
					p := nodeStart{e.Peer, startAfter(all[e.Peer].starts, s.Time)}
					x.refused[s] = append(x.refused[s], p)
					x.beforeStart[p]++
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

// startAfter returns the first of a node's starts, other than its first, that began after that time.
func startAfter(starts []*Recording, time int64) int {
	for i := 1; i < len(starts); i++ {
		if len(starts[i].Events) > 0 && starts[i].Events[0].Time > time {
			return i
		}
	}
	return len(starts)
}
