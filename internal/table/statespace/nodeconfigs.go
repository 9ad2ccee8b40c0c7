package statespace

import (
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// NodeConfigs make global states shorter, and their successors sums. What belongs to one node of a state alone, its local
// state and the inbox of datagrams in flight to it, is its node configuration, a number of its own for each node; what
// concerns the whole system, the crashes and halts that are left and what the network holds once, is the global part. A
// packed vector is that of the node configurations, the connections, the monitors and the global part.
//
// What a node can do depends on its node configuration, the global part, and the heads and the room of its connections. Each of
// these steps is kept as a transition: the node's next node configuration, the next global part, the operations on all else, and
// how the fingerprint changes. Moves are found out by taking the steps once in the world, in a state in
// which they happen.
type NodeConfigs struct {
	Engine      *steptree.Engine
	Tables      []nodeTable
	Globals     []globalPart
	ids         store.Memo // net and budget -> global part
	Transitions []transition
	Peers       []uint16 // by transition, see sleepsets.go
	DisabledBy  []uint16 // by transition: of a crash or a halt the node, of a break both ends of the connection; 0: it is none of these, or nothing sleeps behind it
	Takes       []uint32 // by transition: the datagram that it takes from its node's inbox, plus one; 0: none
	Origins     []uint32 // by transition: the node configuration that it is one of
	Commuting   []uint64 // by transition, see commutingPairs
	ops         []EffectOp
	uncached    []uncachedTransition
	breaks      []uint32 // by pair: the transition that the break of their connection has for a name; 0: it has none yet
	rooms       []roomQuestion
	Words       int
	SleepSets   bool // see sleepsets.go

	capacity   int // of streams
	PendingLog []unlistedQuorum

	// First words of each kind in packed vectors, behind those of node configurations.
	conns, Monitors, Global int

	Answers          steptree.Answers
	limited          error    // a limit was reached while transitions were found out, so that they are not all
	TolerateFailures bool     // steps that fail are no end, see onward
	Unseen           error    // then: an ordinary step diverges so, and not all answers that it can be given were gone through
	worldVector      []uint32 // scratch: a vector of the world
	packedVector     []uint32 // packed
	changes          []uint64 // of a draft
}

// nodeTable holds the node configurations of one node.
type nodeTable struct {
	ids     store.Memo // local state and inbox -> node configuration
	List    []NodeConfig
	shares  []sim.Fingerprint
	busy    []bool // a datagram can be delivered to the node, or it can handle an event that is in it
	Up      []bool
	told    []store.MemoOf[span] // by global part: node configuration and event of a stream -> transitions
	lists   [][]span             // by global part, quiet or not, and kind of events; by node configuration
	sent    store.Memo           // sender and message -> number
	All     []Datagram           // by that number
	width   uint32               // a power of two
	after   []arrival            // by node configuration and number of a datagram, up to the width
	far     store.Memo           // by node configuration and number, beyond the width: place in farther
	farther []arrival
}

type NodeConfig struct{ Local, Inbox uint32 }

type globalPart struct {
	Net, Budget    uint32
	share          sim.Fingerprint
	injects        [world.EventLists]bool
	breaks         bool   // connections may break
	broke          uint32 // the global part once one did, plus one; 0: not known
	global, faults span   // steps of no node: ordinary ones and injections
}

// span are the transitions of a node configuration: from begin to end, among them so many steps of handlers. Both are 0 when they are not known; there is
// no transition 0. Four fields, as more are not kept in registers.
type span struct {
	begin, end uint32
	handled    uint32 // and whether there is a questionTransition among them, see asks
	most       uint32 // changes of one that is fast or mixed, at most, and behind them the peers of all
}

const spanAsks = 1 << 31

func (sp span) asks() bool { return sp.handled&spanAsks != 0 }

func (sp span) peers() uint16 { return uint16(sp.most) }

func (sp span) changes() int { return int(sp.end-sp.begin) * int(sp.most>>Sleepers) }

// transition is one step of a node.
type transition struct {
	delta  sim.Fingerprint // of the fingerprint, but for what the operations change
	Next   uint32          // nodeConfig
	Global uint32
	first  uint32 // operation; of an uncached transition or a question its number
	count  uint16 // of operations
	note   uint8  // see noteLocal
	Kind   uint8
}

// mostOps is how many operations a transition has, at most: they are counted in a span, too.
const mostOps = 1 << 15

// Kinds of transitions.
const (
	DatagramTransition = iota // all operations are datagrams sent to different nodes
	MixedTransition           // with operations of any kinds
	UncachedStep              // to be taken in the world
	globalTransition          // of no node
	questionTransition        // no step, but which ones there are depends on room in a stream
	groupTransition           // steps by which nodes that run in one process go down, to be taken in the world
)

// uncachedTransition is a step that is taken in the world whenever it is due, such as one that fails. Of a groupTransition it is how the steps begin that there are: what
// is asked then depends on the other nodes that go down.
type uncachedTransition struct {
	ev    sim.Event
	picks []int32
	err   error // that the step is not to be trusted, or was given up: it need not show again
}

// A note says of a transition what is to be known when it leads to a new state.
const (
	NoteNode     = store.MaxNodes - 1
	NoteLocal    = store.MaxNodes // the local state of that node has changed
	NoteOrdinary = graph.Recovery
)

func newSites(e *steptree.Engine) *NodeConfigs {
	s := &NodeConfigs{Engine: e, Tables: make([]nodeTable, e.Nodes), Transitions: make([]transition, 1), Peers: []uint16{NeverSleeps}, DisabledBy: make([]uint16, 1),
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

// Unpack is the inverse of pack.
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
func (s *NodeConfigs) Config(node int, local, bag uint32) uint32 {
	p := &s.Tables[node]
	key := uint64(local)<<32 | uint64(bag)
	if id, ok := p.ids.Get(key); ok {
		return uint32(id)
	}
	id := uint32(len(p.List))
	p.ids.Put(key, uint64(id))
	p.List = append(p.List, NodeConfig{local, bag})
	p.shares = append(p.shares, s.configHash(node, local, bag))
	p.busy = append(p.busy, bag != 0 && s.Engine.IsUp(local) || s.Engine.Locals.List[local].Busy)
	p.Up = append(p.Up, s.Engine.IsUp(local))
	for range p.width {
		p.after = append(p.after, arrival{})
	}
	if s.Engine.Quorums.Any && s.Engine.IsUp(local) && !s.Engine.Inboxes.List[bag].Held {
		if err := s.Engine.Gather(sim.NodeID(node), local, bag).Err; err != nil {
			s.PendingLog = append(s.PendingLog, unlistedQuorum{node, id, err})
		}
	}
	return id
}

// unlistedQuorum is a node configuration of which it cannot be told what its quorums take.
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
	s.Globals = append(s.Globals, globalPart{Net: rest, Budget: budget, share: s.Engine.NetGlobals.List[rest].Hash.Add(s.Engine.BudgetHash(budget))})
	return id
}

// configHash is the share of a node configuration in the fingerprint of a state.
func (s *NodeConfigs) configHash(node int, local, bag uint32) sim.Fingerprint {
	return s.Engine.Locals.List[local].Hash.Add(s.Engine.Inboxes.Hash(bag, node))
}

// WordShare is the share of a word of a packed vector in the fingerprint of the state.
func (s *NodeConfigs) WordShare(word int, value uint32) sim.Fingerprint {
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

// Fingerprint is that of the state that a packed vector stands for, see [kernel.World].
func (s *NodeConfigs) Fingerprint(packed []uint32) (f sim.Fingerprint) {
	for i := range s.Tables {
		f = f.Add(s.Tables[i].shares[packed[i]])
	}
	for pair, id := range packed[s.conns:s.Monitors] {
		if id > store.EmptySelf { // most are not
			f = f.Add(s.Engine.Conns.Hash(id, pair))
		}
	}
	for word := s.Monitors; word < s.Words; word++ {
		f = f.Add(s.WordShare(word, packed[word]))
	}
	return f
}

// spanOf returns the transitions of a node configuration in a list, or nothing when they are not known.
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

// listOf is the number of a list.
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
		for k := range p.told {
			n += 24 * len(p.told[k].Slots)
		}
	}
	return n
}
