package superstep

import "github.com/macemc/macemc/sim"

// MaxMembers is the largest number of members.
const MaxMembers = 3

// Commit is how far the search has come.
type Commit struct {
	Rev    int // how often it was changed
	K      int // the superstep that is next
	Epoch  int // the attempt
	Leader sim.NodeID
	Incs   [MaxMembers]int   // the incarnations that take part, 0: none of that member
	Owner  [Parts]sim.NodeID // 0: nobody
	Next   [Parts]int        // how many states of a part are expanded, and what follows from them is in the logs
	Until  [Parts]int        // how many there are up to the end of the level
	Len    [Parts]int        // how many there are
	End    Outcome
}

// Outcome is what a search has come to.
type Outcome uint8

const (
	Running  Outcome = iota
	Complete         // all states were found
	Damaged          // a log has lost what was in it
)

func (o Outcome) String() string { return [...]string{"running", "complete", "damaged"}[o] }

// Between members and the store.
type (
	// Claim asks for the lease, or to have it for longer.
	Claim struct{}
	// Granted is the answer, unless another has it.
	Granted struct {
		Commit Commit
		Lens   [Parts]int // of the logs
	}
	// Swap asks for another commit in place of that before it.
	Swap struct{ Commit Commit }
	// Swapped is the answer: the commit that there is.
	Swapped struct {
		Commit Commit
		Lens   [Parts]int // of the logs
	}
	// Append adds states to a log, if it has At.
	Append struct {
		Part, At int
		States   []State
	}
	// Read asks for a log from a state on.
	Read struct{ Part, From int }
	// Log answers Append and Read: all that is in a log from a state on.
	Log struct {
		Part, From int
		States     []State
	}
)

// Between members.
type (
	// Hello is the heartbeat.
	Hello struct{ Inc int }
	// Go begins a superstep.
	Go struct{ Commit Commit }
	// Batch is the Seq'th that goes to a member in a superstep.
	Batch struct {
		K, Epoch, Seq int
		Define        []State // what the next numbers stand for
		Numbers       []int
	}
	// Ended says how many batches there were.
	Ended struct{ K, Epoch, Batches int }
	// Done says how far the sender's parts are.
	Done struct {
		K, Epoch, Inc int
		Next, Len     [Parts]int
	}
	// Lost says that something that was sent does not come.
	Lost struct{ K, Epoch int }
)

// Timers.
type (
	beat    struct{} // of members: to say hello, and again what was not answered
	gap     struct{} // of members: something is missing
	silence struct{} // of leaders: somebody was not heard
	lease   struct{} // of the store: it runs out
)
