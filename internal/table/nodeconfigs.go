package table

import (
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// nodeConfigs make global states shorter, and their successors sums. What belongs to one node of a state alone, its local
// state and the inbox of datagrams in flight to it, is its node configuration, a number of its own for each node; what
// concerns the whole system, the crashes and halts that are left and what the network holds once, is the global part. A
// packed vector is that of the node configurations, the connections, the monitors and the global part.
//
// What a node can do depends on its node configuration, the global part, and the heads and the room of its connections. Each of
// these steps is kept as a transition: the node's next node configuration, the next global part, the operations on all else, and
// how the fingerprint changes. Moves are found out by taking the steps once in the world, in a state in
// which they happen.
type nodeConfigs struct {
	e           *engine
	tables      []nodeTable
	globals     []globalPart
	ids         memo // net and budget -> global part
	transitions []transition
	peers       []uint16 // by transition, see sleepsets.go
	disabledBy  []uint16 // by transition: of a crash or a halt the node, of a break both ends of the connection; 0: it is none of these, or nothing sleeps behind it
	takes       []uint32 // by transition: the datagram that it takes from its node's inbox, plus one; 0: none
	origins     []uint32 // by transition: the node configuration that it is one of
	commuting   []uint64 // by transition, see commutingPairs
	ops         []effectOp
	uncached    []uncachedTransition
	breaks      []uint32 // by pair: the transition that the break of their connection has for a name; 0: it has none yet
	rooms       []roomQuestion
	words       int
	sleepSets   bool // see sleepsets.go

	capacity   int // of streams
	pendingLog []unlistedQuorum

	// First words of each kind in packed vectors, behind those of node configurations.
	conns, monitors, global int

	answers          answers
	limited          error    // a limit was reached while transitions were found out, so that they are not all
	tolerateFailures bool     // steps that fail are no end, see onward
	unseen           error    // then: an ordinary step diverges so, and not all answers that it can be given were gone through
	worldVector      []uint32 // scratch: a vector of the world
	packedVector     []uint32 // packed
	changes          []uint64 // of a draft
}

// nodeTable holds the node configurations of one node.
type nodeTable struct {
	ids     memo // local state and inbox -> node configuration
	list    []nodeConfig
	shares  []sim.Fingerprint
	busy    []bool // a datagram can be delivered to the node, or it can handle an event that is in it
	up      []bool
	told    []memoOf[span] // by global part: node configuration and event of a stream -> transitions
	lists   [][]span       // by global part, quiet or not, and kind of events; by node configuration
	sent    memo           // sender and message -> number
	all     []datagram     // by that number
	width   uint32         // a power of two
	after   []arrival      // by node configuration and number of a datagram, up to the width
	far     memo           // by node configuration and number, beyond the width: place in farther
	farther []arrival
}

type nodeConfig struct{ local, inbox uint32 }

type globalPart struct {
	net, budget    uint32
	share          sim.Fingerprint
	injects        [eventLists]bool
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

func (sp span) changes() int { return int(sp.end-sp.begin) * int(sp.most>>sleepers) }

// transition is one step of a node.
type transition struct {
	delta  sim.Fingerprint // of the fingerprint, but for what the operations change
	next   uint32          // nodeConfig
	global uint32
	first  uint32 // operation; of an uncached transition or a question its number
	count  uint16 // of operations
	note   uint8  // see noteLocal
	kind   uint8
}

// mostOps is how many operations a transition has, at most: they are counted in a span, too.
const mostOps = 1 << 15

// Kinds of transitions.
const (
	datagramTransition = iota // all operations are datagrams sent to different nodes
	mixedTransition           // with operations of any kinds
	uncachedStep              // to be taken in the world
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
	noteNode     = maxNodes - 1
	noteLocal    = maxNodes // the local state of that node has changed
	noteOrdinary = explore.Recovery
)

func newSites(e *engine) *nodeConfigs {
	s := &nodeConfigs{e: e, tables: make([]nodeTable, e.nodes), transitions: make([]transition, 1), peers: []uint16{neverSleeps}, disabledBy: make([]uint16, 1),
		takes: make([]uint32, 1), origins: make([]uint32, 1), commuting: make([]uint64, 1), breaks: make([]uint32, e.layout.pairCount)}
	for i := range s.tables {
		s.tables[i].width = minWidth
	}
	l := &e.layout
	s.words = l.words - l.inboxCount - 1
	s.conns, s.monitors, s.global = l.conns-l.inboxCount, l.monitors-l.inboxCount, s.words-1
	s.sleepSets = canSleep(e)
	if l.pairCount > 0 {
		s.capacity = e.net.Capacity()
	}
	s.worldVector, s.packedVector = make([]uint32, l.words), make([]uint32, s.words)
	return s
}

// pack packs a vector of the world.
func (s *nodeConfigs) pack(v, packed []uint32) {
	l := &s.e.layout
	for i := range l.nodes {
		packed[i] = s.configOf(i, v)
	}
	copy(packed[l.nodes:], v[l.conns:l.netGlobals])
	packed[s.global] = s.globalOf(v)
}

func (s *nodeConfigs) configOf(node int, v []uint32) uint32 {
	l := &s.e.layout
	if l.inboxCount == 0 {
		return s.config(node, v[node], 0)
	}
	return s.config(node, v[node], v[l.inboxes+node])
}

func (s *nodeConfigs) globalOf(v []uint32) uint32 {
	l := &s.e.layout
	return s.globalWith(v[l.netGlobals], v[l.budget])
}

// unpack is the inverse of pack.
func (s *nodeConfigs) unpack(packed, v []uint32) {
	l := &s.e.layout
	for i := range l.nodes {
		at := s.tables[i].list[packed[i]]
		v[i] = at.local
		if l.inboxCount > 0 {
			v[l.inboxes+i] = at.inbox
		}
	}
	copy(v[l.conns:l.netGlobals], packed[l.nodes:])
	f := &s.globals[packed[s.global]]
	v[l.netGlobals], v[l.budget] = f.net, f.budget
}

// config interns a node configuration.
func (s *nodeConfigs) config(node int, local, bag uint32) uint32 {
	p := &s.tables[node]
	key := uint64(local)<<32 | uint64(bag)
	if id, ok := p.ids.get(key); ok {
		return uint32(id)
	}
	id := uint32(len(p.list))
	p.ids.put(key, uint64(id))
	p.list = append(p.list, nodeConfig{local, bag})
	p.shares = append(p.shares, s.configHash(node, local, bag))
	p.busy = append(p.busy, bag != 0 && s.e.up(local) || s.e.locals.list[local].busy)
	p.up = append(p.up, s.e.up(local))
	for range p.width {
		p.after = append(p.after, arrival{})
	}
	if s.e.quorums.any && s.e.up(local) && !s.e.inboxes.list[bag].held {
		if err := s.e.gather(sim.NodeID(node), local, bag).err; err != nil {
			s.pendingLog = append(s.pendingLog, unlistedQuorum{node, id, err})
		}
	}
	return id
}

// unlistedQuorum is a node configuration of which it cannot be told what its quorums take.
type unlistedQuorum struct {
	node   int
	config uint32
	err    error // a finding
}

func (s *nodeConfigs) globalWith(rest, budget uint32) uint32 {
	key := uint64(rest)<<32 | uint64(budget)
	if id, ok := s.ids.get(key); ok {
		return uint32(id)
	}
	id := uint32(len(s.globals))
	s.ids.put(key, uint64(id))
	s.globals = append(s.globals, globalPart{net: rest, budget: budget, share: s.e.netGlobals.list[rest].hash.Add(s.e.budgetHash(budget))})
	return id
}

// configHash is the share of a node configuration in the fingerprint of a state.
func (s *nodeConfigs) configHash(node int, local, bag uint32) sim.Fingerprint {
	return s.e.locals.list[local].hash.Add(s.e.inboxes.hash(bag, node))
}

// shareOf is the share of a word of a packed vector in the fingerprint of the state.
func (s *nodeConfigs) shareOf(word int, value uint32) sim.Fingerprint {
	switch {
	case word < len(s.tables):
		return s.tables[word].shares[value]
	case word == s.global:
		return s.globals[value].share
	case word < s.monitors:
		return s.e.conns.hash(value, word-s.conns)
	}
	share, _ := s.e.wordHash(word+s.e.layout.inboxCount, value)
	return share
}

// fingerprint is that of the state that a packed vector stands for, see [kernel.World].
func (s *nodeConfigs) fingerprint(packed []uint32) (f sim.Fingerprint) {
	for i := range s.tables {
		f = f.Add(s.tables[i].shares[packed[i]])
	}
	for pair, id := range packed[s.conns:s.monitors] {
		if id > emptySelf { // most are not
			f = f.Add(s.e.conns.hash(id, pair))
		}
	}
	for word := s.monitors; word < s.words; word++ {
		f = f.Add(s.shareOf(word, packed[word]))
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
func listOf(frame uint32, quiet bool, kind eventList) int {
	n := int(frame) * 2
	if quiet {
		n++
	}
	return n*int(eventLists) + int(kind)
}

func (s *nodeConfigs) bytes() int {
	n := 52*len(s.transitions) + 8*len(s.ops)
	for i := range s.tables {
		p := &s.tables[i]
		n += 32*len(p.list) + 16*(len(p.after)+len(p.farther)) + 16*(len(p.ids.slots)+len(p.far.slots))
		for k := range p.told {
			n += 24 * len(p.told[k].slots)
		}
	}
	return n
}
