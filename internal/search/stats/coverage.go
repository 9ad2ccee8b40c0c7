package stats

import (
	"cmp"

	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
)

// Parts of reports.
type (
	Difference   = verify.Difference
	Reduced      = por.Reduced
	Crashes      = crashes.Crashes
	Growth       = statespace.Growth
	AfterLive    = coverage.Count
	MissingOrder = coverage.Order
)

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

// Orders counts the orders of concurrent events of one node in a sample of random walks, by the definition of
// [coverage.Orders].
type Orders struct {
	Walks int `json:"walks"` // in the sample
	Pairs int `json:"pairs"` // classes of events of one node that were enabled in the same state
	Both  int `json:"both"`  // pairs that happened in both orders
	// Missing lists orders that did not happen, at most [MostMissing].
	Missing []MissingOrder `json:"missing,omitempty"`
}

// MostMissing is the maximum length of the list of missing orders.
const MostMissing = 100

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
