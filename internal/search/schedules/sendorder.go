package schedules

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// sendOrder maintains the order in which the datagrams in flight were sent. States do not contain it, because they list
// datagrams by content. The order of recent datagrams from the same node may be wrong if the lists are ambiguous, in
// the same way with every engine.
type sendOrder struct {
	inboxes []inbox // by receiver
	least   []int   // by sender: index of its oldest datagram in the current inbox
	known   bool    // inboxes hold the previous state
	now     int
}

// inbox holds the sets of equal datagrams to a node, in the order in which they are listed.
type inbox struct {
	first int // index of the first among the enabled events
	list  []datagramSet
	spare []datagramSet
	seen  int // time of the last update
}

type datagramSet struct {
	from sim.NodeID
	slot int32
	born int
	old  bool // it is the oldest of its link
}

func (l *sendOrder) reset(nodes int) {
	if len(l.inboxes) != nodes {
		l.inboxes, l.least = make([]inbox, nodes), make([]int, nodes)
	}
	for i := range l.inboxes {
		l.inboxes[i].list = l.inboxes[i].list[:0]
	}
	l.known, l.now = false, 0
}

// follow updates the order for a state. It must be called in each state, with its ordinary events.
func (l *sendOrder) follow(w kernel.World, events []netmodel.Event) {
	l.now++
	var step *stepinfo.Step
	if l.known {
		step = w.Last()
	}
	for i := 0; i < len(events) && events[i].Kind != eventkind.Heal; {
		node, first := events[i].Node, len(events)
		end := i
		for ; end < len(events) && events[end].Node == node && events[end].Kind != eventkind.Heal; end++ {
			if datagram(&events[end]) {
				first = min(first, end)
			}
		}
		behind := end
		for behind > i && events[behind-1].Kind == eventkind.TakeQuorum {
			behind--
		}
		first = min(first, behind)
		b := &l.inboxes[node]
		switch b.seen = l.now; {
		case events[i].Kind == eventkind.Boot: // datagrams to a node that is down stay in flight
		case first == behind:
			b.list = b.list[:0]
		default:
			b.update(events[first:behind], step, l.now)
			l.age(b)
			b.first = first
		}
		i = end
	}
	for i := range l.inboxes {
		if b := &l.inboxes[i]; b.seen != l.now {
			b.list = b.list[:0]
		}
	}
	l.known = true
}

func datagram(ev *netmodel.Event) bool { return ev.Kind == eventkind.Deliver && ev.Slot >= 0 }

// update sets the inbox to the sets of events. Sets added by a step were sent by its node. If the lists are ambiguous,
// the later ones are taken as added.
func (b *inbox) update(events []netmodel.Event, step *stepinfo.Step, now int) {
	old := b.list
	sender := sim.NodeID(-1)
	if step != nil {
		sender = step.Event.Node
	}
	b.spare = b.spare[:0]
	k := 0
	for i := range events {
		ev := &events[i]
		for k < len(old) && (takes(step, ev.Node, &old[k]) || old[k].from != ev.Peer && ev.Peer != sender) {
			k++
		}
		f := datagramSet{from: ev.Peer, slot: ev.Slot, born: now}
		if k < len(old) && old[k].from == ev.Peer {
			f.born = old[k].born
			k++
		}
		b.spare = append(b.spare, f)
	}
	b.list, b.spare = b.spare, b.list
}

// age determines the oldest datagram of each link.
func (l *sendOrder) age(b *inbox) {
	for i := range l.least {
		l.least[i] = -1
	}
	for i := range b.list {
		f := &b.list[i]
		if f.old = false; l.least[f.from] < 0 || f.born < b.list[l.least[f.from]].born {
			l.least[f.from] = i
		}
	}
	for _, i := range l.least {
		if i >= 0 {
			b.list[i].old = true
		}
	}
}

// takes reports whether a step took the first of a set of datagrams. Remaining ones count as new.
func takes(step *stepinfo.Step, node sim.NodeID, f *datagramSet) bool {
	return step != nil && step.Event.Kind.Consumed() > 0 && step.Event.Node == node && step.Event.Slot == f.slot
}

// oldest reports whether event number i, the delivery of a message, takes the oldest message of its link.
func (l *sendOrder) oldest(i int, ev *netmodel.Event) bool {
	if !datagram(ev) {
		return true
	}
	b := &l.inboxes[ev.Node]
	return b.list[i-b.first].old
}
