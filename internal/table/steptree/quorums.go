package steptree

import (
	"encoding/binary"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// quorums caches the sets of datagrams that the quorums of a node take, by local state and inbox.
type quorums struct {
	Any  bool       // the system has quorums
	ids  store.Memo // local state and inbox -> number
	list []Gathering
	Sets []MessageSet // taken by any node
	by   map[string]uint32
}

// Gathering lists the events that datagrams enable at a node.
type Gathering struct {
	Events []netmodel.Event // deliveries, followed by the taking of sets
	Sets   []GatheredSet    // by slot of the latter
	Err    error            // the finding of a quorum that failed
	made   declared.Assembly
}

// GatheredSet is a set that a node takes.
type GatheredSet struct {
	ID     uint32  // index in quorums.Sets
	Places []int32 // positions in the inbox, descending
}

// MessageSet is a set of messages, independent of the node that takes it.
type MessageSet struct {
	Quorum int32 // index in the list of quorums
	From   []sim.NodeID
	Msgs   []uint32 // by the same index as From; indices in Tables.Contents
}

// Gather returns the events that datagrams enable at a node that is up. The result is valid until the next call.
func (e *Engine) Gather(node sim.NodeID, local, inbox uint32) *Gathering {
	q := &e.Quorums
	key := uint64(local)<<32 | uint64(inbox)
	if id, ok := q.ids.Get(key); ok {
		return &q.list[id]
	}
	events := e.Inboxes.AppendEvents(eventkind.Deliver, 1, node, inbox, nil)
	g := Gathering{}
	g.made, g.Err = e.Assemble(local, e.Inboxes.List[inbox].Items, q.watched())
	for k, ev := range events {
		if g.Err == nil && !g.made.Taken[k] {
			g.Events = append(g.Events, ev)
		}
	}
	for i, s := range g.made.Sets {
		made, set := MessageSet{Quorum: s.Quorum}, GatheredSet{}
		for _, k := range s.Members {
			it := &e.Inboxes.List[inbox].Items[events[k].Slot]
			made.From, made.Msgs = append(made.From, it.From), append(made.Msgs, it.Msg)
			set.Places = append(set.Places, events[k].Slot)
		}
		slices.SortFunc(set.Places, func(a, b int32) int { return int(b - a) })
		set.ID = e.SetOf(made)
		g.Sets = append(g.Sets, set)
		g.Events = append(g.Events, netmodel.Event{Kind: eventkind.TakeQuorum, Node: node, Peer: -1, Slot: int32(i), Msgs: int32(len(s.Members))})
	}
	e.Counters.Tried += g.made.Tried
	q.ids.Put(key, uint64(len(q.list)))
	q.list = append(q.list, g)
	return &q.list[len(q.list)-1]
}

// watched reports whether the next evaluation of quorum functions is checked for side effects.
func (q *quorums) watched() bool {
	n := len(q.list) + 1
	return n&(n-1) == 0 || n%store.SampleEvery == 0
}

// Assemble evaluates the quorums of a node on datagrams. The error is a finding.
func (e *Engine) Assemble(local uint32, items []store.InboxItem, watched bool) (made declared.Assembly, err error) {
	var all []sim.From[any]
	for _, it := range items {
		if !it.Same {
			all = append(all, sim.From[any]{From: it.From, Msg: e.Contents.List[it.Msg].Body})
		}
	}
	before, err := e.NoteQuorums(local, items)
	if err != nil {
		return made, err
	}
	defer e.Calls.Leave(before)
	l := &e.Locals.List[local]
	return e.Bench.Assemble(l.Node, l.State, all, watched)
}

// RepeatQuorums evaluates the quorums of a node again, and compares the results.
func (e *Engine) RepeatQuorums(local, inbox uint32) error {
	before := e.Gather(e.Locals.List[local].Node, local, inbox)
	made, err := e.Assemble(local, e.Inboxes.List[inbox].Items, true)
	if err != nil || before.Err != nil {
		return err
	}
	same := slices.Equal(made.Taken, before.made.Taken) && slices.EqualFunc(made.Sets, before.made.Sets, func(a, b declared.AssemblySet) bool {
		return a.Quorum == b.Quorum && slices.Equal(a.Members, b.Members)
	})
	if same {
		return nil
	}
	return e.Differs(e.Locals.List[local].Node, "evaluated again in the same state its quorums take other sets than before")
}

func (e *Engine) SetOf(made MessageSet) uint32 {
	key := binary.AppendUvarint(nil, uint64(made.Quorum))
	for i := range made.From {
		key = binary.AppendUvarint(key, uint64(made.From[i]))
		key = binary.AppendUvarint(key, uint64(made.Msgs[i]))
	}
	q := &e.Quorums
	id, ok := q.by[string(key)]
	if !ok {
		id = uint32(len(q.Sets))
		if int(id) >= e.Contents.Most {
			panic(store.ErrTooMany)
		}
		q.by[string(key)] = id
		q.Sets = append(q.Sets, made)
	}
	return id
}

// setFor returns a copy of a set of messages for a handler.
func (e *Engine) setFor(id uint32) *declared.Assembled {
	s := &e.Quorums.Sets[id]
	made := &declared.Assembled{Quorum: s.Quorum}
	for i, from := range s.From {
		made.Set = append(made.Set, sim.From[any]{From: from, Msg: e.Bench.CopyValue(e.Contents.List[s.Msgs[i]].Body)})
	}
	return made
}

func (a *MessageSet) Has(from sim.NodeID, msg uint32) bool {
	for i := range a.From {
		if a.From[i] == from && a.Msgs[i] == msg {
			return true
		}
	}
	return false
}
