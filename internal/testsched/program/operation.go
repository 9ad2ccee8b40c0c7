package program

import (
	"slices"
	"strings"
)

// Op is an operation with a scheduling point before it, with the runtime's numbers.
type Op uint64

const (
	OpGo Op = iota
	OpSend
	OpReceive
	OpClose
	OpSelect
	OpLock
	OpRLock
	OpUnlock
	OpTryLock
	OpWaitGroup
	OpCond
	OpOnce
	OpMap
	OpPool
	OpAtomic
	OpRead
	OpWrite
	OpGosched
	OpClock
	OpTimer
	OpLen
	OpTrySend
	OpTryReceive
	OpEnd
	// Operations that methods of an RWMutex execute on its Mutex. The runtime has no numbers for these.
	OpInnerLock
	OpInnerTryLock
	OpInnerUnlock
	OpOther
)

// opWords holds the verbs and nouns of operations, by number.
var opWords = [...]struct{ verb, noun string }{
	{"starts a goroutine", "go"}, {"sends", "send"}, {"receives", "receive"}, {"closes", "close"}, {"selects", "select"}, {"locks", "lock"},
	{"read-locks", "read-lock"}, {"unlocks", "unlock"}, {"tries to lock", "try to lock"}, {"uses WaitGroup", "WaitGroup"},
	{"uses Cond", "Cond"},
	{"uses Once", "Once"}, {"uses sync.Map", "sync.Map"}, {"uses sync.Pool", "sync.Pool"}, {"accesses atomic", "atomic operation"},
	{"reads", "read"}, {"writes", "write"}, {"yields", "yield"}, {"reads the clock", "read of the clock"},
	{"stops or resets timer", "timer"}, {"reads length", "len"}, {"tries to send", "send"}, {"tries to receive", "receive"}, {"ends", "end"},
	{"completes the lock", "lock"}, {"completes the attempt to lock", "lock"}, {"completes the unlock", "unlock"}, // see On
	{"executes an operation", "operation"}, // any other
}

// String describes the operation in the third person. The text does not depend on its success.
func (o Op) String() string { return opWords[min(o, OpOther)].verb }

// Tries reports whether the operation is one on a channel that does not wait: a select with one case and a default case.
func (o Op) Tries() bool { return o == OpTrySend || o == OpTryReceive }

// On describes the operation on an object.
func (o Op) On(object string) string {
	text := o.String()
	switch {
	case object == "":
		return text
	case o == OpSend || o == OpTrySend:
		text += " to"
	case o == OpReceive || o == OpTryReceive:
		text += " from"
	case o == OpLen, o == OpInnerLock, o == OpInnerUnlock:
		text += " of"
	}
	return text + " " + object
}

// By describes the operation on an object, which a method executes: its name with arguments as in the source. An empty text means an
// unknown method. A name with a package is the function that uses an atomic variable.
func (o Op) By(call, object string) string {
	method, _, _ := strings.Cut(call, "(")
	switch text := o.On(object); {
	case method == "":
		return text
	case o == OpAtomic && strings.Contains(method, "."): // a function that uses it
		return strings.TrimSuffix("uses atomic "+object, " ") + " in " + call
	case o == OpTimer && method == "Stop":
		return strings.Replace(text, "stops or resets", "stops", 1)
	case o == OpTimer:
		return strings.Replace(text, "stops or resets", "resets", 1)
	case o == OpUnlock && method == "RUnlock":
		return "read-" + text
	case o == OpTryLock && method == "TryRLock":
		return strings.Replace(text, "lock", "read-lock", 1)
	case calls[o] != "":
		return strings.TrimSuffix("calls "+call+" of "+calls[o]+" "+object, " ")
	default:
		return text
	}
}

// calls are the types whose methods the texts of operations name.
var calls = map[Op]string{
	OpWaitGroup: "WaitGroup", OpCond: "Cond", OpOnce: "Once", OpMap: "sync.Map", OpPool: "sync.Pool", OpAtomic: "atomic",
}

// Marked returns a text of the user's code as it is marked in sentences.
func Marked(code string) string {
	if code == "" || strings.Contains(code, "`") {
		return code
	}
	return "`" + code + "`"
}

// Inner returns the operation of an RWMutex for one on its Mutex.
func (o Op) Inner() Op {
	if i := slices.Index([]Op{OpLock, OpTryLock, OpUnlock}, o); i >= 0 {
		return OpInnerLock + Op(i)
	}
	return o
}

// Starts reports whether the operation is a go statement. Its event comes after the start of the goroutine and before that goroutine's
// events.
func (o Op) Starts() bool { return o == OpGo }

// Locks reports whether the operation waits until a lock is free.
func (o Op) Locks() bool { return o == OpLock || o == OpRLock || o == OpInnerLock }

// Noun names the operation: "send".
func (o Op) Noun() string { return opWords[min(o, OpOther)].noun }
