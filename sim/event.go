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

	// The kinds from here on inject faults.
	Crash     // a node loses all but its disk
	Halt      // a node crashes and never comes back
	Lose      // a datagram is lost
	Duplicate // a datagram is duplicated
	Break     // a connection breaks: both ends will be told, what is queued is lost
	Partition // a set of links goes down
)

// Injection reports whether events of kind k inject a fault. All others, the consequences of faults
// included, belong to the recovery relation.
func (k EventKind) Injection() bool { return k >= Crash }

// TakesDown reports whether an event of kind k takes its node down.
func (k EventKind) TakesDown() bool { return k == Crash || k == Halt }

var eventKindNames = [...]string{
	"boot", "action", "timer", "error", "ready", "deliver", "quorum", "internal", "arrive", "heal",
	"crash", "halt", "lose", "duplicate", "break", "partition",
}

// String is the word that stands for k in path files.
func (k EventKind) String() string { return eventKindNames[k] }

// Event is one thing that can happen next in a state. It is meaningful only in the world that listed
// it and until that world's next step; a path file names it by its stable key.
type Event struct {
	Kind EventKind
	Node NodeID // the node on which a handler runs, or that is acted on
	Peer NodeID // the other end: sender of a message, end of a connection; -1 when there is none
	Slot int32  // which action, timer, datagram, set of datagrams or partition; private to the world
	Msgs int32  // how many messages it consumes
}
