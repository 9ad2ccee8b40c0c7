package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Commit is how far the search has come. It is a value: what its slices hold is not changed.
type Commit struct {
	Rev    int // how often it was changed
	K      int // the superstep that is next
	Epoch  int // the attempt
	Level  int // how many levels are expanded
	Leader sim.NodeID
	Incs   []int        // by member: the incarnation that takes part; 0: none
	Owner  []sim.NodeID // by part, as what follows; 0: nobody
	Next   []int        // how many states are expanded, and what follows from them is in the logs
	Until  []int        // how many there are up to the end of the level
	Len    []int        // how many there are
	Edges  []int        // how many lead from those that are expanded
	End    Outcome
	Why    string // it is halted
}

// NewCommit is that of a search which has not begun, when the first states are in the logs.
func NewCommit(members int, lens []int) Commit {
	none := make([]int, len(lens))
	c := Commit{Incs: make([]int, members), Owner: make([]sim.NodeID, len(lens)), Next: none, Until: lens, Len: lens, Edges: none}
	return c.clone() // messages share nothing
}

func (c *Commit) clone() Commit {
	d := *c
	d.Incs, d.Owner, d.Edges = slices.Clone(c.Incs), slices.Clone(c.Owner), slices.Clone(c.Edges)
	d.Next, d.Until, d.Len = slices.Clone(c.Next), slices.Clone(c.Until), slices.Clone(c.Len)
	return d
}

func (c *Commit) equal(d *Commit) bool {
	return c.Rev == d.Rev && c.at() == d.at() && c.Level == d.Level && c.Leader == d.Leader && c.End == d.End && c.Why == d.Why &&
		slices.Equal(c.Incs, d.Incs) && slices.Equal(c.Owner, d.Owner) && slices.Equal(c.Edges, d.Edges) &&
		slices.Equal(c.Next, d.Next) && slices.Equal(c.Until, d.Until) && slices.Equal(c.Len, d.Len)
}

// Outcome is what a search has come to.
type Outcome uint8

const (
	Running  Outcome = iota
	Complete         // all states were found
	Damaged          // a log has lost what was in it
	Halted           // it was to end before
)

func (o Outcome) String() string { return [...]string{"running", "complete", "damaged", "halted"}[o] }

// Between members and the store.
type (
	// Claim asks for the lease, or to have it for longer.
	Claim struct{}
	// Release gives the lease back.
	Release struct{}
	// Granted is the answer to Claim, unless another has it.
	Granted struct {
		Commit Commit
		Lens   []int // of the logs
	}
	// Swap asks for another commit in place of that before it.
	Swap struct{ Commit Commit }
	// Swapped is the answer: the commit that there is.
	Swapped struct {
		Commit Commit
		Lens   []int // of the logs
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
	// Hello is the heartbeat. Leaves: what the member has is to be given to others.
	Hello struct {
		Inc    int
		Leaves bool
	}
	// Go begins a superstep.
	Go struct{ Commit Commit }
	// Batch is the Seq'th that goes to a member in a superstep.
	Batch struct {
		K, Epoch, Seq int
		Content       any
	}
	// Ended says how many batches there were.
	Ended struct{ K, Epoch, Batches int }
	// Done says how far the sender's parts are.
	Done struct {
		K, Epoch, Inc int
		Next, Len     []int  // by part, of those that the sender has
		Edges         []int  // since the commit
		Halt          string // why the search is to end; "": it is not
	}
	// Lost says that something that was sent does not come.
	Lost struct{ K, Epoch int }
	// Halt tells the leader that the search is to end, and why.
	Halt struct{ Why string }
)

// Timers.
type (
	beat    struct{} // of members: to say hello, and again what was not answered
	gap     struct{} // of members: something is missing
	silence struct{} // of leaders: somebody was not heard
	lease   struct{} // of the store: it runs out
)
