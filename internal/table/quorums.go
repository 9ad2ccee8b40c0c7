package table

import (
	"encoding/binary"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// quorums keeps what the quorums of a node make of the datagrams to it, by local state and inbox.
type quorums struct {
	any  bool // the system has quorums
	ids  memo // local state and inbox -> number
	list []gathering
	sets []assembled // taken by any node
	by   map[string]uint32
}

// gathering is what can happen to a node by datagrams.
type gathering struct {
	events []sim.Event // deliveries, and behind them the taking of sets
	sets   []gathered  // by slot of the latter
	err    error       // a finding: it cannot be told
	made   kernel.Assembly
}

// gathered is a set that a node takes.
type gathered struct {
	id     uint32  // among the sets
	places []int32 // in the inbox, descending
}

// assembled is a set of messages, whoever takes it.
type assembled struct {
	quorum int32
	from   []sim.NodeID
	msgs   []uint32
}

// gather returns what can happen to a node that is up. It is valid until the next call.
func (e *engine) gather(node sim.NodeID, local, bag uint32) *gathering {
	q := &e.quorums
	key := uint64(local)<<32 | uint64(bag)
	if id, ok := q.ids.get(key); ok {
		return &q.list[id]
	}
	events := e.inboxes.appendEvents(sim.Deliver, 1, node, bag, nil)
	g := gathering{}
	g.made, g.err = e.assemble(local, e.inboxes.list[bag].items, q.watched())
	for k, ev := range events {
		if g.err == nil && !g.made.Taken[k] {
			g.events = append(g.events, ev)
		}
	}
	for i, s := range g.made.Sets {
		made, set := assembled{quorum: s.Quorum}, gathered{}
		for _, k := range s.Members {
			it := &e.inboxes.list[bag].items[events[k].Slot]
			made.from, made.msgs = append(made.from, it.from), append(made.msgs, it.msg)
			set.places = append(set.places, events[k].Slot)
		}
		slices.SortFunc(set.places, func(a, b int32) int { return int(b - a) })
		set.id = e.setOf(made)
		g.sets = append(g.sets, set)
		g.events = append(g.events, sim.Event{Kind: sim.TakeQuorum, Node: node, Peer: -1, Slot: int32(i), Msgs: int32(len(s.Members))})
	}
	e.stats.Tried += g.made.Tried
	q.ids.put(key, uint64(len(q.list)))
	q.list = append(q.list, g)
	return &q.list[len(q.list)-1]
}

// watched reports whether the functions of quorums are to be watched when they are asked next.
func (q *quorums) watched() bool {
	n := len(q.list) + 1
	return n&(n-1) == 0 || n%sampleEvery == 0
}

// assemble asks the quorums of a node about datagrams. The error is a finding.
func (e *engine) assemble(local uint32, items []inboxItem, watched bool) (made kernel.Assembly, err error) {
	var all []sim.From[any]
	for _, it := range items {
		if !it.same {
			all = append(all, sim.From[any]{From: it.from, Msg: e.messages.list[it.msg].Body})
		}
	}
	before, err := e.gathering(local, items)
	if err != nil {
		return made, err
	}
	defer e.calls.end(before)
	l := &e.locals.list[local]
	return e.bench.Assemble(l.node, l.state, all, watched)
}

// again asks the quorums of a node once more, and compares.
func (e *engine) again(local, bag uint32) error {
	before := e.gather(e.locals.list[local].node, local, bag)
	made, err := e.assemble(local, e.inboxes.list[bag].items, true)
	if err != nil || before.err != nil {
		return err
	}
	same := slices.Equal(made.Taken, before.made.Taken) && slices.EqualFunc(made.Sets, before.made.Sets, func(a, b kernel.AssemblySet) bool {
		return a.Quorum == b.Quorum && slices.Equal(a.Members, b.Members)
	})
	if same {
		return nil
	}
	return e.differs(e.locals.list[local].node, "asked again in the same state its quorums take other sets than before")
}

func (e *engine) setOf(made assembled) uint32 {
	key := binary.AppendUvarint(nil, uint64(made.quorum))
	for i := range made.from {
		key = binary.AppendUvarint(key, uint64(made.from[i]))
		key = binary.AppendUvarint(key, uint64(made.msgs[i]))
	}
	q := &e.quorums
	id, ok := q.by[string(key)]
	if !ok {
		id = uint32(len(q.sets))
		if int(id) >= e.messages.most {
			panic(errTooMany)
		}
		q.by[string(key)] = id
		q.sets = append(q.sets, made)
	}
	return id
}

// setFor is a copy of a set of messages, for a handler.
func (e *engine) setFor(id uint32) *kernel.Assembled {
	s := &e.quorums.sets[id]
	made := &kernel.Assembled{Quorum: s.quorum}
	for i, from := range s.from {
		made.Set = append(made.Set, sim.From[any]{From: from, Msg: e.bench.CopyValue(e.messages.list[s.msgs[i]].Body)})
	}
	return made
}

func (a *assembled) has(from sim.NodeID, msg uint32) bool {
	for i := range a.from {
		if a.from[i] == from && a.msgs[i] == msg {
			return true
		}
	}
	return false
}
