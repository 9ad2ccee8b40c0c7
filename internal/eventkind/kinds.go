// Package eventkind is the table of the kinds of events: their words in path files, what they change, and the texts that
// show them.
package eventkind

import (
	"iter"
	"strings"
)

// Kind is the kind of an event.
type Kind uint8

const (
	Boot         Kind = iota // a node that is down starts
	DoAction                 // an application action
	FireTimer                // a timer fires
	DeliverError             // a node receives a connection error
	DeliverReady             // a node is notified that a send buffer has room again
	Deliver                  // a node receives a message
	TakeQuorum               // a node takes a set of messages, see Quorum of package sim
	Internal                 // a node takes an internal step, see Stepper of package simext
	Arrive                   // a message leaves its sender and arrives in a queue, see Queued of package netmodel
	Heal                     // a partition ends

	// Events of these kinds inject faults. Those before Break strike a node, or a datagram in flight to it.

	Crash     // a node loses all but its disk
	Halt      // a node crashes and never comes back
	Lose      // a datagram is lost
	Duplicate // a datagram is duplicated
	Break     // a connection breaks: both ends get an error, queued messages are lost
	Partition // a set of links goes down
	Strike    // the first of the faults of programs, which [NewStrike] makes

	Count = Strike + 12 // the largest number of kinds
)

// kinds describes each kind of event. A new kind needs a constant and an entry here. The comment at faults in sim/system.go lists what the
// event of a fault also needs. Any other event needs the parts of that list for the table engine and the oracle, and code in enabled.go,
// execute.go and keys.go of internal/kernel. State of its own belongs to components.go and checkpoint.go there. Pictures show an
// event as a note, unless it strikes a message or eventgraph/text.go and mermaid.go draw it.
// Entries that NewStrike may still fill have no name.
var kinds = [Count]struct {
	name         string // in path files
	network      bool   // it changes the network and no node
	down         bool   // it takes its node down
	message      bool   // it delivers or strikes a single message in flight from Peer to Node
	consumes     bool   // it takes that message out of the network
	fault        bool   // it injects a fault
	presentation Presentation
}{
	Boot: {name: "boot", presentation: Presentation{
		Weight: "consequence", Class: "faults", Method: "Boot",
		Sentence: "{node} boots", Lane: "boot {what}",
		Cause: "the node was down since", Process: "start of {node}",
	}},
	DoAction: {name: "action", presentation: Presentation{
		Weight: "action", Class: "actions",
		Sentence: "{node} {what}", Lane: "{what}",
		Cause: "by the application; its node started in", Process: "action {what} at {node}",
	}},
	FireTimer: {name: "timer", presentation: Presentation{
		Weight: "timer", Class: "timers", Method: "Timer",
		Sentence: "{node} timer {what}", Lane: "timer {what}",
		Cause: "the timer was set in", Process: "timer {what} at {node}",
	}},
	DeliverError: {name: "error", presentation: Presentation{
		Weight: "consequence", Class: "errors", Method: "PeerError",
		Sentence: "{node} gets error with {peer} {what}", Lane: "error with {peer} {what}",
		Cause: "the connection broke in", Process: "errors about {peer} at {node}",
	}},
	DeliverReady: {name: "ready", presentation: Presentation{
		Weight: "consequence", Class: "errors", Method: "PeerReady",
		Sentence: "{node} can send to {peer} again", Lane: "ready for {peer}",
		Cause: "a message was refused in", Process: "room to {peer} at {node}",
	}},
	Deliver: {name: "deliver", message: true, consumes: true, presentation: Presentation{
		Weight: "message", Class: "messages", Method: "Receive",
		Sentence: "{node} receives {what} from {peer}", Lane: "{what} from {peer}",
		Cause: "was sent by {peer} in", Process: "messages {peer} -> {node}",
	}},
	TakeQuorum: {name: "quorum", presentation: Presentation{
		Weight: "message", Class: "messages",
		Sentence: "{node} receives {what}", Lane: "{what}",
		Cause: "the last of its messages was sent in", Process: "quorum {what} at {node}",
	}},
	Internal: {name: "internal", presentation: Presentation{
		Weight: "consequence", Class: "actions", Method: "Step",
		Sentence: "{node} internal step", Lane: "internal step",
		Cause: "is what was left to do after", Process: "steps of {node}",
	}},
	Arrive: {name: "arrive", network: true, presentation: Presentation{
		Weight: "consequence", Class: "messages",
		Sentence: "{what} of {node} arrives at {peer}", Lane: "{what} arrives at {peer}",
		Cause: "was sent in", Process: "sends of {node}",
	}},
	Heal: {name: "heal", network: true, presentation: Presentation{
		Weight: "consequence", Class: "faults",
		Sentence: "network heals {what}", Lane: "heal {what}",
		Link: "link {node}-{peer} heals", Cause: "the partition began in", Process: "end of the partition",
	}},
	Crash: {name: "crash", down: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults",
		Sentence: "{node} crashes", Lane: "CRASH",
	}},
	Halt: {name: "halt", down: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults",
		Sentence: "{node} halts forever", Lane: "HALT",
	}},
	Lose: {name: "lose", message: true, consumes: true, network: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults", Struck: "lost",
		Sentence: "network loses {what} {peer}->{node}", Lane: "LOSS of {what} from {peer}",
		Cause: "was sent by {peer} in",
	}},
	Duplicate: {name: "duplicate", message: true, network: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults", Struck: "duplicated",
		Sentence: "network duplicates {what} {peer}->{node}", Lane: "duplicate of {what} from {peer}",
		Cause: "was sent by {peer} in",
	}},
	Break: {name: "break", network: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults",
		Sentence: "connection {node}-{peer} breaks", Lane: "connection with {peer} breaks",
		Link: "connection {node}-{peer} breaks",
	}},
	Partition: {name: "partition", network: true, fault: true, presentation: Presentation{
		Weight: "fault", Class: "faults",
		Sentence: "network cuts {what}", Lane: "CUT OFF {what}",
		Link: "link {node}-{peer} is cut",
	}},
}

// Sets of kinds, as bits, because engines test the kind of every step.
var (
	injections = kindsOf(func(k Kind) bool { return kinds[k].fault })
	ofNetwork  = kindsOf(func(k Kind) bool { return kinds[k].network })
	takesDown  = kindsOf(func(k Kind) bool { return kinds[k].down })
	ofMessage  = kindsOf(func(k Kind) bool { return kinds[k].message })
	consuming  = kindsOf(func(k Kind) bool { return kinds[k].consumes })
)

type kindSet uint64

func kindsOf(in func(Kind) bool) (s kindSet) {
	for k := range Count {
		if in(k) {
			s |= 1 << k
		}
	}
	return s
}

func (s kindSet) has(k Kind) bool { return s>>(k&63)&1 == 1 }

// Injection reports whether events of kind k inject a fault. All others, the consequences of faults
// included, belong to the recovery relation.
func (k Kind) Injection() bool { return injections.has(k) }

// OfNetwork reports whether events of kind k change the network, and no node.
func (k Kind) OfNetwork() bool { return ofNetwork.has(k) }

// OfProgram reports whether an event of kind k is a fault that strikes the program of its node, see package bubble.
func (k Kind) OfProgram() bool { return k >= Strike }

// NewStrike makes the kind of a fault that strikes the program of its node. name is its word in path files, and what the
// text after the name of the node in traces. Only the table of faults in package sim calls it, while it is initialized.
func NewStrike(name, what string) Kind {
	k := Strike
	for kinds[k].name != "" {
		k++
	}
	kinds[k].name, kinds[k].fault = name, true
	kinds[k].presentation = Presentation{Weight: "fault", Class: "faults", Method: "Strike",
		Sentence: Template("{node} " + what), Lane: Template(strings.ToUpper(what))}
	injections |= 1 << k
	return k
}

// OfMessage reports whether an event of kind k delivers or strikes a single message in flight from its peer to its node.
func (k Kind) OfMessage() bool { return ofMessage.has(k) }

// Consumed returns the number of messages that an event of kind k takes out of the network: 1 or 0. It is 0 for TakeQuorum, too.
func (k Kind) Consumed() int32 { return int32(consuming >> (k & 63) & 1) }

// TakesDown reports whether an event of kind k takes its node down.
func (k Kind) TakesDown() bool { return takesDown.has(k) }

// String returns the word for k in path files.
func (k Kind) String() string { return kinds[k].name }

// Presentation returns the texts and classes of the kind, for packages that execute systems and show runs.
func (k Kind) Presentation() *Presentation { return &kinds[k].presentation }

// All yields all kinds.
func All() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for k := Kind(0); k < Count && kinds[k].name != "" && yield(k); k++ {
		}
	}
}

// Parse is the inverse of String.
func Parse(s string) (Kind, bool) {
	for k := range All() {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}
