package table

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// tables hold the components of the states of one system, each interned. They are for one goroutine.
type tables struct {
	sys    *sim.System
	opts   kernel.Options
	bench  *kernel.Bench
	net    sim.Parted // nil: no network
	nodes  int
	layout layout

	messages   messages
	events     values // announced ones
	locals     locals
	inboxes    inboxes
	conns      conns
	netGlobals netGlobalsTable
	monitors   monitors
	passing    *passing          // nil: nobody asks what monitors pass
	budgets    []sim.Fingerprint // by crashes left, as if no halts were
	halts      []sim.Fingerprint // by halts left: what they add to that
	crashing   []bool            // by node: it may crash when up
	halting    []bool            // by node: it may halt when up
	groups     [][]sim.NodeID    // by node: those that run in its process; nil: each has one of its own
	uncrashed  uint64            // set of nodes that do neither, see CrashModel
	initial    []uint32          // local states before the first boot
	gone       []uint32          // by node: the local state once it has halted, plus one; 0: not known
	loaded     []uint32          // as the first boots begin: nodes that are not late have their services
	early      uint64            // set of nodes that are not late
	noLoad     error             // the finding of building a service
	unlisted   bool              // a state was met whose events cannot be listed

	recorder stateRecorder // nil: nothing is recorded
	buf      []byte
	plans    plans
	samples  samples
	calls    *Calls // nil: nobody wants to know of them
}

// stateRecorder is notified of each new local state and each new step of a monitor.
type stateRecorder interface {
	local(id uint32)
	monitor(id uint32, node sim.NodeID, event, next uint32, found error)
}

// maxNodes is how many nodes fit into the words that sets of nodes are kept in.
const maxNodes = 64

// init fills the tables with what a run begins with.
func (e *tables) init(sys *sim.System, opts kernel.Options, calls *Calls) error {
	bench, err := kernel.NewBench(sys, opts)
	if err != nil {
		return err
	}
	if sys.Nodes > maxNodes {
		return &Unsupported{fmt.Sprintf("it has %d nodes, more than %d", sys.Nodes, maxNodes)}
	}
	if _, bounded := sys.Timing.MaxDelay(); bounded {
		return &Unsupported{fmt.Sprintf("its timing %v, under which timers depend on the clocks of all nodes", sys.Timing)}
	}
	if bench.Closes() {
		return &Unsupported{"services with a method Close: what they hold cannot be copied"}
	}
	e.sys, e.groups, e.opts, e.bench, e.net, e.nodes, e.calls = sys, kernel.Mates(sys), opts, bench, bench.Parted(), sys.Nodes, calls
	if e.net == nil && sys.Network != nil {
		return &Unsupported{fmt.Sprintf("its network %T cannot be taken apart", sys.Network)}
	}
	e.layout = newLayout(e)
	e.messages.init(e)
	e.events.ids = map[string]uint32{}
	e.locals.init()
	e.inboxes.init(e)
	e.conns.init(e)
	e.netGlobals.init(e)
	e.gone = make([]uint32, e.nodes)
	for i := range e.nodes {
		id, err := e.intern(sim.NodeID(i), bench.Down(sim.NodeID(i)), nil)
		if err != nil {
			return err
		}
		e.initial = append(e.initial, id)
		e.loaded = append(e.loaded, id)
		if sys.Late != nil && sys.Late(sim.NodeID(i)) {
			continue
		}
		e.early |= 1 << i
		state, err := bench.Load(sim.NodeID(i))
		if err != nil {
			e.noLoad = cmp.Or(e.noLoad, err)
		} else if id, err := e.intern(sim.NodeID(i), state, nil); err == nil {
			e.loaded[i] = id // else it takes a Boot to make it a state, and it will not be seen
		}
	}
	if err := e.monitors.init(e); err != nil {
		return err
	}
	for left := range sys.Crashes + 1 {
		e.budgets = append(e.budgets, bench.HashBudgets(left, 0))
	}
	for left := range kernel.MostHalts(sys) + 1 {
		e.halts = append(e.halts, bench.HashBudgets(0, left).Sub(e.budgets[0]))
	}
	return nil
}

// mayCrash reports whether a node crashes in what is explored.
func (e *tables) mayCrash(node int) bool { return e.crashing[node] && e.uncrashed>>node&1 == 0 }

// mayHalt reports whether a node halts in what is explored.
func (e *tables) mayHalt(node int) bool { return e.halting[node] && e.uncrashed>>node&1 == 0 }

// groupOf are the nodes that crash and halt with a node.
func (e *tables) groupOf(node sim.NodeID) []sim.NodeID {
	if e.groups == nil {
		return nil
	}
	return e.groups[node]
}

// failGroup is the set of nodes that a crash of a node can take down.
func (e *tables) failGroup(node uint8) uint64 {
	all := uint64(1) << node
	for _, mate := range e.groupOf(sim.NodeID(node)) {
		all |= 1 << mate
	}
	return all
}

func (e *tables) up(local uint32) bool { return e.locals.list[local].state.Up() }

// layout says which word of a vector is what.
type layout struct {
	inboxes, conns, monitors int // first word of each kind; local states begin at 0
	netGlobals, budget       int
	words                    int
	nodes                    int
	inboxCount, pairCount    int
}

func newLayout(e *tables) layout {
	l := layout{nodes: e.nodes}
	var datagrams, streams bool
	if e.net != nil {
		datagrams, streams = e.net.Kinds()
	}
	if datagrams {
		l.inboxCount = e.nodes
	}
	if streams {
		l.pairCount = e.nodes * (e.nodes + 1) / 2
	}
	l.inboxes = e.nodes
	l.conns = l.inboxes + l.inboxCount
	l.monitors = l.conns + l.pairCount
	l.netGlobals = l.monitors + len(e.sys.Monitors)
	l.budget = l.netGlobals + 1
	l.words = l.budget + 1
	return l
}

// The budget is one word: the crashes that are left, and above them the halts.
const (
	oneCrash = 1
	oneHalt  = 1 << 24 // more than [sim.MaxFaults]
)

func crashesLeft(budget uint32) int { return int(budget % oneHalt) }
func haltsLeft(budget uint32) int   { return int(budget / oneHalt) }

// budgetHash is the share of the budget in the fingerprint.
func (e *tables) budgetHash(budget uint32) sim.Fingerprint {
	return e.budgets[crashesLeft(budget)].Add(e.halts[haltsLeft(budget)])
}

// pair is the number of an unordered pair; low <= high.
func (l *layout) pair(low, high sim.NodeID) int { return int(high)*(int(high)+1)/2 + int(low) }

// values interns things that are compared by their encoding.
type values struct {
	list []any
	ids  map[string]uint32
}

// messages interns the content of messages. A message of the network model carries the number of its
// content, plus one, as its identity.
type messages struct {
	list []sim.Message
	ids  map[string]uint32
	most int
}

func (m *messages) init(e *tables) {
	m.ids = map[string]uint32{}
	m.most = 1 << 27 / max(2, e.nodes) // see eventID and connOp
}

var errTooMany = errors.New("too many distinct messages")

func (e *tables) message(body any) uint32 {
	e.buf = e.bench.AppendValue(body, e.buf[:0])
	id, ok := e.messages.ids[string(e.buf)]
	if !ok {
		id = uint32(len(e.messages.list))
		if int(id) >= e.messages.most {
			panic(errTooMany)
		}
		e.messages.ids[string(e.buf)] = id
		e.messages.list = append(e.messages.list, e.bench.NewMessage(body, sim.MessageID(id+1)))
	}
	return id
}

func (e *tables) event(value any) uint32 {
	e.buf = e.bench.AppendValue(value, e.buf[:0])
	id, ok := e.events.ids[string(e.buf)]
	if !ok {
		id = uint32(len(e.events.list))
		e.events.ids[string(e.buf)] = id
		e.events.list = append(e.events.list, value)
	}
	return id
}

// idOf is the number of the content of a message that the network model gave back.
func idOf(m *sim.Message) uint32 { return uint32(m.ID - 1) }

// pairAt is the inverse of layout.pair.
func (e *tables) pairAt(pair int) (low, high sim.NodeID) {
	for int(high+1)*int(high+2)/2 <= pair {
		high++
	}
	return sim.NodeID(pair) - high*(high+1)/2, high
}

// wordHash is the share of one word of the vector in the fingerprint, and whether it is the network's.
func (e *tables) wordHash(i int, word uint32) (h sim.Fingerprint, net bool) {
	switch l := &e.layout; {
	case i < l.inboxes:
		return e.locals.list[word].hash, false
	case i < l.conns:
		return e.inboxes.hash(word, i-l.inboxes), true
	case i < l.monitors:
		return e.conns.hash(word, i-l.conns), true
	case i < l.netGlobals:
		return e.monitors.list[word].hash, false
	case i == l.netGlobals:
		return e.netGlobals.list[word].hash, true
	default:
		return e.budgetHash(word), false
	}
}

// differing lists the words of a packed vector that differ between two vectors of the world.
func (l *layout) differing(v, w []uint32) (words []int32) {
	for word := range l.words - l.inboxCount - 1 {
		at := word
		if word >= l.nodes {
			at += l.inboxCount
		}
		differs := v[at] != w[at]
		switch {
		case word < l.inboxCount:
			differs = differs || v[l.inboxes+word] != w[l.inboxes+word]
		case at == l.netGlobals:
			differs = differs || v[l.budget] != w[l.budget]
		}
		if differs {
			words = append(words, int32(word))
		}
	}
	return words
}

// crashesAll has all nodes crash until the function is called that it returns.
func (e *tables) crashesAll() (again func()) {
	spared := e.uncrashed
	e.uncrashed = 0
	return func() { e.uncrashed = spared }
}
