package kernel

import (
	"fmt"
	"iter"
	"log/slog"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// World is a system in some state, with what can happen next. It executes steps; who calls it
// decides which. A world is for one goroutine.
//
// A state is reached by Start and then Steps. What can happen in it is Enabled followed by
// Injections: an event's index counts through both lists, and both are functions of the state
// (and the limits), so that a sequence of indices and answers is a path.
type World interface {
	System() *sim.System
	// Start goes to the first state: all nodes that are not late are booted, in order. Any state
	// before is given up. Questions asked by Boot are answered by src. The error is a finding.
	Start(src choose.Source) error
	// Enabled returns the ordinary events in canonical order. The slice is the world's and valid
	// until the next Start or Step.
	Enabled() []sim.Event
	// Injections appends the fault injections that are possible to buf.
	Injections(buf []sim.Event) []sim.Event
	// Step executes ev, which must stem from Enabled or Injections in this state. Questions of the
	// step are answered by src. When the error is not nil it is a finding (see [sim.Finding]) and the
	// state is good for nothing but looking at.
	Step(ev sim.Event, src choose.Source) error
	// Disturbs reports whether ev, which must stem from Enabled or Injections in this state, is no part of recovery by what the
	// system says of it.
	Disturbs(ev sim.Event) bool
	// Last describes the step that was executed last. It is the world's, valid until the next step.
	Last() *stepinfo.Step

	// Check returns the first safety violation of the state: an Always property that does not hold.
	// The cost is that of the properties whose reads have changed.
	Check() error
	// Live reports whether all Eventually properties hold together. When the function of one panics, and none fails, it panics with
	// a [*sim.Finding], see [properties.Together] and [CatchState].
	Live() bool
	// Holds evaluates one property. When its function panics, it panics with a [*sim.Finding].
	Holds(p *sim.Property) bool
	// Explain calls the property's Explain; "" when it has none.
	Explain(p *sim.Property) string

	// Fingerprint covers every component of the state.
	Fingerprint() sim.Fingerprint
	// Components yields the parts that Fingerprint is the sum of, in canonical order.
	Components() iter.Seq2[Component, sim.Fingerprint]
	// NodeFingerprint is that of the component of a node.
	NodeFingerprint(sim.NodeID) sim.Fingerprint

	// Label returns what the event's stable key is made of.
	Label(ev sim.Event) stepinfo.Label
	// Key is the event's stable key, the text of its Label: its class, node and content, never an index.
	Key(ev sim.Event) string
	// Messages appends the messages that ev would consume.
	Messages(ev sim.Event, buf []sim.Envelope) []sim.Envelope
	// Service returns a node's service, nil when it is down. It must not be changed.
	Service(sim.NodeID) sim.Service
	// NodeFields describes the local state of a node for people: service, timers, disk, counters.
	NodeFields(sim.NodeID) []sim.Field
	// NetFields describes the network and the remaining fault limits for people.
	NetFields() []sim.Field
	// InFlight yields the messages in flight in canonical order.
	InFlight() iter.Seq[sim.Envelope]
}

// Options sets how a world runs.
type Options struct {
	// Trace records what people want to see: log lines, source lines, message identities and fates.
	// It is slow.
	Trace bool
	// CheckMessages compares messages on delivery with what the sender still holds, to find messages that
	// were changed after they were sent, and the states of all other nodes before and after each handler.
	CheckMessages bool
	// Contain calls checked code on goroutines of its own, so that it is a finding, as a panic is, when it ends its
	// goroutine. It is slow. Without it such code ends the goroutine of the world's caller: see [contain.Guard].
	Contain bool
	// Guarded: the world's caller calls it within [contain.Guard], so the handlers of a [bench.Bench] need no goroutines of their own either.
	Guarded bool
	// Settle has each step wait for the goroutines that its handler started, as far as they end. It is slow.
	Settle bool
	// Asking is told, with Contain, which checked code is called that is neither a handler nor a property, and the zero Asked when it
	// has returned. May be nil.
	Asking func(Asked)
	// Overdue, when it is not nil, is asked every [contain.WatchInterval] while checked code runs that is no property's, the how manieth
	// time this is. Once it is true that code is given up, which is a finding (see [contain.Overdue]), and the world good for
	// nothing but to start anew. Such code is called as by Contain. Properties are watched with Contain only, else by
	// those who wait for Pulse.
	Overdue func(ticks int) bool
	// Heartbeat is told of each call of a property's function that is not contained. May be nil.
	Heartbeat *contain.Heartbeat
	// UseAfterReturn is told when an Env is used too late on a goroutine that a handler started. Nil: the world has one of its own.
	UseAfterReturn *UseAfterReturn
	// MaxChoices bounds the choices of one step; more is a divergence finding. 0: 10,000.
	MaxChoices int
	// Log is where handlers log; nil: nowhere, but to the trace.
	Log *slog.Logger
	// Times is told of the readings of clocks. Nil: nobody is.
	Times Times
}

// Times is told which readings of the clock are made and compared, by a runner whose caller knows the
// instants.
type Times interface {
	// Read tells of a new reading.
	Read(node sim.NodeID, t macetime.Time)
	// Compare tells that the next question of class [choose.Compare] is whether a is earlier than b.
	Compare(node sim.NodeID, a, b macetime.Time)
}

// ComponentKind is a kind of part of the global state.
type ComponentKind uint8

const (
	NodeState    ComponentKind = iota // service, timers, counters, disk, up or down
	NetState                          // queues, connection flags, partitions, network budgets
	MonitorState                      // one monitor
	Budgets                           // remaining crashes and halts
)

// Component names a part of the global state.
type Component struct {
	Kind  ComponentKind
	Index int // node or monitor; 0 otherwise
}

// String returns the name of the component that reports use.
func (c Component) String() string {
	switch c.Kind {
	case NodeState:
		return fmt.Sprintf("n%d", c.Index)
	case MonitorState:
		return fmt.Sprintf("monitor %d", c.Index)
	case Budgets:
		return "the fault limits"
	}
	return "the network"
}
