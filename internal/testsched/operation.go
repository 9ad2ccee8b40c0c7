package testsched

import "slices"

// Op is an operation with a scheduling point before it, with the runtime's numbers.
type Op uint64

const (
	opGo Op = iota
	opSend
	opReceive
	opClose
	opSelect
	opLock
	opRLock
	opUnlock
	opTryLock
	opWaitGroup
	opCond
	opOnce
	opMap
	opPool
	opAtomic
	opRead
	opWrite
	opGosched
	opClock
	opTimer
	opLen
	opTrySend
	opTryReceive
	// Operations that methods of an RWMutex execute on its Mutex. The runtime has no numbers for these.
	opInnerLock
	opInnerTryLock
	opInnerUnlock
	opOther
)

// opWords holds the verbs and nouns of operations, by number.
var opWords = [...]struct{ verb, noun string }{
	{"starts a goroutine", "go"}, {"sends", "send"}, {"receives", "receive"}, {"closes", "close"}, {"selects", "select"}, {"locks", "lock"},
	{"read-locks", "read-lock"}, {"unlocks", "unlock"}, {"tries to lock", "try to lock"}, {"uses WaitGroup", "WaitGroup"}, {"uses Cond", "Cond"},
	{"uses Once", "Once"}, {"uses sync.Map", "sync.Map"}, {"uses sync.Pool", "sync.Pool"}, {"accesses atomic", "atomic operation"},
	{"reads", "read"}, {"writes", "write"}, {"yields", "yield"}, {"reads the clock", "read of the clock"},
	{"stops or resets timer", "timer"}, {"reads length", "len"}, {"tries to send", "send"}, {"tries to receive", "receive"},
	{"keeps other writers out", "lock"}, {"tries to keep other writers out", "lock"}, {"lets other writers in", "unlock"},
	{"executes an operation", "operation"}, // any other
}

// String describes the operation in the third person. The text does not depend on its success.
func (o Op) String() string { return opWords[min(o, opOther)].verb }

// Tries reports whether the operation is one on a channel that does not wait: a select with one case and a default case.
func (o Op) Tries() bool { return o == opTrySend || o == opTryReceive }

// on describes the operation on an object.
func (o Op) on(object string) string {
	text := o.String()
	switch {
	case object == "":
		return text
	case o == opSend || o == opTrySend:
		text += " to"
	case o == opReceive || o == opTryReceive:
		text += " from"
	case o == opLen || o == opInnerLock || o == opInnerTryLock:
		text += " of"
	case o == opInnerUnlock:
		text = "lets other writers into"
	}
	return text + " " + object
}

// Inner returns the operation of an RWMutex for one on its Mutex.
func (o Op) Inner() Op {
	if i := slices.Index([]Op{opLock, opTryLock, opUnlock}, o); i >= 0 {
		return opInnerLock + Op(i)
	}
	return o
}

// Starts reports whether the operation is a go statement. Its event comes after the start of the goroutine and before that goroutine's
// events.
func (o Op) Starts() bool { return o == opGo }

// Locks reports whether the operation waits until a lock is free.
func (o Op) Locks() bool { return o == opLock || o == opRLock || o == opInnerLock }

// Noun names the operation: "send".
func (o Op) Noun() string { return opWords[min(o, opOther)].noun }
