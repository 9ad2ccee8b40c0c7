package table

import (
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// sites make global states shorter, and their successors sums. What belongs to one node of a state alone, its local
// state and the bag of datagrams in flight to it, is its site, a number of its own for each node; what
// concerns the whole system, the crashes and halts that are left and what the network holds once, is the frame. A
// packed vector is that of the sites, the connections, the monitors and the frame.
//
// What a node can do depends on its site, the frame, and the heads and the room of its connections. Each of
// these steps is kept as a move: the node's next site, the next frame, the operations on all else, and
// how the fingerprint changes. Moves are found out by taking the steps once in the world, in a state in
// which they happen.
type sites struct {
	e        *engine
	places   []place
	frames   []frame
	ids      memo // rest and budget -> frame
	moves    []move
	peers    []uint16 // by move, see sleep.go
	struck   []uint16 // by move: of a crash or a halt the node, of a break both ends of the connection; 0: it is none of these, or nothing sleeps behind it
	takes    []uint32 // by move: the datagram that it takes from its node's bag, plus one; 0: none
	origins  []uint32 // by move: the site that it is one of
	diamonds []uint64 // by move, see diamondsOf
	ops      []moveOp
	slow     []slowMove
	breaks   []uint32 // by pair: the move that the break of their connection has for a name; 0: it has none yet
	rooms    []roomQuestion
	words    int
	sleeps   bool // see sleep.go

	capacity int // of streams
	untold   []untold

	// First words of each kind in packed vectors, behind those of sites.
	conns, monitors, frame int

	answers answers
	limited error    // a limit was reached while moves were found out, so that they are not all
	beside  bool     // steps that fail are no end, see onward
	unseen  error    // then: an ordinary step diverges so, and not all answers that it can be given were gone through
	here    []uint32 // scratch: a vector of the world
	there   []uint32 // packed
	changes []uint64 // of a draft
}

// place holds the sites of one node.
type place struct {
	ids     memo // local state and bag -> site
	list    []site
	shares  []sim.Fingerprint
	busy    []bool // a datagram can be delivered to the node
	up      []bool
	told    []memoOf[span] // by frame: site and event of a stream -> moves
	lists   [][]span       // by frame, quiet or not, and kind of events; by site
	sent    memo           // sender and message -> number
	all     []datagram     // by that number
	width   uint32         // a power of two
	after   []arrival      // by site and number of a datagram, up to the width
	far     memo           // by site and number, beyond the width: place in farther
	farther []arrival
}

type site struct{ local, bag uint32 }

type frame struct {
	rest, budget   uint32
	share          sim.Fingerprint
	injects        [eventLists]bool
	breaks         bool   // connections may break
	broke          uint32 // the frame once one did, plus one; 0: not known
	global, faults span   // steps of no node: ordinary ones and injections
}

// span are the moves of a site: from begin to end, among them so many steps of handlers. Both are 0 when they are not known; there is
// no move 0. Four fields, as more are not kept in registers.
type span struct {
	begin, end uint32
	handled    uint32 // and whether there is a questionMove among them, see asks
	most       uint32 // changes of one that is fast or mixed, at most, and behind them the peers of all
}

const spanAsks = 1 << 31

func (sp span) asks() bool { return sp.handled&spanAsks != 0 }

func (sp span) peers() uint16 { return uint16(sp.most) }

func (sp span) changes() int { return int(sp.end-sp.begin) * int(sp.most>>sleepers) }

// move is one step of a node.
type move struct {
	delta sim.Fingerprint // of the fingerprint, but for what the operations change
	next  uint32          // site
	frame uint32
	first uint32 // operation; of a slow move or a question its number
	count uint16 // of operations
	note  uint8  // see noteLocal
	kind  uint8
}

// mostOps is how many operations a move has, at most: they are counted in a span, too.
const mostOps = 1 << 15

// Kinds of moves.
const (
	fastMove     = iota // all operations are datagrams sent to different nodes
	mixedMove           // with operations of any kinds
	slowStep            // to be taken in the world
	loneMove            // of no node
	questionMove        // no step, but which ones there are depends on room in a stream
	sharedMove          // steps by which nodes that run in one process go down, to be taken in the world
)

// slowMove is a step that is taken in the world whenever it is due, such as one that fails. Of a sharedMove it is how the steps begin that there are: what
// is asked then depends on the other nodes that go down.
type slowMove struct {
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

func newSites(e *engine) *sites {
	s := &sites{e: e, places: make([]place, e.nodes), moves: make([]move, 1), peers: []uint16{neverAsleep}, struck: make([]uint16, 1),
		takes: make([]uint32, 1), origins: make([]uint32, 1), diamonds: make([]uint64, 1), breaks: make([]uint32, e.layout.pairCount)}
	for i := range s.places {
		s.places[i].width = minWidth
	}
	l := &e.layout
	s.words = l.words - l.bagCount - 1
	s.conns, s.monitors, s.frame = l.conns-l.bagCount, l.monitors-l.bagCount, s.words-1
	s.sleeps = e.canSleep()
	if l.pairCount > 0 {
		s.capacity = e.net.Capacity()
	}
	s.here, s.there = make([]uint32, l.words), make([]uint32, s.words)
	return s
}

// differing lists the words of a packed vector that differ between two vectors of the world.
func (l *layout) differing(v, w []uint32) (words []int32) {
	for word := range l.words - l.bagCount - 1 {
		at := word
		if word >= l.nodes {
			at += l.bagCount
		}
		differs := v[at] != w[at]
		switch {
		case word < l.bagCount:
			differs = differs || v[l.bags+word] != w[l.bags+word]
		case at == l.rest:
			differs = differs || v[l.budget] != w[l.budget]
		}
		if differs {
			words = append(words, int32(word))
		}
	}
	return words
}

// pack packs a vector of the world.
func (s *sites) pack(v, packed []uint32) {
	l := &s.e.layout
	for i := range l.nodes {
		packed[i] = s.siteOf(i, v)
	}
	copy(packed[l.nodes:], v[l.conns:l.rest])
	packed[s.frame] = s.frameOf(v)
}

func (s *sites) siteOf(node int, v []uint32) uint32 {
	l := &s.e.layout
	if l.bagCount == 0 {
		return s.site(node, v[node], 0)
	}
	return s.site(node, v[node], v[l.bags+node])
}

func (s *sites) frameOf(v []uint32) uint32 {
	l := &s.e.layout
	return s.frameWith(v[l.rest], v[l.budget])
}

// unpack is the inverse of pack.
func (s *sites) unpack(packed, v []uint32) {
	l := &s.e.layout
	for i := range l.nodes {
		at := s.places[i].list[packed[i]]
		v[i] = at.local
		if l.bagCount > 0 {
			v[l.bags+i] = at.bag
		}
	}
	copy(v[l.conns:l.rest], packed[l.nodes:])
	f := &s.frames[packed[s.frame]]
	v[l.rest], v[l.budget] = f.rest, f.budget
}

// site interns a site.
func (s *sites) site(node int, local, bag uint32) uint32 {
	p := &s.places[node]
	key := uint64(local)<<32 | uint64(bag)
	if id, ok := p.ids.get(key); ok {
		return uint32(id)
	}
	id := uint32(len(p.list))
	p.ids.put(key, uint64(id))
	p.list = append(p.list, site{local, bag})
	p.shares = append(p.shares, s.siteHash(node, local, bag))
	p.busy = append(p.busy, bag != 0 && s.e.up(local))
	p.up = append(p.up, s.e.up(local))
	for range p.width {
		p.after = append(p.after, arrival{})
	}
	if s.e.quorums.any && s.e.up(local) && !s.e.bags.list[bag].held {
		if err := s.e.gather(sim.NodeID(node), local, bag).err; err != nil {
			s.untold = append(s.untold, untold{node, id, err})
		}
	}
	return id
}

// untold is a site of which it cannot be told what its quorums take.
type untold struct {
	node int
	site uint32
	err  error // a finding
}

func (s *sites) frameWith(rest, budget uint32) uint32 {
	key := uint64(rest)<<32 | uint64(budget)
	if id, ok := s.ids.get(key); ok {
		return uint32(id)
	}
	id := uint32(len(s.frames))
	s.ids.put(key, uint64(id))
	s.frames = append(s.frames, frame{rest: rest, budget: budget, share: s.e.rests.list[rest].hash.Add(s.e.budgetHash(budget))})
	return id
}

// siteHash is the share of a site in the fingerprint of a state.
func (s *sites) siteHash(node int, local, bag uint32) sim.Fingerprint {
	return s.e.locals.list[local].hash.Add(s.e.bags.hash(bag, node))
}

// shareOf is the share of a word of a packed vector in the fingerprint of the state.
func (s *sites) shareOf(word int, value uint32) sim.Fingerprint {
	switch {
	case word < len(s.places):
		return s.places[word].shares[value]
	case word == s.frame:
		return s.frames[value].share
	case word < s.monitors:
		return s.e.conns.hash(value, word-s.conns)
	}
	share, _ := s.e.wordHash(word+s.e.layout.bagCount, value)
	return share
}

// fingerprint is that of the state that a packed vector stands for, see [kernel.World].
func (s *sites) fingerprint(packed []uint32) (f sim.Fingerprint) {
	for i := range s.places {
		f = f.Add(s.places[i].shares[packed[i]])
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

// spanOf returns the moves of a site in a list, or nothing when they are not known.
func (p *place) spanOf(list int, at uint32) span {
	if list < len(p.lists) {
		if l := p.lists[list]; int(at) < len(l) {
			return l[at]
		}
	}
	return span{}
}

func (p *place) setSpan(list int, at uint32, sp span) {
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

func (s *sites) bytes() int {
	n := 52*len(s.moves) + 8*len(s.ops)
	for i := range s.places {
		p := &s.places[i]
		n += 32*len(p.list) + 16*(len(p.after)+len(p.farther)) + 16*(len(p.ids.slots)+len(p.far.slots))
		for k := range p.told {
			n += 24 * len(p.told[k].slots)
		}
	}
	return n
}
