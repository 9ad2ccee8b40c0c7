package sim

// EventKind says what an event does.
type EventKind uint8

const (
	Boot         EventKind = iota // a node that is down starts
	DoAction                      // an application action
	FireTimer                     // a timer fires
	DeliverError                  // a connection error is handed to a node
	DeliverReady                  // a node hears that there is room in a send buffer again
	Deliver                       // a message is handed to a node
	TakeQuorum                    // a node takes a set of messages, see [Quorum]
	Internal                      // a node takes a step of its own, see Stepper of package host
	Arrive                        // a message leaves its sender and arrives in a queue, see [Queued]
	Heal                          // a partition ends

	// Events of these kinds inject faults.

	Crash     // a node loses all but its disk
	Halt      // a node crashes and never comes back
	Lose      // a datagram is lost
	Duplicate // a datagram is duplicated
	Break     // a connection breaks: both ends will be told, what is queued is lost
	Partition // a set of links goes down

	kindCount = iota
)

// eventKinds describes each kind of event.
var eventKinds = [kindCount]struct {
	name    string // in path files
	network bool   // it changes the network, and no node
	fault   bool   // it injects the fault
	of      Fault
}{
	Boot:         {name: "boot"},
	DoAction:     {name: "action"},
	FireTimer:    {name: "timer"},
	DeliverError: {name: "error"},
	DeliverReady: {name: "ready"},
	Deliver:      {name: "deliver"},
	TakeQuorum:   {name: "quorum"},
	Internal:     {name: "internal"},
	Arrive:       {name: "arrive", network: true},
	Heal:         {name: "heal", network: true},
	Crash:        {name: "crash", fault: true, of: Crashes},
	Halt:         {name: "halt", fault: true, of: Halts},
	Lose:         {name: "lose", network: true, fault: true, of: Loss},
	Duplicate:    {name: "duplicate", network: true, fault: true, of: Dup},
	Break:        {name: "break", network: true, fault: true, of: NetErrors},
	Partition:    {name: "partition", network: true, fault: true, of: Partitions},
}

// Injection reports whether events of kind k inject a fault. All others, the consequences of faults
// included, belong to the recovery relation.
func (k EventKind) Injection() bool { return eventKinds[k].fault }

// Fault returns the fault that events of kind k inject; ok is false if they inject none.
func (k EventKind) Fault() (f Fault, ok bool) { return eventKinds[k].of, eventKinds[k].fault }

// OfNetwork reports whether events of kind k change the network, and no node.
func (k EventKind) OfNetwork() bool { return eventKinds[k].network }

// TakesDown reports whether an event of kind k takes its node down.
func (k EventKind) TakesDown() bool { return k == Crash || k == Halt }

// String returns the word for k in path files.
func (k EventKind) String() string { return eventKinds[k].name }

// ParseEventKind is the inverse of String.
func ParseEventKind(s string) (EventKind, bool) {
	for k := range EventKind(kindCount) {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// Event is one thing that can happen next in a state. It is meaningful only in the world that listed
// it and until that world's next step; a path file names it by its stable key.
type Event struct {
	Kind EventKind
	Node NodeID // the node on which a handler runs, or that is acted on
	Peer NodeID // the other end: sender of a message, end of a connection; -1 when there is none
	Slot int32  // which action, timer, datagram, set of datagrams or partition; private to the world
	Msgs int32  // how many messages it consumes
}
