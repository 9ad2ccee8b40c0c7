package table

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Unsupported is the error about systems and states that the table engine cannot treat, though the
// replay engine can.
type Unsupported struct{ Why string }

func (u *Unsupported) Error() string {
	return "the table engine cannot check this: " + u.Why + "; use the replay engine"
}

// engine holds the tables of one system. It is for one goroutine.
type engine struct {
	sys    *sim.System
	opts   kernel.Options
	bench  *kernel.Bench
	net    sim.Parted // nil: no network
	nodes  int
	layout layout

	messages   messages
	events     values // announced ones
	locals     locals
	steps      steps
	inboxes    inboxes
	conns      conns
	netGlobals netGlobalsTable
	monitors   monitors
	quorums    quorums
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

	sites    *nodeConfigs // nil: not used yet
	together [][]int32    // words of packed vectors that steps changed which were rehearsed
	audit    *auditLog    // nil: there is no log
	// weightless is the set of kinds of events that random walks never take.
	weightless uint64
	disturbing *kernel.Disturbing // nil: nothing does

	buf     []byte
	plans   plans
	samples samples
	stats   Stats
	calls   *Calls // nil: nobody wants to know of them
}

// Stats counts what an engine has done.
type Stats struct {
	Steps    int // handler steps taken
	Handlers int // handler executions, for verification included
	Misses   int // steps that were not in the tables
	Tried    int // sets that quorums without a Need were asked about
	Verified int // steps executed again and compared
	Locals   int // distinct local states of all nodes
	Messages int // distinct messages
	Leaves   int // distinct steps
	Dropped  int // how often the tables had grown too large and were dropped
}

// HitRate is the share of steps that were looked up; 1 when there were none.
func (s Stats) HitRate() float64 {
	if s.Steps == 0 {
		return 1
	}
	return 1 - float64(s.Misses)/float64(s.Steps)
}

// maxNodes is how many nodes fit into the words that sets of nodes are kept in.
const maxNodes = 64

func newEngine(sys *sim.System, opts kernel.Options, calls *Calls) (*engine, error) {
	bench, err := kernel.NewBench(sys, opts)
	if err != nil {
		return nil, err
	}
	if sys.Nodes > maxNodes {
		return nil, &Unsupported{fmt.Sprintf("it has %d nodes, more than %d", sys.Nodes, maxNodes)}
	}
	if _, bounded := sys.Timing.MaxDelay(); bounded {
		return nil, &Unsupported{fmt.Sprintf("its timing %v, under which timers depend on the clocks of all nodes", sys.Timing)}
	}
	if bench.Closes() {
		return nil, &Unsupported{"services with a method Close: what they hold cannot be copied"}
	}
	e := &engine{sys: sys, groups: kernel.Mates(sys), opts: opts, bench: bench, net: bench.Parted(), nodes: sys.Nodes, disturbing: kernel.DisturbingOf(sys), calls: calls}
	if e.net == nil && sys.Network != nil {
		return nil, &Unsupported{fmt.Sprintf("its network %T cannot be taken apart", sys.Network)}
	}
	e.layout = newLayout(e)
	e.messages.init(e)
	e.events.ids = map[string]uint32{}
	e.locals.init()
	e.inboxes.init(e)
	e.conns.init(e)
	e.netGlobals.init(e)
	e.gone = make([]uint32, e.nodes)
	e.quorums = quorums{any: bench.Quorums(), by: map[string]uint32{}}
	for i := range e.nodes {
		id, err := e.intern(sim.NodeID(i), bench.Down(sim.NodeID(i)), nil)
		if err != nil {
			return nil, err
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
		return nil, err
	}
	for left := range sys.Crashes + 1 {
		e.budgets = append(e.budgets, bench.HashBudgets(left, 0))
	}
	for left := range kernel.MostHalts(sys) + 1 {
		e.halts = append(e.halts, bench.HashBudgets(0, left).Sub(e.budgets[0]))
	}
	return e, nil
}

// mayCrash reports whether a node crashes in what is explored.
func (e *engine) mayCrash(node int) bool { return e.crashing[node] && e.uncrashed>>node&1 == 0 }

// mayHalt reports whether a node halts in what is explored.
func (e *engine) mayHalt(node int) bool { return e.halting[node] && e.uncrashed>>node&1 == 0 }

// groupOf are the nodes that crash and halt with a node.
func (e *engine) groupOf(node sim.NodeID) []sim.NodeID {
	if e.groups == nil {
		return nil
	}
	return e.groups[node]
}

// failGroup is the set of nodes that a crash of a node can take down.
func (e *engine) failGroup(node uint8) uint64 {
	all := uint64(1) << node
	for _, mate := range e.groupOf(sim.NodeID(node)) {
		all |= 1 << mate
	}
	return all
}

func (e *engine) up(local uint32) bool { return e.locals.list[local].state.Up() }

// layout says which word of a vector is what.
type layout struct {
	inboxes, conns, monitors int // first word of each kind; local states begin at 0
	netGlobals, budget       int
	words                    int
	nodes                    int
	inboxCount, pairCount    int
}

func newLayout(e *engine) layout {
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
func (e *engine) budgetHash(budget uint32) sim.Fingerprint {
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

func (m *messages) init(e *engine) {
	m.ids = map[string]uint32{}
	m.most = 1 << 27 / max(2, e.nodes) // see eventID and connOp
}

var errTooMany = errors.New("too many distinct messages")

func (e *engine) message(body any) uint32 {
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

func (e *engine) event(value any) uint32 {
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
