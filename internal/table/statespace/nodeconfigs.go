package statespace

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// NodeConfigs interns node configurations, so that states are short and successors are computed by addition. A node
// configuration is a number for the local state of a node and its inbox of datagrams in flight. The global part has the
// remaining crashes and halts and the globals of the network. A packed vector has the node configurations, the
// connections, the monitors and the global part.
//
// The steps of a node depend on its node configuration, the global part, and the heads and the room of its connections.
// Each step is cached as a transition: the node's next node configuration, the next global part, operations on
// everything else, and the change of the fingerprint. A transition is computed by taking the step once in the world, in
// a state in which it is enabled. The fields are columns of the transition table, which are filled together.
type NodeConfigs struct {
	Engine      *steptree.Engine
	Tables      []nodeTable
	Globals     []globalPart
	ids         store.Memo // network globals and budget -> global part
	Transitions []transition
	Peers       []uint16 // by transition, see sleepsets.go
	// By transition, as a set: the node that crashes or halts, or both ends of the connection that breaks. 0 means
	// that nothing sleeps behind the transition, which may be of another kind.
	DisabledBy []uint16
	Takes      []uint32 // by transition: number of the datagram that it takes from its node's inbox, plus one; 0: none
	Origins    []uint32 // by transition: its node configuration
	Commuting  []uint64 // by transition, see commutingPairs
	ops        []EffectOp
	uncached   []uncachedTransition
	breaks     []uint32 // by pair: the transition that names the break of their connection; 0: none yet
	rooms      []roomQuestion
	Words      int
	SleepSets  bool // see sleepsets.go

	capacity   int // of streams
	PendingLog []unlistedQuorum

	// Index of the first word of each kind in packed vectors, after the node configurations.
	conns, Monitors, Global int

	Answers          steptree.Answers
	limited          error    // a limit was reached in populate, so transitions are missing
	TolerateFailures bool     // failing steps do not end the exploration, see Onward
	Unseen           error    // with TolerateFailures: an ordinary step diverges, and not all of its answers were tried
	worldVector      []uint32 // scratch: a vector of the world
	packedVector     []uint32 // scratch: packed
	changes          []uint64 // scratch: of a draft
}

// nodeTable holds the node configurations of one node.
type nodeTable struct {
	ids         store.Memo // local state and inbox -> node configuration
	List        []NodeConfig
	shares      []encoding.Fingerprint
	busy        []bool // a datagram can be delivered to the node, or an event in it can be handled
	Up          []bool
	streamSpans []store.MemoOf[span] // by global part: node configuration and event of a stream -> transitions
	lists       [][]span             // by global part, quiet or not, and kind of events; by node configuration
	sent        store.Memo           // sender and message -> number
	All         []Datagram           // by that number
	width       uint32               // a power of two
	after       []arrival            // by node configuration and number of a datagram below the width
	far         store.Memo           // by node configuration and number from the width on: index in farther
	farther     []arrival
}

type NodeConfig struct{ Local, Inbox uint32 }

type globalPart struct {
	Net, Budget    uint32
	share          encoding.Fingerprint
	injects        [world.EventLists]bool
	breaks         bool   // connections may break
	broke          uint32 // the global part after a break, plus one; 0: unknown
	global, faults span   // steps without a node: ordinary ones and faults
}

// span is the range of transitions of a node configuration. Both ends are 0 if it is unknown: transition 0
// does not exist. It has four fields because the compiler does not keep more in registers.
type span struct {
	begin, end uint32
	handled    uint32 // number of handler steps, and whether there is a questionTransition, see hasQuestion
	most       uint32 // maximum number of changes of a fast or mixed one; the peers of all in the upper bits
}

const spanQuestion = 1 << 31

func (sp span) hasQuestion() bool { return sp.handled&spanQuestion != 0 }

func (sp span) peers() uint16 { return uint16(sp.most) }

func (sp span) changes() int { return int(sp.end-sp.begin) * int(sp.most>>Sleepers) }

// transition is one step of a node.
type transition struct {
	delta  encoding.Fingerprint // of the fingerprint, without the changes by operations
	Next   uint32               // node configuration
	Global uint32
	first  uint32 // index of the first operation; for uncached transitions and questions, their number
	count  uint16 // number of operations
	note   uint8  // see noteLocal
	Kind   uint8
}

// mostOps is the maximum number of operations of a transition. Spans count them, too.
const mostOps = 1 << 15

// Kinds of transitions.
const (
	DatagramTransition = iota // all operations are datagrams sent to different nodes
	MixedTransition           // with operations of any kinds
	UncachedStep              // executed in the world each time
	globalTransition          // without a node
	questionTransition        // a placeholder: the steps depend on room in a stream
	groupTransition           // the nodes of a process go down together; executed in the world each time
)

// uncachedTransition is a step that is executed in the world each time, such as a failing one. For a
// groupTransition it is the common prefix of the steps: later questions depend on the other nodes that go down.
type uncachedTransition struct {
	ev    netmodel.Event
	picks []int32
	err   error // the step is unreliable, or was abandoned; it may not fail again
}

// The note of a transition has flags for the check of a new state.
const (
	NoteNode     = store.MaxNodes - 1
	NoteLocal    = store.MaxNodes // the local state of the node changed
	NoteOrdinary = graph.Recovery
)

func newNodeConfigs(e *steptree.Engine) *NodeConfigs {
	s := &NodeConfigs{Engine: e, Tables: make([]nodeTable, e.Nodes), Transitions: make([]transition, 1),
		Peers: []uint16{NeverSleeps}, DisabledBy: make([]uint16, 1),
		Takes: make([]uint32, 1), Origins: make([]uint32, 1), Commuting: make([]uint64, 1), breaks: make([]uint32, e.Layout.PairCount)}
	for i := range s.Tables {
		s.Tables[i].width = minWidth
	}
	l := &e.Layout
	s.Words = l.Words - l.InboxCount - 1
	s.conns, s.Monitors, s.Global = l.Conns-l.InboxCount, l.Monitors-l.InboxCount, s.Words-1
	s.SleepSets = canSleep(e)
	if l.PairCount > 0 {
		s.capacity = e.Net.Capacity()
	}
	s.worldVector, s.packedVector = make([]uint32, l.Words), make([]uint32, s.Words)
	return s
}

// Pack packs a vector of the world.
func (s *NodeConfigs) Pack(v, packed []uint32) {
	l := &s.Engine.Layout
	for i := range l.Nodes {
		packed[i] = s.configOf(i, v)
	}
	copy(packed[l.Nodes:], v[l.Conns:l.NetGlobals])
	packed[s.Global] = s.globalOf(v)
}

func (s *NodeConfigs) configOf(node int, v []uint32) uint32 {
	l := &s.Engine.Layout
	if l.InboxCount == 0 {
		return s.Config(node, v[node], 0)
	}
	return s.Config(node, v[node], v[l.Inboxes+node])
}

func (s *NodeConfigs) globalOf(v []uint32) uint32 {
	l := &s.Engine.Layout
	return s.globalWith(v[l.NetGlobals], v[l.Budget])
}

// Unpack is the inverse of Pack.
func (s *NodeConfigs) Unpack(packed, v []uint32) {
	l := &s.Engine.Layout
	for i := range l.Nodes {
		at := s.Tables[i].List[packed[i]]
		v[i] = at.Local
		if l.InboxCount > 0 {
			v[l.Inboxes+i] = at.Inbox
		}
	}
	copy(v[l.Conns:l.NetGlobals], packed[l.Nodes:])
	f := &s.Globals[packed[s.Global]]
	v[l.NetGlobals], v[l.Budget] = f.Net, f.Budget
}

// Config interns a node configuration.
func (s *NodeConfigs) Config(node int, local, inbox uint32) uint32 {
	p := &s.Tables[node]
	key := uint64(local)<<32 | uint64(inbox)
	if id, ok := p.ids.Get(key); ok {
		return uint32(id)
	}
	id := uint32(len(p.List))
	p.ids.Put(key, uint64(id))
	p.List = append(p.List, NodeConfig{local, inbox})
	p.shares = append(p.shares, s.configHash(node, local, inbox))
	p.busy = append(p.busy, inbox != 0 && s.Engine.IsUp(local) || s.Engine.Locals.List[local].Busy)
	p.Up = append(p.Up, s.Engine.IsUp(local))
	for range p.width {
		p.after = append(p.after, arrival{})
	}
	if s.Engine.Quorums.Any && s.Engine.IsUp(local) && !s.Engine.Inboxes.List[inbox].Held {
		if err := s.Engine.Gather(sim.NodeID(node), local, inbox).Err; err != nil {
			s.PendingLog = append(s.PendingLog, unlistedQuorum{node, id, err})
		}
	}
	return id
}

// unlistedQuorum is a node configuration for which the sets that its quorums take are unknown.
type unlistedQuorum struct {
	Node   int
	Config uint32
	err    error // a finding
}

func (s *NodeConfigs) globalWith(rest, budget uint32) uint32 {
	key := uint64(rest)<<32 | uint64(budget)
	if id, ok := s.ids.Get(key); ok {
		return uint32(id)
	}
	id := uint32(len(s.Globals))
	s.ids.Put(key, uint64(id))
	s.Globals = append(s.Globals, globalPart{Net: rest, Budget: budget,
		share: s.Engine.NetGlobals.List[rest].Hash.Add(s.Engine.Budgets.Hash(budget))})
	return id
}

// configHash returns the share of a node configuration in the fingerprint of a state.
func (s *NodeConfigs) configHash(node int, local, inbox uint32) encoding.Fingerprint {
	return s.Engine.Locals.List[local].Hash.Add(s.Engine.Inboxes.Hash(inbox, node))
}

// WordShare returns the share of a word of a packed vector in the fingerprint of the state.
func (s *NodeConfigs) WordShare(word int, value uint32) encoding.Fingerprint {
	switch {
	case word < len(s.Tables):
		return s.Tables[word].shares[value]
	case word == s.Global:
		return s.Globals[value].share
	case word < s.Monitors:
		return s.Engine.Conns.Hash(value, word-s.conns)
	}
	share, _ := s.Engine.WordHash(word+s.Engine.Layout.InboxCount, value)
	return share
}

// Fingerprint returns the fingerprint of the state of a packed vector, see [kernel.World].
func (s *NodeConfigs) Fingerprint(packed []uint32) (f encoding.Fingerprint) {
	for i := range s.Tables {
		f = f.Add(s.Tables[i].shares[packed[i]])
	}
	for pair, id := range packed[s.conns:s.Monitors] {
		if id > store.EmptySelf { // most connections are empty
			f = f.Add(s.Engine.Conns.Hash(id, pair))
		}
	}
	for word := s.Monitors; word < s.Words; word++ {
		f = f.Add(s.WordShare(word, packed[word]))
	}
	return f
}

// spanOf returns the transitions of a node configuration in a list, or the zero span if they are unknown.
func (p *nodeTable) spanOf(list int, at uint32) span {
	if list < len(p.lists) {
		if l := p.lists[list]; int(at) < len(l) {
			return l[at]
		}
	}
	return span{}
}

func (p *nodeTable) setSpan(list int, at uint32, sp span) {
	for list >= len(p.lists) {
		p.lists = append(p.lists, nil)
	}
	l := p.lists[list]
	for int(at) >= len(l) {
		l = append(l, span{})
	}
	l[at] = sp
	p.lists[list] = l
}

// listOf returns the number of a list.
func listOf(frame uint32, quiet bool, kind world.EventList) int {
	n := int(frame) * 2
	if quiet {
		n++
	}
	return n*int(world.EventLists) + int(kind)
}

func (s *NodeConfigs) bytes() int {
	n := 52*len(s.Transitions) + 8*len(s.ops)
	for i := range s.Tables {
		p := &s.Tables[i]
		n += 32*len(p.List) + 16*(len(p.after)+len(p.farther)) + 16*(len(p.ids.Slots)+len(p.far.Slots))
		for k := range p.streamSpans {
			n += 24 * len(p.streamSpans[k].Slots)
		}
	}
	return n
}
