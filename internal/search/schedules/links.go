package schedules

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// links keeps the order in which the datagrams in flight were sent. A state has none: datagrams are listed by content. Those that were
// sent by the same node lately may be mixed up where the lists do not tell, which is the same with every engine.
type links struct {
	bags  []bag // by receiver
	least []int // by sender: index of its oldest, of the bag that is being looked at
	known bool  // bags are those of the state before
	now   int
}

// bag is the sets of equal datagrams to a node, as they are listed.
type bag struct {
	first int // index of the first among the enabled events
	list  []flying
	spare []flying
	seen  int // when it was brought up to date
}

type flying struct {
	from sim.NodeID
	slot int32
	born int
	old  bool // there is none older of its link
}

func (l *links) reset(nodes int) {
	if len(l.bags) != nodes {
		l.bags, l.least = make([]bag, nodes), make([]int, nodes)
	}
	for i := range l.bags {
		l.bags[i].list = l.bags[i].list[:0]
	}
	l.known, l.now = false, 0
}

// follow brings the order up to date with a state. It is to be called in each, with its ordinary events.
func (l *links) follow(w kernel.World, events []sim.Event) {
	l.now++
	var step *stepinfo.Step
	if l.known {
		step = w.Last()
	}
	for i := 0; i < len(events) && events[i].Kind != sim.Heal; {
		node, first := events[i].Node, len(events)
		end := i
		for ; end < len(events) && events[end].Node == node && events[end].Kind != sim.Heal; end++ {
			if datagram(&events[end]) {
				first = min(first, end)
			}
		}
		behind := end
		for behind > i && events[behind-1].Kind == sim.TakeQuorum {
			behind--
		}
		first = min(first, behind)
		b := &l.bags[node]
		switch b.seen = l.now; {
		case events[i].Kind == sim.Boot: // what is on its way to a node that is down stays
		case first == behind:
			b.list = b.list[:0]
		default:
			b.update(events[first:behind], step, l.now)
			l.age(b)
			b.first = first
		}
		i = end
	}
	for i := range l.bags {
		if b := &l.bags[i]; b.seen != l.now {
			b.list = b.list[:0]
		}
	}
	l.known = true
}

func datagram(ev *sim.Event) bool { return ev.Kind == sim.Deliver && ev.Slot >= 0 }

// update makes events the sets of the bag. Those that a step added were sent by its node. Where the lists leave open which those are,
// the later ones are.
func (b *bag) update(events []sim.Event, step *stepinfo.Step, now int) {
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
		f := flying{from: ev.Peer, slot: ev.Slot, born: now}
		if k < len(old) && old[k].from == ev.Peer {
			f.born = old[k].born
			k++
		}
		b.spare = append(b.spare, f)
	}
	b.list, b.spare = b.spare, b.list
}

// age finds out which are the oldest.
func (l *links) age(b *bag) {
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

// takes reports whether a step took the first of a set of datagrams. If others are left they count as new.
func takes(step *stepinfo.Step, node sim.NodeID, f *flying) bool {
	return step != nil && (step.Event.Kind == sim.Deliver || step.Event.Kind == sim.Lose) && step.Event.Node == node && step.Event.Slot == f.slot
}

// oldest reports whether event number i, the delivery of a message, is of the oldest of its link.
func (l *links) oldest(i int, ev *sim.Event) bool {
	if !datagram(ev) {
		return true
	}
	b := &l.bags[ev.Node]
	return b.list[i-b.first].old
}
