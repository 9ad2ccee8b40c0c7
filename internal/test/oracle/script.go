package oracle

import (
	"encoding/json"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// Phases is the number of phases of a node's service, and of values of its register.
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

// Opcode identifies an instruction.
type Opcode string

// The instructions. Phase and register are those of the node. The argument is that of the event: the message, the
// timer, 1 for a refused connection, else 0. A peer is a node modulo the number of nodes, or, if negative, the peer
// of the event. Values are modulo [Phases].
const (
	Send      Opcode = "send"      // sends a datagram to peer A: B, or the phase if B is 3, or the argument if it is 4
	Stream    Opcode = "stream"    // likewise, by a stream; if that is full, the register becomes B
	Room      Opcode = "room"      // the register becomes the room in the stream to A, at most 2
	Close     Opcode = "close"     // closes the stream to A
	Arm       Opcode = "arm"       // sets timer A to B seconds
	Disarm    Opcode = "disarm"    // stops timer A
	Choose    Opcode = "choose"    // advances the phase by one of A alternatives
	Weighted  Opcode = "weighted"  // likewise, with Weights
	Draw      Opcode = "draw"      // the register becomes one of A random numbers
	Shuffle   Opcode = "shuffle"   // the register becomes the first of a permutation of A numbers
	Put       Opcode = "put"       // writes the phase under key A
	Delete    Opcode = "delete"    // deletes key A
	Sync      Opcode = "sync"      // syncs the disk
	Get       Opcode = "get"       // the phase becomes the value under key A, if there is one
	Keys      Opcode = "keys"      // the register becomes the number of keys
	Announce  Opcode = "announce"  // announces A
	Assert    Opcode = "assert"    // fails if phase and register are A and B
	Panic     Opcode = "panic"     // panics if phase and register are A and B
	Spin      Opcode = "spin"      // makes choices forever if phase and register are A and B
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

// Queue is a kind of network made of queues.
type Queue int

// Networks made of queues. They differ in which messages of a node's queue can be delivered.
const (
	NoQueue   Queue = iota // none
	PerSender              // the oldest of each sender
	ByArrival              // the oldest; messages of a handler arrive one by one
	Unordered              // all
)

// Program is the code of a node's service, by class of event and phase.
type Program [Classes][Phases][]Op

// Action is an application action.
type Action struct {
	Times  int  // 0 means no limit
	Phases uint // bit p: enabled in phase p; 0: it has no When
	Nodes  uint // bit i: node i has it; 0: it has no At

	Disturbs bool // excluded from recovery
}

// Disturbance excludes events from recovery.
type Disturbance struct {
	Kind eventkind.Kind
	Of   Type `json:",omitempty"` // "" means any value
}

// Type is the type of a timer or a message.
type Type string

// The types.
const (
	Alarm Type = "alarm"
	Bell  Type = "bell" // for the timers in Script.Bells
	Word  Type = "word"
	Note  Type = "note" // for the values in Script.Notes, unless they are votes
	Vote  Type = "vote" // for the values in Script.Votes
)

// PropKind is the kind of a property.
type PropKind string

// Kinds of properties.
const (
	PhaseIn   PropKind = "phase-in"   // each node is in a phase of the set A
	NotBoth   PropKind = "not-both"   // no node has phase A and register B
	Apart     PropKind = "apart"      // nodes A and C are not both in phase B
	FewerThan PropKind = "fewer-than" // fewer than A messages are in flight
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

// MonitorKind is the kind of a monitor.
type MonitorKind string

// Kinds of monitors, by what violates them.
const (
	Counts MonitorKind = "counts" // the Limit-th announcement of A
	Turns  MonitorKind = "turns"  // A, announced by the node of the last announcement
	Sums   MonitorKind = "sums"   // A, if the sum of the earlier announcements is Limit modulo three
)

// Monitor is a monitor.
type Monitor struct {
	Kind     MonitorKind
	A, Limit int
}

// Script describes a system. It has a field for each construct of systems, and its JSON is a test case.
type Script struct {
	Number uint64 // the number from which [Drawn] made it
	Nodes  int
	Timing sim.Timing
	Limits
	Sturdy  uint         `json:",omitempty"` // bit i: node i may not crash
	Lasting uint         `json:",omitempty"` // bit i: node i may not halt; 0: as in Sturdy
	Cut     sim.CrashCut `json:",omitempty"`
	// Bit i: node i runs in the shared process; none or several; all or none of them may crash, and halt
	Mates      uint          `json:",omitempty"`
	Late       uint          `json:",omitempty"` // bit i: node i starts late
	Steps      uint          `json:",omitempty"` // bit p: nodes take internal steps in phase p
	Datagrams  bool          `json:",omitempty"`
	Streams    bool          `json:",omitempty"`
	Queue      Queue         `json:",omitempty"` // excludes datagrams, streams, and faults of networks
	Bound      int           `json:",omitempty"` // of queues; 0 for none
	MostWords  int           `json:",omitempty"` // maximum number of words in a node's queue; 0 for none
	MostNotes  int           `json:",omitempty"` // likewise for notes
	Buffer     int           `json:",omitempty"` // at least 1 with streams
	Deaf       bool          `json:",omitempty"` // services have no handlers for errors and ready callbacks; not with Steps
	Pointers   bool          `json:",omitempty"` // messages are pointers
	Uncopyable bool          `json:",omitempty"` // states of services and monitors cannot be copied
	Quorums    []Quorum      `json:",omitempty"` // only with datagrams, without streams and Prompt timing
	Votes      uint          `json:",omitempty"` // bit v: messages of value v are votes
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

// Limits are the maximum numbers of faults, or those that are left.
type Limits struct {
	Crashes    int `json:",omitempty"`
	Halts      int `json:",omitempty"`
	Loss       int `json:",omitempty"`
	Dup        int `json:",omitempty"`
	Errors     int `json:",omitempty"`
	Partitions int `json:",omitempty"`
}

// String returns the script as JSON.
func (s *Script) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error() // impossible: everything in it has a JSON form
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
