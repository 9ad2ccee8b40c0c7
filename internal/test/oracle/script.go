// Package oracle says of small systems what is true of them, by means of its own: systems are data, a [Script], which
// the oracle interprets by rules written down once more from the documentation of packages sim and netsim. It keeps whole
// states in a map, goes through them from a list, and follows recovery backwards over stored transitions; it shares no
// code with the engines, the tables or the search. The same data makes a [sim.System], and [Compare] runs every strategy
// and engine on that and says where they differ from the oracle.
package oracle

import (
	"encoding/json"

	"github.com/macemc/macemc/sim"
)

// Phases is the number of phases that a node's service can be in; its register has as many values.
const Phases = 3

// Actions is the number of actions of every system.
const Actions = 2

// Class is a class of events that a program distinguishes.
type Class int

// The classes of events.
const (
	OnBoot Class = iota
	OnTimer
	OnReceive
	OnError
	OnReady
	OnStep
	OnAction // the first action; the others follow
	Classes  = OnAction + Actions
)

// Opcode says what an instruction does.
type Opcode string

// The instructions. Phase and register are those of the node, and the argument is that of the event: the message, the
// timer, 1 for a refused connection, else 0. A peer is a node modulo the number of nodes, or the peer of the event
// when negative. Values are taken modulo [Phases].
const (
	Send      Opcode = "send"      // a datagram to peer A: B, the phase when B is 3, the argument when it is 4
	Stream    Opcode = "stream"    // likewise, by a stream; when that is full, the register becomes B
	Room      Opcode = "room"      // the register becomes the room in the stream to A, at most 2
	Close     Opcode = "close"     // closes the stream to A
	Arm       Opcode = "arm"       // sets timer A to B seconds
	Disarm    Opcode = "disarm"    // stops timer A
	Choose    Opcode = "choose"    // advances the phase by one of A alternatives
	Weighted  Opcode = "weighted"  // likewise, by the alternatives of Weights
	Draw      Opcode = "draw"      // the register becomes one of A random numbers
	Shuffle   Opcode = "shuffle"   // the register becomes the first of a permutation of A numbers
	Put       Opcode = "put"       // writes the phase under key A
	Delete    Opcode = "delete"    // deletes key A
	Sync      Opcode = "sync"      // syncs the disk
	Get       Opcode = "get"       // the phase becomes the value under key A, if there is one
	Keys      Opcode = "keys"      // the register becomes the number of keys
	Announce  Opcode = "announce"  // announces A
	Assert    Opcode = "assert"    // fails when phase and register are A and B
	Panic     Opcode = "panic"     // panics when phase and register are A and B
	Spin      Opcode = "spin"      // asks without end when phase and register are A and B
	SetPhase  Opcode = "phase"     // the phase becomes A
	SetReg    Opcode = "reg"       // the register becomes A
	Learn     Opcode = "learn"     // the phase becomes the argument
	Remember  Opcode = "remember"  // the register becomes the argument
	IfPhase   Opcode = "if-phase"  // ends the handler unless the phase is A
	IfReg     Opcode = "if-reg"    // ends the handler unless the register is A
	IfEvent   Opcode = "if-event"  // ends the handler unless the argument is A
	Tick      Opcode = "tick"      // advances the monotone counter, and the register becomes its reading
	Read      Opcode = "read"      // reads the clock into time A of two
	CopyTime  Opcode = "copy-time" // time A becomes the other one
	IfEarlier Opcode = "if-before" // ends the handler unless time A is before the other one; Weights may be two
)

// Op is an instruction.
type Op struct {
	Do      Opcode
	A, B    int   `json:",omitempty"`
	Weights []int `json:",omitempty"`
}

// Queue is a kind of network that is made of queues.
type Queue int

// Networks made of queues. They say which messages of a node's queue can be delivered.
const (
	NoQueue   Queue = iota // there is none
	PerSender              // the oldest of each sender
	ByArrival              // the oldest; what a handler sends arrives message by message
	Unordered              // all
)

// Program is what the service of a node does, by class of event and phase.
type Program [Classes][Phases][]Op

// Action is an application action.
type Action struct {
	Times  int  // 0: no limit
	Phases uint // bit p: it can be done in phase p; 0: it has no When
	Nodes  uint // bit i: node i has it; 0: it has no At

	Disturbs bool // it is no part of recovery
}

// Disturbance is events that are no part of recovery.
type Disturbance struct {
	Kind sim.EventKind
	Of   Type `json:",omitempty"` // "": whatever they hand over
}

// Type is the type of a timer or a message.
type Type string

// The types.
const (
	Alarm Type = "alarm"
	Bell  Type = "bell" // of the timers in Script.Bells
	Word  Type = "word"
	Note  Type = "note" // of the values in Script.Notes, if they are no votes
	Vote  Type = "vote" // of the values in Script.Votes
)

// PropKind is what a property says.
type PropKind string

// What properties say.
const (
	PhaseIn   PropKind = "phase-in"   // each node is in a phase of the set A
	NotBoth   PropKind = "not-both"   // no node has phase A and register B
	Apart     PropKind = "apart"      // nodes A and C are not both in phase B
	FewerThan PropKind = "fewer-than" // less than A messages are in flight
	ArmedOr   PropKind = "armed-or"   // each node has armed timer A or is in phase B
	Unarmed   PropKind = "unarmed"    // node A has not armed timer B, or is not in phase C
	IsUp      PropKind = "is-up"      // node A is up
	IsIn      PropKind = "is-in"      // node A is up and in phase B
	UpElse    PropKind = "up-else"    // node A is up or has halted
	InElse    PropKind = "in-else"    // node A is up and in phase B, or has halted
)

// Prop is a property.
type Prop struct {
	Kind    PropKind
	A, B, C int `json:",omitempty"`
}

// MonitorKind is what a monitor minds.
type MonitorKind string

// What monitors mind.
const (
	Counts MonitorKind = "counts" // the Limit-th announcement of A
	Turns  MonitorKind = "turns"  // A, announced by the node that announced last
	Sums   MonitorKind = "sums"   // A, when the sum of what was announced before, modulo three, is Limit
)

// Monitor is a monitor.
type Monitor struct {
	Kind     MonitorKind
	A, Limit int
}

// Script describes a system.
type Script struct {
	Number     uint64 // that [Drawn] made it of
	Nodes      int
	Timing     sim.Timing
	Crashes    int           `json:",omitempty"`
	Sturdy     uint          `json:",omitempty"` // bit i: node i may not crash
	Halts      int           `json:",omitempty"`
	Lasting    uint          `json:",omitempty"` // bit i: node i may not halt; 0: Sturdy says so
	Cut        sim.CrashCut  `json:",omitempty"`
	Mates      uint          `json:",omitempty"` // bit i: node i is one of those that run in one process; none or several, all or none of which may crash, and halt
	Late       uint          `json:",omitempty"` // bit i: node i is late
	Steps      uint          `json:",omitempty"` // bit p: in phase p nodes take steps of their own
	Datagrams  bool          `json:",omitempty"`
	Streams    bool          `json:",omitempty"`
	Queue      Queue         `json:",omitempty"` // there are neither datagrams nor streams then, nor faults of networks
	Bound      int           `json:",omitempty"` // of queues; 0: none
	MostWords  int           `json:",omitempty"` // of words that wait in the queue of a node; 0: no bound
	MostNotes  int           `json:",omitempty"` // likewise
	Buffer     int           `json:",omitempty"` // at least 1 when there are streams
	Loss       int           `json:",omitempty"`
	Dup        int           `json:",omitempty"`
	Errors     int           `json:",omitempty"`
	Partitions int           `json:",omitempty"`
	Deaf       bool          `json:",omitempty"` // services have no handlers for errors and ready call-backs; not with Steps
	Pointers   bool          `json:",omitempty"` // messages are pointers
	Uncopyable bool          `json:",omitempty"` // states of services and monitors have no rule for copying
	Quorums    []Quorum      `json:",omitempty"` // only with datagrams, without streams and Prompt timing
	Votes      uint          `json:",omitempty"` // bit v: messages of value v are what quorums take
	Bells      uint          `json:",omitempty"` // bit t: timer t is a bell
	Notes      uint          `json:",omitempty"` // bit v: messages of value v are notes
	Disturbing []Disturbance `json:",omitempty"`
	Actions    [Actions]Action
	Programs   []Program // node i has number i modulo their number
	Monitors   []Monitor `json:",omitempty"`
	Always     []Prop    `json:",omitempty"`
	Eventually []Prop    `json:",omitempty"`
	Sometimes  []Prop    `json:",omitempty"`
}

// String is the script as JSON.
func (s *Script) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error() // cannot be: there is nothing in it that JSON lacks
	}
	return string(text)
}

func (s *Script) clone() *Script {
	var c Script
	if err := json.Unmarshal([]byte(s.String()), &c); err != nil {
		panic(err)
	}
	return &c
}

func has(set uint, i int) bool { return set>>i&1 == 1 }
