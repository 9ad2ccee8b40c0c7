package predict

// Op is an operation before which another goroutine may run. The changed runtime has the same numbers. Rows of testChanges
// (internal/overlay/tests.go), and of changes.go for channels and mutexes, insert the calls with these. Their words in traces are in
// internal/testsched/program/operation.go.
type Op uint8

const (
	Go Op = iota
	Send
	Receive
	Close
	Select
	Lock
	RLock
	Unlock
	TryLock
	WaitGroup
	Cond
	Once
	Map
	Pool
	Atomic
	Read
	Write
	Gosched
	Clock
	Timer
	Len
	TrySend    // only in traces
	TryReceive // only in traces
	End        // of a goroutine, see macemcExits
)

// Method distinguishes methods whose operations have one number.
type Method uint8

const (
	Other   Method = iota
	Waits          // Wait of a WaitGroup or Cond
	Loads          // it changes nothing
	Swaps          // CompareAndSwap
	Reduces        // Done, or Add with a negative number
	Stream         // the object is a direction of a connection
	Expires        // of Timer: it will close the object, a channel, when it is Due
)

// Flags of an event.
type Flags uint8

const (
	Tries      Flags = 1 << iota // the operation does not wait
	Succeeded                    // an operation that may fail has succeeded
	Case                         // the operation is a case of the goroutine's last event, which is a select
	Ready                        // of a case: it was ready
	Reads                        // TryLock: of a read lock
	NoPoint                      // no goroutine can be held before the operation itself
	Unbuffered                   // a send operation on a channel without a buffer
)

// Event is an operation in the record of a run. It has 64 bytes. The changed runtime records events.
type Event struct {
	Who     uint64 // goroutine
	Object  uint64 // address; 0 means none
	Place   uint64 // return address in the innermost function outside the distribution; 0 means unknown
	Context uint64 // hash of the return addresses up to two calls beyond Place
	Time    int64  // virtual time, in nanoseconds
	Due     int64  // Timer, or a case with the channel of a timer: when it would fire; 0 means that it is not set
	Waker   uint32 // number of the event, from 1 on, with which another goroutine has woken this one since its last event; 0 means none
	Op      Op
	Method  Method
	Flags   Flags
	_       [9]byte
}

// MaxEvents is the maximum length of a record.
const MaxEvents = 1 << 15

// Hold makes a goroutine pause before an operation.
type Hold struct {
	Who     uint64 // 0 means any goroutine
	Context uint64
	Op      uint32
	Nth     uint32 // which of the goroutine's operations Op with this Context, from 1 on; 0 means each
	Mode    HoldMode
	Order   uint32 // of goroutines that pause at once, those of lower orders continue first
	Seen    uint32 // how often the operation has occurred in the run
}

// HoldMode is a set of conditions of a hold.
type HoldMode uint32

const (
	Locked HoldMode = 1 << iota // only if the goroutine holds a lock
	Keep                        // the base's order continues after the pause; otherwise the default order follows
)

// MaxHolds is the maximum number of holds of a schedule.
const MaxHolds = 64
