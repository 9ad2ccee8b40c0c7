package etcdraft

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/raft/v3"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Value is the content of a register: the name of the write that wrote it. The initial value is the zero value.
type Value = macetime.MonotoneTime

// Op is an operation of a client on a register.
type Op struct {
	// ID is unique among all clients and across crashes.
	ID    macetime.MonotoneTime
	Key   int
	Write bool
}

func (o Op) String() string {
	what := "read"
	if o.Write {
		what = "write"
	}
	return fmt.Sprintf("%s %d.%d of register %d", what, o.ID.Node, o.ID.Count, o.Key)
}

// encodeOp returns the content of an entry, or the context of a read.
func encodeOp(o Op) []byte {
	b := binary.AppendUvarint(nil, uint64(o.ID.Node))
	b = binary.AppendUvarint(b, o.ID.Count)
	b = binary.AppendUvarint(b, uint64(o.Key))
	if o.Write {
		return append(b, 1)
	}
	return append(b, 0)
}

func decodeOp(b []byte) Op {
	node, i := binary.Uvarint(b)
	count, j := binary.Uvarint(b[i:])
	key, k := binary.Uvarint(b[i+j:])
	return Op{macetime.MonotoneTime{Node: int(node), Count: count}, int(key), b[i+j+k] == 1}
}

// Store is the replicated state.
type Store struct {
	Values []Value  // by register
	Last   []uint64 // by client: its latest applied write
}

func newStore(clients, keys int) Store {
	return Store{make([]Value, keys), make([]uint64, clients)}
}

// apply applies a write unless it was applied before. The network may deliver a proposal twice, and a client proposes
// again after a time-out.
func (s *Store) apply(o Op) {
	if last := &s.Last[o.ID.Node]; *last < o.ID.Count {
		*last = o.ID.Count
		s.Values[o.Key] = o.ID
	}
}

// Client runs on a node and executes one operation at a time. A crash loses its state.
type Client struct {
	Waits bool
	Op    Op // the operation in progress

	// For a read: raft has reported the index that it must see.
	Confirmed bool
	Index     uint64
}

func (n *Node) begin(env sim.Env, write bool) {
	n.enter(env)
	op := Op{ID: env.Clock().Tick(), Key: env.Choose("register", n.opts.keys), Write: write}
	n.Client = Client{Waits: true, Op: op}
	env.Announce(Invoked{op})
	n.ask(env)
	n.ready(env)
}

// ask passes the client's operation to raft, possibly again.
func (n *Node) ask(env sim.Env) {
	if n.opts.timeouts {
		env.SetTimer(retry{}, retryPeriod)
	}
	switch op := n.Client.Op; {
	case op.Write:
		_ = n.raw.Propose(encodeOp(op)) // an error means that the proposal was dropped, as the network might do
	case n.opts.bugs.has(er4):
		n.Client.Confirmed = true
		n.finish(env)
	default:
		n.raw.ReadIndex(encodeOp(op))
	}
}

// confirmed records the index from which on the store may answer a read.
func (n *Node) confirmed(r raft.ReadState) {
	if c := &n.Client; c.Waits && !c.Confirmed && decodeOp(r.RequestCtx) == c.Op {
		c.Confirmed, c.Index = true, r.Index
	}
}

// finish ends the client's operation once it is done.
func (n *Node) finish(env sim.Env) {
	c := &n.Client
	switch {
	case !c.Waits:
		return
	case c.Op.Write:
		if n.Store.Last[c.Op.ID.Node] != c.Op.ID.Count {
			return
		}
		env.Announce(Returned{Op: c.Op})
	default:
		if !c.Confirmed || n.Applied < c.Index {
			return
		}
		env.Announce(Returned{c.Op, n.Store.Values[c.Op.Key]})
	}
	n.Client = Client{}
	env.StopTimer(retry{})
}
