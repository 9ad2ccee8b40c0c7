package etcdraft

import (
	"encoding/hex"
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Announced events.
type (
	// Elected reports that the node leads.
	Elected struct {
		Term uint64
		Log  []uint64 // the terms of its entries
	}
	// Applied reports that the node has applied an entry.
	Applied struct {
		Index, Term uint64
		By          uint64 // the node's term: the entry was committed in it or before
		Data        string // of the entry, in hexadecimal digits: logs can hold no other text
	}
	// Invoked reports that a client has begun an operation.
	Invoked struct{ Op Op }
	// Returned reports that the client's operation has ended.
	Returned struct {
		Op    Op
		Value Value // result of a read
	}
)

// shown returns the operation of the entry.
func (a Applied) shown() string {
	data, err := hex.DecodeString(a.Data)
	if err != nil {
		return a.Data
	}
	return showOp(data)
}

func (n *Node) elected() Elected {
	e := Elected{Term: n.raw.BasicStatus().GetTerm(), Log: make([]uint64, len(n.log))}
	for i := range n.log {
		e.Log[i] = n.log[i].GetTerm()
	}
	return e
}

// Leaders checks that a term has only one leader, crashed ones included.
type Leaders struct {
	OfTerm map[uint64]sim.NodeID
}

func newLeaders() sim.Monitor { return &Leaders{map[uint64]sim.NodeID{}} }

// Observe implements [sim.Monitor].
func (l *Leaders) Observe(from sim.NodeID, event any) error {
	e, ok := event.(Elected)
	if !ok {
		return nil
	}
	if other, ok := l.OfTerm[e.Term]; ok && other != from {
		return fmt.Errorf("election safety: node %d leads in term %d, in which node %d has led", from, e.Term, other)
	}
	l.OfTerm[e.Term] = from
	return nil
}

// Events returns samples of the observed events, see package observe.
func (*Leaders) Events() []any { return []any{Elected{}} }

// Committed checks that an entry applied once is applied everywhere, and is in the log of all later leaders.
type Committed struct {
	Entries []Applied // by index; By is the first term that is known to have the entry
}

func newCommitted() sim.Monitor { return &Committed{} }

// Observe implements [sim.Monitor].
func (c *Committed) Observe(from sim.NodeID, event any) error {
	switch e := event.(type) {
	case Applied:
		return c.applied(from, e)
	case Elected:
		for _, k := range c.Entries {
			if k.By < e.Term && (k.Index > uint64(len(e.Log)) || e.Log[k.Index-1] != k.Term) {
				return fmt.Errorf("leader completeness: node %d leads in term %d without entry %d of term %d, which was applied in term %d",
					from, e.Term, k.Index, k.Term, k.By)
			}
		}
	}
	return nil
}

// Events returns samples of the observed events, see package observe.
func (*Committed) Events() []any { return []any{Applied{}, Elected{}} }

func (c *Committed) applied(from sim.NodeID, e Applied) error {
	switch next := uint64(len(c.Entries)) + 1; {
	case e.Index > next:
		return fmt.Errorf("state-machine safety: node %d applied entry %d, nobody has applied entry %d", from, e.Index, next)
	case e.Index == next:
		c.Entries = append(c.Entries, e)
	default:
		k := &c.Entries[e.Index-1]
		if k.Term != e.Term || k.Data != e.Data {
			return fmt.Errorf("state-machine safety: node %d applied entry %d of term %d (%s), another one applied that of term %d (%s)",
				from, e.Index, e.Term, e.shown(), k.Term, k.shown())
		}
		k.By = min(k.By, e.By)
	}
	return nil
}
