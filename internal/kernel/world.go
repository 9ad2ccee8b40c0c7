package kernel

import (
	"fmt"
	"iter"
	"log/slog"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// World is a system in some state, with its possible next events. It executes steps that the caller selects. A world is
// not safe for concurrent use.
//
// A state is reached by Start and then Steps. The possible events are Enabled followed by Injections, and an event's
// index counts through both lists. Both are functions of the state and the limits, so that a sequence of indices and
// answers is a path.
type World interface {
	System() *sim.System
	// Start goes to the initial state, in which all nodes that are not late are booted, in order. It discards the state
	// before. src answers the questions of Boot. The error is a finding.
	Start(src choose.Source) error
	// Enabled returns the ordinary events in canonical order. The slice is the world's and valid
	// until the next Start or Step.
	Enabled() []netmodel.Event
	// Injections appends the possible fault injections to buf.
	Injections(buf []netmodel.Event) []netmodel.Event
	// Step executes ev, which must stem from Enabled or Injections in this state. src answers the questions of the
	// step. A non-nil error is a finding (see [sim.Finding]), and the state may then only be inspected.
	Step(ev netmodel.Event, src choose.Source) error
	// Disturbs reports whether the system declares that ev is not part of recovery. ev must stem from Enabled or
	// Injections in this state.
	Disturbs(ev netmodel.Event) bool
	// Last describes the last step. The result belongs to the world and is valid until the next step.
	Last() *stepinfo.Step

	// Check returns the first safety violation of the state: an Always property that does not hold. It evaluates only
	// properties with changed reads.
	Check() error
	// Live reports whether all Eventually properties hold together. If one of them panics, and none fails, Live panics
	// with a [*sim.Finding], see [properties.Together] and [contain.CatchState].
	Live() bool
	// Holds evaluates one property. If its function panics, Holds panics with a [*sim.Finding].
	Holds(p *sim.Property) bool
	// Explain calls the property's Explain. It returns "" if the property has none. The text states a failure of Explain.
	Explain(p *sim.Property) string

	// Fingerprint covers every component of the state.
	Fingerprint() encoding.Fingerprint
	// Components yields the components in canonical order. Fingerprint is the sum of their fingerprints.
	Components() iter.Seq2[Component, encoding.Fingerprint]
	// NodeFingerprint returns the fingerprint of the component of a node.
	NodeFingerprint(sim.NodeID) encoding.Fingerprint

	// Label returns the parts of the event's stable key.
	Label(ev netmodel.Event) stepinfo.Label
	// Key is the event's stable key, the text of its Label: its class, node and content, never an index.
	Key(ev netmodel.Event) string
	// Messages appends the messages that ev would consume.
	Messages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope
	// Timer returns the value of the timer that ev fires.
	Timer(ev netmodel.Event) any
	// Service returns a node's service, nil when it is down. It must not be changed.
	Service(sim.NodeID) sim.Service
	// NodeFields describes the local state of a node for people: service, timers, disk, counters.
	NodeFields(sim.NodeID) []diff.Field
	// NetFields describes the network and the remaining fault limits for people.
	NetFields() []diff.Field
	// InFlight yields the messages in flight in canonical order.
	InFlight() iter.Seq[sim.Envelope]
}

// Options sets how a world runs.
type Options struct {
	// Trace records details for people: log lines, source lines, message identities and fates. It is slow.
	Trace bool
	// CheckMessages compares messages on delivery with the originals that their senders hold, to find later changes. It
	// also compares the states of all other nodes before and after each handler.
	CheckMessages bool
	// Contain calls checked code on separate goroutines, so that code that ends its goroutine is a finding, as a panic
	// is. It is slow. Without it such code ends the goroutine of the world's caller, see [contain.Guard].
	Contain bool
	// Guarded means that the caller runs within [contain.Guard], so that the handlers of a [bench.Bench] need no
	// goroutines either.
	Guarded bool
	// Settle makes each step wait for the goroutines that its handler started and that end. It is slow.
	Settle bool
	// Leaked, if non-nil, is called with Settle after a step whose handler started goroutines that did not end, with their
	// number.
	Leaked func(n int)
	// Asking, if non-nil, is called with Contain before checked code that is neither a handler nor a property, and with
	// the zero Asked after it.
	Asking func(Asked)
	// Overdue, if non-nil, is called every [contain.WatchInterval] while checked code other than a property runs, with
	// the number of intervals elapsed. Once it returns true the code is abandoned, which is a finding (see
	// [contain.Overdue]), and the world can only be started anew. Such code is called as by Contain. Properties are
	// watched only with Contain, otherwise by whoever reads Heartbeat.
	Overdue func(ticks int) bool
	// Heartbeat, if non-nil, is notified of each call of a property's function that is not contained.
	Heartbeat *contain.Heartbeat
	// UseAfterReturn records a late use of an Env on a goroutine that a handler started. Nil means that the world has
	// one of its own.
	UseAfterReturn *contain.UseAfterReturn
	// MaxChoices bounds the choices of one step. More are a divergence finding. 0 means 10,000.
	MaxChoices int
	// Log receives the log records of handlers. Nil means that they go only to the trace.
	Log *slog.Logger
	// Times, if non-nil, is notified of the readings of clocks.
	Times Times
}

// Times is notified when readings of the clock are made and compared. A runner passes it on to a caller that has the
// instants.
type Times interface {
	// Read reports a new reading.
	Read(node sim.NodeID, t macetime.Time)
	// Compare announces that the next question of class [choose.Compare] is whether a is earlier than b.
	Compare(node sim.NodeID, a, b macetime.Time)
}

// ComponentKind is a kind of part of the global state.
type ComponentKind uint8

const (
	NodeState    ComponentKind = iota // service, timers, counters, disk, up or down
	NetState                          // queues, connection flags, partitions, remaining faults of the network
	MonitorState                      // one monitor
	Budgets                           // remaining crashes and halts, clocks of [sim.Bounded], common time
)

// Component names a part of the global state.
type Component struct {
	Kind  ComponentKind
	Index int // node or monitor; 0 otherwise
}

// String returns the name of the component in reports.
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
