package store

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Tables interns the components of the states of one system. It must not be used concurrently.
type Tables struct {
	Sys    *sim.System
	Opts   kernel.Options
	Bench  *bench.Bench
	Net    netmodel.Parted // the network, whose state consists of independent parts; nil: no network
	Nodes  int
	Layout layout // of vectors

	Contents      messages // bodies of messages
	Announcements values   // announced events
	Locals        locals
	Inboxes       inboxes // numbers do not depend on the receiver
	Conns         conns   // numbers do not depend on the pair
	NetGlobals    netGlobalsTable
	Monitors      monitors
	Passing       *Passing // nil unless fairness is judged
	Budgets       budgets
	Failures      failures
	Boots         boots
	haltedStates  []uint32 // by node: the local state after a halt, plus one; 0: unknown
	Unlisted      bool     // the events of some visited state cannot be listed

	Recorder  stateRecorder // nil without recording
	Buf       []byte
	CopyPlans plans
	Samples   samples
	Calls     *options.Calls // nil without reports
}

// boots holds the state before the first boots.
type boots struct {
	Initial []uint32 // local states
	Loaded  []uint32 // local states when the first boots begin: nodes that start early have their services
	Early   uint64   // set of nodes that start early, all but those of [sim.System.Late]
	Err     error    // the finding of the construction of a service
}

// stateRecorder is notified of each new local state and each new step of a monitor.
type stateRecorder interface {
	Local(id uint32)
	Monitor(id uint32, node sim.NodeID, event, next uint32, found error)
}

// MaxNodes is the number of nodes that fit into a bit set.
const MaxNodes = 64

// Init fills the tables with the components of the initial state.
// It refuses systems whose states it cannot divide into components, with an error that says why. The replay engine executes these.
func (e *Tables) Init(sys *sim.System, opts kernel.Options, calls *options.Calls) error {
	bench, err := bench.NewBench(sys, opts)
	if err != nil {
		return err
	}
	if sys.Nodes > MaxNodes {
		return &options.Unsupported{Why: fmt.Sprintf("it has %d nodes, more than %d", sys.Nodes, MaxNodes)}
	}
	if _, bounded := sys.Timing.MaxDelay(); bounded && !sys.Timing.Sometimes() {
		return options.BoundedDelays(sys.Timing)
	}
	if sys.Clocks != nil {
		return &options.Unsupported{Why: "the clocks of its nodes follow a common time (sim.Clocks)"}
	}
	for f, limit := range sys.Limits() {
		if limit > 0 && sim.Fault(f).Event().OfProgram() {
			return &options.Unsupported{Why: fmt.Sprintf("faults of programs (%v)", sim.Fault(f))}
		}
	}
	if bench.Closes() {
		return &options.Unsupported{Why: "services with a method Close cannot be copied"}
	}
	e.Sys, e.Opts, e.Bench, e.Net, e.Nodes, e.Calls = sys, opts, bench, bench.Parted(), sys.Nodes, calls
	e.Failures.Groups = declared.ProcessGroups(sys)
	if e.Net == nil && sys.Network != nil {
		return &options.Unsupported{Why: fmt.Sprintf("its network %T does not implement netmodel.Parted", sys.Network)}
	}
	e.Layout = newLayout(e)
	e.Contents.init(e)
	e.Announcements.ids = map[string]uint32{}
	e.Locals.init()
	e.Inboxes.init(e)
	e.Conns.init(e)
	e.NetGlobals.init(e)
	e.haltedStates = make([]uint32, e.Nodes)
	for i := range e.Nodes {
		id, err := e.Intern(sim.NodeID(i), bench.Down(sim.NodeID(i)), nil)
		if err != nil {
			return err
		}
		e.Boots.Initial = append(e.Boots.Initial, id)
		e.Boots.Loaded = append(e.Boots.Loaded, id)
		if sys.Late != nil && sys.Late(sim.NodeID(i)) {
			continue
		}
		e.Boots.Early |= 1 << i
		state, err := bench.Load(sim.NodeID(i))
		if err != nil {
			e.Boots.Err = cmp.Or(e.Boots.Err, err)
		} else if id, err := e.Intern(sim.NodeID(i), state, nil); err == nil {
			e.Boots.Loaded[i] = id // otherwise only a Boot makes it a state
		}
	}
	if err := e.Monitors.init(e); err != nil {
		return err
	}
	e.Budgets.init(sys, bench)
	return nil
}

func (e *Tables) IsUp(local uint32) bool { return e.Locals.List[local].State.Up() }

// layout assigns the words of a vector.
type layout struct {
	Inboxes, Conns, Monitors int // first word of each kind; local states begin at 0
	NetGlobals, Budget       int
	Words                    int
	Nodes                    int
	InboxCount, PairCount    int
}

func newLayout(e *Tables) layout {
	l := layout{Nodes: e.Nodes}
	var datagrams, streams bool
	if e.Net != nil {
		datagrams, streams = e.Net.Kinds()
	}
	if datagrams {
		l.InboxCount = e.Nodes
	}
	if streams {
		l.PairCount = e.Nodes * (e.Nodes + 1) / 2
	}
	l.Inboxes = e.Nodes
	l.Conns = l.Inboxes + l.InboxCount
	l.Monitors = l.Conns + l.PairCount
	l.NetGlobals = l.Monitors + len(e.Sys.Monitors)
	l.Budget = l.NetGlobals + 1
	l.Words = l.Budget + 1
	return l
}

// Pair returns the number of an unordered pair, with low <= high.
func (l *layout) Pair(low, high sim.NodeID) int { return int(high)*(int(high)+1)/2 + int(low) }

// values interns values by their encoding.
type values struct {
	List []any
	ids  map[string]uint32
}

// messages interns the content of messages. In the network model, the ID of a message is the number of its content,
// plus one.
type messages struct {
	List []netmodel.Message
	ids  map[string]uint32
	Most int
}

func (m *messages) init(e *Tables) {
	m.ids = map[string]uint32{}
	m.Most = 1 << 27 / max(2, e.Nodes) // see EventID and ConnCode
}

var ErrTooMany = errors.New("too many distinct messages")

func (e *Tables) Message(body any) uint32 {
	e.Buf = e.Bench.AppendValue(body, e.Buf[:0])
	id, ok := e.Contents.ids[string(e.Buf)]
	if !ok {
		id = uint32(len(e.Contents.List))
		if int(id) >= e.Contents.Most {
			panic(ErrTooMany)
		}
		e.Contents.ids[string(e.Buf)] = id
		e.Contents.List = append(e.Contents.List, e.Bench.NewMessage(body, sim.MessageID(id+1)))
	}
	return id
}

func (e *Tables) Announced(value any) uint32 {
	e.Buf = e.Bench.AppendValue(value, e.Buf[:0])
	id, ok := e.Announcements.ids[string(e.Buf)]
	if !ok {
		id = uint32(len(e.Announcements.List))
		e.Announcements.ids[string(e.Buf)] = id
		e.Announcements.List = append(e.Announcements.List, value)
	}
	return id
}

// idOf returns the content number of a message of the network model.
func idOf(m *netmodel.Message) uint32 { return uint32(m.ID - 1) }

// PairAt is the inverse of layout.Pair.
func (e *Tables) PairAt(pair int) (low, high sim.NodeID) {
	for int(high+1)*int(high+2)/2 <= pair {
		high++
	}
	return sim.NodeID(pair) - high*(high+1)/2, high
}

// WordHash returns the share of one word of the vector in the fingerprint, and whether it belongs to the network.
func (e *Tables) WordHash(i int, word uint32) (h encoding.Fingerprint, net bool) {
	switch l := &e.Layout; {
	case i < l.Inboxes:
		return e.Locals.List[word].Hash, false
	case i < l.Conns:
		return e.Inboxes.Hash(word, i-l.Inboxes), true
	case i < l.Monitors:
		return e.Conns.Hash(word, i-l.Conns), true
	case i < l.NetGlobals:
		return e.Monitors.List[word].Hash, false
	case i == l.NetGlobals:
		return e.NetGlobals.List[word].Hash, true
	default:
		return e.Budgets.Hash(word), false
	}
}

// Differing lists the words of a packed vector that differ between two vectors of the world.
func (l *layout) Differing(v, w []uint32) (words []int32) {
	for word := range l.Words - l.InboxCount - 1 {
		at := word
		if word >= l.Nodes {
			at += l.InboxCount
		}
		differs := v[at] != w[at]
		switch {
		case word < l.InboxCount:
			differs = differs || v[l.Inboxes+word] != w[l.Inboxes+word]
		case at == l.NetGlobals:
			differs = differs || v[l.Budget] != w[l.Budget]
		}
		if differs {
			words = append(words, int32(word))
		}
	}
	return words
}
