package stats

import (
	"cmp"

	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Difference is a part of the state in which two executions of the same path differ.
type Difference struct {
	Step   int       `json:"step"`
	Where  string    `json:"where"`  // "n0", "the network", "monitor 1"
	Field  string    `json:"field"`  // empty if the values could not be reproduced
	Values [2]string `json:"values"` // one per execution
	// Details are lines from the service itself on the first difference, see [simext.Comparer].
	Details []string `json:"details,omitempty"`
	// Collision means that the same step from two states with equal encodings differs, not two executions of one path.
	Collision bool `json:"collision,omitempty"`
}

func (d *Difference) String() string { return (*verify.Difference)(d).String() }

// Reduced describes how states were left out, for reports. Its fields are those of por.Reduced in
// internal/table/por/reduction.go, which Config.reduced converts to it.
type Reduced struct {
	Used   options.Reduction `json:"used"`
	Why    string            `json:"why,omitempty"`    // why it is weaker than the one asked for, or ""
	Rounds int               `json:"rounds,omitempty"` // number of explorations; each drops the assumptions that fell in those before
	Passed int               `json:"passed,omitempty"` // intermediate states of chains: checked, not stored
	Chains int               `json:"chains,omitempty"` // edges of several steps
	Single int               `json:"single,omitempty"` // stored states in which one event was explored alone
	Dead   int               `json:"dead,omitempty"`   // local states with a dropped datagram

	Permutations int    `json:"permutations,omitempty"` // permutations of nodes by which states were merged; 0: none
	Asymmetry    string `json:"asymmetry,omitempty"`    // why requested symmetry was not used
}

// Crashes describes which crashes and halts were left out.
type Crashes struct {
	Model          options.CrashModel       `json:"model"`            // the requested model
	Implicit       []sim.NodeID             `json:"implicit"`         // nodes that may crash, but did not
	Proven         bool                     `json:"proven"`           // it is proven that this changes no verdict
	CrashSensitive []options.CrashSensitive `json:"opaque,omitempty"` // nodes without such a proof; they did crash if the model is auto
	Why            string                   `json:"why,omitempty"`    // the reason why no crash can be left out
}

// Shortest reports whether fewer steps than those of a violation lead to one.
type Shortest struct {
	Found  int    `json:"found"`         // steps of the violation found first
	Least  bool   `json:"least"`         // no run of fewer steps than the reported one violates anything
	States int    `json:"states"`        // states visited to determine this
	Why    string `json:"why,omitempty"` // the reason if it is unknown
}

// FairWalks counts walks that look for infinite runs with an obligation open forever. Finding none proves nothing.
type FairWalks struct {
	Walks  int    `json:"walks"`
	States int    `json:"states"`        // states visited by them, in the parts that were judged; each part counts by itself
	Why    string `json:"why,omitempty"` // the reason why no more were made
}

// And returns the sum of both.
func (f FairWalks) And(o FairWalks) FairWalks {
	return FairWalks{f.Walks + o.Walks, f.States + o.States, cmp.Or(f.Why, o.Why)}
}

// SampledWalks is the coverage of random walks that only a sample of them is checked for.
type SampledWalks struct {
	// AfterLive counts events after the first live state of a walk, the rarest first. AfterLiveWalks is the number of
	// walks counted: those in a sample of one in eight that reached a live state.
	AfterLive      []AfterLive `json:"after_live,omitempty"`
	AfterLiveWalks int         `json:"after_live_walks,omitempty"`
	Orders         Orders      `json:"orders,omitzero"`
}

// AfterLive counts an event after the first live states of walks.
type AfterLive struct {
	What  string `json:"what"`  // "action read", "message Ping", "timer Beat", as in NeverHappened
	Times int    `json:"times"` // in all sampled walks
	Walks int    `json:"walks"` // number of walks in which it happened
}

// Orders counts the orders of concurrent events of one node in a sample of random walks, by the definition of
// [coverage.Orders].
type Orders struct {
	Walks int `json:"walks"` // in the sample
	Pairs int `json:"pairs"` // classes of events of one node that were enabled in the same state
	Both  int `json:"both"`  // pairs that happened in both orders
	// Missing lists orders that did not happen, at most [MostMissing].
	Missing []MissingOrder `json:"missing,omitempty"`
}

// MissingOrder is an order of events of a node that did not happen.
type MissingOrder struct {
	Node  sim.NodeID `json:"node"`
	First string     `json:"first"` // "action read", "message Ping from n1", "timer Beat", "crash"
	Then  string     `json:"then"`
}

// MostMissing is the maximum length of the list of missing orders.
const MostMissing = 100

// Growth is a list, map or queue that grew while states were visited.
type Growth struct {
	Node     sim.NodeID `json:"node"`           // -1 for a connection, because connections are interned without their nodes
	What     string     `json:"what"`           // path of a field of the service, "inbox", or "a connection"
	Elements int        `json:"elements"`       // in the largest state of the node
	Type     string     `json:"type,omitempty"` // the most frequent type; empty if types are unknown
	OfType   int        `json:"of_type,omitempty"`
}

// Fair describes whether every infinite fair run is known to satisfy all obligations.
type Fair struct {
	Obligations []string `json:"obligations"`
	Judged      bool     `json:"judged"`
	Why         string   `json:"why,omitempty"` // the reason if it was not judged
	// Hot holds, for bfs and dfs, the number of states in which each obligation is open.
	Hot []int `json:"hot,omitempty"`
	// Walked is the result of walks that looked for a run with an obligation open forever. None are made if everything
	// is judged.
	Walked FairWalks `json:"walked,omitzero"`
}

// Sometimes counts the runs in which a Sometimes property held. For bfs and dfs, which have no runs, the count is 1 if
// it held in some state.
type Sometimes struct {
	Property string `json:"property"`
	Runs     int    `json:"runs"`
	Walks    int    `json:"walks,omitempty"` // number of these runs that are random walks, without those of the exhaustive part
	Of       int    `json:"of,omitempty"`    // total number of such walks
}
