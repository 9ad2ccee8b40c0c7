package kernel

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// gather replaces the deliveries in buf[first:] that quorums take by events that take whole sets.
func (w *Machine) gather(n *Node, buf []netmodel.Event, first int) []netmodel.Event {
	var all []sim.From[any]
	var events []netmodel.Event
	n.sets = n.sets[:0]
	for _, ev := range buf[first:] {
		if ev.Kind != eventkind.Deliver {
			continue
		}
		w.envelopes = w.Net.Messages(ev, w.envelopes[:0])
		m := &w.envelopes[0]
		if !m.Stream {
			all, events = append(all, sim.From[any]{From: m.From, Msg: m.Msg}), append(events, ev)
		}
	}
	made := w.Assemble(n, all)
	end := first
	k := 0
	for _, ev := range buf[first:] {
		if k < len(events) && ev == events[k] {
			if k++; made.Taken[k-1] {
				continue
			}
		}
		buf[end] = ev
		end++
	}
	buf = buf[:end]
	for i, s := range made.Sets {
		taken := takenSet{quorum: s.Quorum}
		for _, k := range s.Members {
			taken.members = append(taken.members, events[k])
		}
		n.sets = append(n.sets, taken)
		buf = append(buf, netmodel.Event{Kind: eventkind.TakeQuorum, Node: n.ID, Peer: -1, Slot: int32(i), Msgs: int32(len(s.Members))})
	}
	return buf
}

// takenSet is a set of datagrams that a quorum takes. Its members are the deliveries that it replaces, by ascending
// sender.
type takenSet struct {
	quorum  int32
	members []netmodel.Event
}

// refuse panics with a finding if a message that a quorum of the node takes is handed over alone.
func (w *Machine) refuse(n *Node, msg any) {
	for i := range w.Quorums {
		if q := &w.Quorums[i]; q.Takes(msg) && q.Has(n.Service) {
			panic(&sim.Finding{Kind: sim.Safety, Property: sim.QuorumProperty, Message: fmt.Sprintf(
				"quorum %q takes a set of %T, as datagrams, but one is handed over by itself: send it by env.Send, not in a stream", q.Name, msg)})
		}
	}
}

// takeSet removes the messages of the set of ev from the network.
func (w *Machine) takeSet(ev netmodel.Event, made *declared.Assembled) error {
	// From the end, so that the slots of the other messages stay valid.
	members := slices.Clone(w.Members[ev.Node].sets[ev.Slot].members)
	slices.SortFunc(members, func(a, b netmodel.Event) int { return int(b.Slot - a.Slot) })
	for _, m := range members {
		d := w.Net.Take(m)
		if d.Msg.Attached().Sent != nil {
			if err := w.CheckUnchanged(&d, ev.Node); err != nil {
				return err
			}
		}
		if w.doubled {
			d.Msg.Body = w.PrivateTo(d.Msg.Body)
		}
		made.Set = append(made.Set, sim.From[any]{From: m.Peer, Msg: d.Msg.Body})
	}
	slices.SortFunc(made.Set, func(a, b sim.From[any]) int { return int(a.From - b.From) })
	return nil
}

// quorumMessages appends the messages of a set.
func (w *Machine) quorumMessages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope {
	for _, m := range w.Members[ev.Node].sets[ev.Slot].members {
		buf = w.Net.Messages(m, buf)
	}
	return buf
}

// probeOrder returns a function that handles a set in other orders on copies of the node's state, once it was handled
// in its own order. The function returns an error if the results differ. The result is nil if the state cannot be
// copied.
func (w *Machine) probeOrder(n *Node, ev netmodel.Event, made *declared.Assembled) func() error {
	l := w.Take(n)
	if len(made.Set) < 2 || w.Copyable(l) != nil {
		return nil
	}
	before, err := w.CopyLocal(l)
	if err != nil {
		return nil
	}
	set := w.copySet(made.Set)
	picks := &picked{src: w.Src}
	w.Src = picks
	return func() error {
		w.Src = picks.src
		if len(w.last.Observed) > 0 || w.Failed != nil || w.Ended != nil {
			return nil
		}
		after, last, choices := w.Take(n), w.last, w.Choices
		want := w.result(n)
		defer func() {
			w.Put(n.ID, after)
			w.last, w.Src, w.Probing, w.Choices = last, picks.src, false, choices
		}()
		w.Probing = true
		for _, other := range orders(set) {
			l, err := w.CopyLocal(before)
			if err != nil {
				return nil
			}
			w.Put(n.ID, l)
			w.last.Effects, w.last.Answers, w.last.Observed, w.Choices = nil, nil, nil, 0
			w.FirstEffect, w.Src = 0, &picked{given: picks.given}
			err = w.call(n, ev, &declared.Handed{Delivery: netmodel.Delivery{From: -1},
				Set: &declared.Assembled{Quorum: made.Quorum, Set: w.copySet(other)}})
			if err == nil && w.Failed == nil && w.Ended == nil && w.result(n) == want {
				continue
			}
			w.Failed, w.Ended = nil, nil
			q, handed := &w.Quorums[made.Quorum], ""
			for _, m := range other {
				handed += fmt.Sprintf(" n%d %s", m.From, w.PlanOf(m.Msg).Text(m.Msg))
			}
			return &sim.Finding{Kind: sim.Nondeterminism, Node: n.ID, Message: fmt.Sprintf(
				"quorum %q: what its Do does depends on the order of the messages: handed over as%s it does something else than by ascending sender",
				q.Name, handed)}
		}
		return nil
	}
}

// result encodes a node after a handler, and the handler's effects. The order of sent datagrams does not matter.
func (w *Machine) result(n *Node) string {
	state := w.AppendNodeState(n, nil)
	var sends []string
	for i := w.FirstEffect; i < len(w.last.Effects); i++ {
		f := &w.last.Effects[i]
		if f.Kind == stepinfo.LogEffect || f.Kind == stepinfo.CallEffect {
			continue
		}
		text := fmt.Sprintf("%d %d %d %q", f.Kind, f.Peer, f.After, f.Text)
		switch {
		case f.Kind.Carries():
			text += string(w.PlanOf(f.Msg.Body).Append(nil, f.Msg.Body))
		case f.Value != nil:
			text += string(w.PlanOf(f.Value).Append(nil, f.Value))
		}
		if f.Kind == stepinfo.SendEffect {
			sends = append(sends, text)
		} else {
			state = appendString(state, text)
		}
	}
	slices.Sort(sends)
	for _, s := range sends {
		state = appendString(state, s)
	}
	return string(state)
}

func (w *Machine) copySet(set []sim.From[any]) []sim.From[any] {
	set = slices.Clone(set)
	for i := range set {
		set[i].Msg = w.PrivateTo(set[i].Msg)
	}
	return set
}

// orders returns other orders of a set: reversed, and with each two neighbours exchanged. Those exchanges generate all
// orders.
func orders(set []sim.From[any]) [][]sim.From[any] {
	reversed := slices.Clone(set)
	slices.Reverse(reversed)
	all := [][]sim.From[any]{reversed}
	for i := 1; i < len(set) && len(set) > 2; i++ {
		other := slices.Clone(set)
		other[i-1], other[i] = other[i], other[i-1]
		all = append(all, other)
	}
	return all
}

// picked records the choices of a source, or repeats them if it has no source.
type picked struct {
	src   choose.Source
	given []int
}

func (p *picked) Choose(q choose.Point) int {
	if p.src != nil {
		pick := p.src.Choose(q)
		p.given = append(p.given, pick)
		return pick
	}
	if len(p.given) == 0 || p.given[0] >= q.Arity {
		return 0
	}
	pick := p.given[0]
	p.given = p.given[1:]
	return pick
}
