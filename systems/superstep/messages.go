package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Commit is the progress of the search. It is a value: its slices are not changed.
type Commit struct {
	Rev    int // number of changes
	K      int // number of the next superstep
	Epoch  int // the attempt
	Level  int // number of expanded levels
	Leader sim.NodeID
	Incs   []int        // by member: the incarnation that takes part; 0 for none
	Owner  []sim.NodeID // by part, like the fields below; 0 for none
	Next   []int        // number of expanded states, with their successors in the logs
	Until  []int        // number of states up to the end of the level
	Len    []int        // number of states
	Edges  []int        // number of edges from expanded states
	End    Outcome
	Why    string // why it was halted
}

// NewCommit returns the initial commit, when the first states are in the logs.
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

// Outcome is the state or result of a search.
type Outcome uint8

const (
	Running  Outcome = iota
	Complete         // all states were found
	Damaged          // a log has lost entries
	Halted           // it was ended early
)

func (o Outcome) String() string { return [...]string{"running", "complete", "damaged", "halted"}[o] }

// Between members and the store.
type (
	// Claim asks for the lease, or to extend it.
	Claim struct{}
	// Release gives the lease back.
	Release struct{}
	// Granted is the answer to Claim, unless another member has the lease.
	Granted struct {
		Commit Commit
		Lens   []int // of the logs
	}
	// Swap asks to replace the previous commit by another one.
	Swap struct{ Commit Commit }
	// Swapped is the answer: the current commit.
	Swapped struct {
		Commit Commit
		Lens   []int // of the logs
	}
	// Append adds states to a log if its length is At.
	Append struct {
		Part, At int
		States   []State
	}
	// Read asks for a log from a state on.
	Read struct{ Part, From int }
	// Log is the answer to Append and Read: everything in a log from a state on.
	Log struct {
		Part, From int
		States     []State
	}
)

// Between members.
type (
	// Hello is the heartbeat. Leaves means that the member's parts must be given to others.
	Hello struct {
		Inc    int
		Leaves bool
	}
	// Go begins a superstep.
	Go struct{ Commit Commit }
	// Batch is the Seq'th batch for a member in a superstep.
	Batch struct {
		K, Epoch, Seq int
		Content       any
	}
	// Ended reports the number of batches.
	Ended struct{ K, Epoch, Batches int }
	// Done reports the progress of the sender's parts.
	Done struct {
		K, Epoch, Inc int
		Next, Len     []int  // by part, of the sender's parts
		Edges         []int  // since the commit
		Halt          string // why the search must end, or ""
	}
	// Lost reports that something sent does not arrive.
	Lost struct{ K, Epoch int }
	// Halt asks the leader to end the search, with the reason.
	Halt struct{ Why string }
)

// Timers.
type (
	beat    struct{} // of members: send heartbeats, and repeat unanswered requests
	gap     struct{} // of members: something is missing
	silence struct{} // of leaders: a member sent no heartbeat
	lease   struct{} // of the store: it expires
)
