package search

import (
	"context"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Config selects what to search, and the limits. The zero value of each field but System is a default. Its JSON has all
// fields but the system, and what belongs to one process.
type Config struct {
	System   sim.System `json:"-"`
	Strategy Name
	Engine   string // executes steps: "auto", "replay", or "table"; empty means auto, which is table for bfs and dfs
	// Visited selects how states are stored, so that equal ones are explored once. For bfs and dfs it is a name of
	// package stateset, such as "exact", the default. For deepening it is a number of bits to which fingerprints are
	// truncated, from 1 to 128, the default, or "none".
	Visited   string
	Reduce    string        // for bfs and dfs: leave states out that cannot change the verdict: "none", "drop", "full", or "auto", the default
	Crashes   string        // for bfs and dfs: whether nodes crash and halt: "explicit", the default, "implicit", or "auto"
	Shortest  bool          // for bfs and dfs: after a safety violation, search for one in fewer steps, see [stats.Shortest]
	Symmetry  bool          // for bfs and dfs: identify states up to permutations of nodes of one role, see [sim.System.Roles]
	Alone     bool          // for deepening: do not alternate with walks; walks from leaves remain
	MaxBytes  int           // approximate memory for visited states and, for bfs and dfs, tables; 0 means no limit
	Property  string        // check only the property of that name; empty means all
	MaxDepth  int           // in choices, for bfs and dfs in steps; 0 means no limit, for deepening 8,190
	DeepenBy  int           // for deepening: increase of the depth per round; 0 means 1
	WalkSteps int           // length of a walk; 0 means 2,000
	Walks     int           // walks per probe of a critical transition; 0 means 200
	Weights   Weights       // all zero means DefaultWeights; otherwise each is used as given
	Schedules []string      // schedules that walks take turns at, see package schedules; nil means all but surw
	Seed      uint64        // 0 means 1
	Workers   int           // up to 256; 0 means the number of cores
	Time      time.Duration // of the search, by package budget; the follow-up of a finding takes until [budget.FollowLimit]; 0 means no limit
	MaxPaths  int           // 0 means no limit
	Prefix    choose.Path   // start from here instead of the initial state
	// PrefixRuns > 0 means that the search first makes that many runs to a live state without injections. It then
	// starts from their ends in turn, instead of from the initial state.
	PrefixRuns int
	// Confirm examines suspects of liveness, deadlock, or divergence by HandlerLimit; other findings are certain. It is
	// called by one goroutine at a time, and the search waits for it. Nil means that suspects are reported without
	// examination.
	Confirm func(context.Context, Suspect) (Confirmed, error) `json:"-"`
	// Suspected, if non-nil, is called with an apparent violation before the search processes it, and before the phase
	// changes. bfs and dfs do not call it for suspects that Confirm examines.
	Suspected func(*Suspect) `json:"-"`
	// Found, if non-nil, makes the search continue after a violation. It is called with each violation, in the order in
	// which they would have ended the search, with the coverage until then. Similar violations are passed again, except
	// by bfs and dfs, which find one of each Always property. A violation that ends the search nevertheless has Last
	// set. The search does not continue from a violation. Found is called like Confirm. Nil means that the first
	// violation ends the search.
	Found func(context.Context, *Result) error `json:"-"`
	// Progress, if non-nil, is called from time to time, by one goroutine at a time.
	Progress func(Progress) `json:"-"`
	// HandlerLimit is the time after which a running handler is suspected to diverge; 0 means 500 ms.
	HandlerLimit time.Duration
	// Log stores the states that bfs finds. States already in it are checked, but not searched again. Nil means no log.
	Log explore.Log `json:"-"`
	// Spill is the folder where bfs holds the data that exceeds MaxBytes: fingerprints, and waiting states. Empty means
	// none: bfs stops then.
	Spill string
	// Reach is the progress of deepening in earlier searches of the same Config, except for Seed and limits. The search
	// continues from there, and updates Reach if it ends by itself or at MaxPaths; otherwise Reach becomes unusable.
	// Nil means that deepening begins anew.
	Reach *Reach `json:"-"`
	// RemoteExplorer, if non-nil, visits the states of bfs on other processes, in place of [table.Explore]. The only data
	// about them are states, steps, and findings. Its Stopped may also be "time".
	RemoteExplorer table.Explorer `json:"-"`
	// PathBuffer returns an empty path with the capacity in which the runs of a worker, counted from 0, are recorded
	// while they are made. It is called once for each worker. Nil means ordinary memory.
	PathBuffer func(worker int) choose.Path `json:"-"`

	// Calls informs the supervising process which checked code bfs and dfs were calling, in case the code ends the
	// process. Calls may be skipped because an earlier process ended that way. The search is then inconclusive unless it
	// finds something or visits all states. Nil means that no process supervises.
	Calls *options.Calls `json:"-"`

	start        time.Duration // start of the search, on the clock of package budget
	late         *contain.UseAfterReturn
	known        map[string]bool // for bfs and dfs: Always properties with a violation already reported
	weightsGiven bool            // the weights are not the defaults
	alternate    bool            // for tests: with AutoEngine, switch the engine after each run
}

// Suspect is a run that violates something, or seems to.
type Suspect struct {
	Kind        sim.FindingKind
	Cause       sim.FindingCause
	Property    string
	Message     string
	Stack       string
	Node        sim.NodeID  // -1 if it concerns no single node
	Path        choose.Path // the whole run, to its last step
	Steps       int
	Origin      int               // liveness: step from which a walk continued; 0 means the start
	OutOfEvents bool              // deadlock: no event of the recovery relation was left
	Proven      bool              // liveness: all states were visited, and no live one follows
	Late        bool              // an Env was used after its handler had returned; a second execution of the path may not show this
	Overdue     bool              // divergence: the last step was still running after HandlerLimit
	Strategy    Name              // the strategy that found it
	Schedule    string            // the schedule of the walk; empty if none
	Depth       int               // choices of the exhaustive part
	Difference  *stats.Difference // nondeterminism: the differing part of the state, if known
	// Starved is the run of starvation. Path ends after the first round.
	Starved *fairness.Starvation
}

// Confirmed is the result of examining a suspect.
type Confirmed struct {
	Violation bool
	Refuted   bool // it is known not to be a violation; the suspect is undecided if both are false
	Known     bool // with Found: a violation that was reported already and need not be again
	Detail    any  // private to the confirmer, passed on to Result
	// Instead is a different violation, or another suspect if it is Overdue, that was found during the examination. It
	// replaces the suspect.
	Instead *Suspect
}

// Result is the result of a search, with its coverage.
type Result struct {
	Verdict Verdict
	Finding *Suspect // nil if nothing was found; with Config.Found only the finding that ended the search
	// Last is the reason why the search ends with a violation passed to Config.Found; empty if it continues.
	Last string
	// Accepted is set by Config.Found: the violation is a known one, and does not count in the verdict.
	Accepted bool
	Detail   any // Confirmed.Detail of the finding
	Suspects int // suspected violations that were not confirmed
	// Undecided is the number of Suspects that were not refuted either.
	Undecided int
	Slow      int // refuted suspects of steps that had exceeded HandlerLimit
	// Suspect is the first undecided suspect; nil if there is none, or if there is a Finding.
	Suspect *Suspect
	Stats   Stats
	Stopped string // reason for the end: one of the Stopped constants
}

// Progress is a snapshot for people while a search runs.
type Progress struct {
	Elapsed time.Duration
	Phase   string
	Depth   int
	Paths   int
	States  int
	Events  int
	Waiting int // for bfs and dfs: states that wait to be expanded
}

// Stats holds the counters and the coverage of a search.
type Stats struct {
	Work
	Coverage
	Omission float64 `json:"omission"` // by fingerprints: bound on the probability that a state was missed
}

// Work holds the counters of a search. Only bfs and dfs set the fields from Transitions to Disk.
type Work struct {
	Paths       int   `json:"paths"`
	States      int   `json:"states"`                // distinct states visited by the exhaustive part
	Transitions int   `json:"transitions,omitempty"` // steps from distinct states
	Expanded    int   `json:"expanded,omitempty"`    // states with all steps executed
	Handlers    int   `json:"handlers,omitempty"`    // handler executions behind the steps
	Bytes       int   `json:"bytes,omitempty"`       // memory of the set of states
	Disk        int64 `json:"disk,omitempty"`        // for bfs: maximum number of bytes on disk, for lack of memory
	Events      int   `json:"events"`                // steps executed, including re-execution of prefixes
	// Engine describes how steps were executed. Like Seconds, it may differ between searches with the same result.
	Engine  stats.Engine   `json:"engine"`
	Seconds float64        `json:"seconds"` // clock time, unlike [Config].Time
	Phases  []stats.Phase  `json:"phases"`
	Relied  []stats.Relied `json:"relied,omitempty"` // actions that random walks executed before they recovered, in the system's order
	// Schedules counts walks by schedule, in the order of [schedules.Names]. Walks without a schedule are not counted.
	Schedules []stats.Schedule `json:"schedules,omitempty"`
}

// Coverage describes which states, events and properties a search covered.
type Coverage struct {
	ExhaustedDepth int    `json:"exhausted_depth"`
	Complete       bool   `json:"complete"`            // all states were visited, except with a probability of at most [stateset.MostOmission]
	Recovers       bool   `json:"recovers,omitempty"`  // for bfs and dfs: a live state can be reached without faults from every state
	Unchecked      string `json:"unchecked,omitempty"` // for bfs and dfs: properties that were not judged
	// Reduced describes how bfs and dfs left states out, or why they left none out. Nil means that no reduction was
	// requested.
	Reduced *stats.Reduced `json:"reduced,omitempty"`
	// Crashes describes which crashes bfs and dfs left out. Nil means that this was not requested.
	Crashes *stats.Crashes `json:"crashes,omitempty"`
	// Shortest reports whether a violation in fewer steps exists. Nil means that it was not requested, or that the
	// finding has no last step.
	Shortest *stats.Shortest `json:"shortest,omitempty"`
	// Fair describes how infinite fair runs were judged. Nil means that the system has no obligations, see
	// [sim.System.Obligations].
	Fair *stats.Fair `json:"fair,omitempty"`
	// Sampled are draws with more alternatives than are enumerated. With any, the search is not complete.
	Sampled choose.Samples `json:"sampled,omitempty"`
	// BySample names checks that were made only in runs and steps executed a second time.
	BySample      []string          `json:"by_sample,omitempty"`
	NeverHappened []string          `json:"never_happened"`
	Sometimes     []stats.Sometimes `json:"sometimes"`
	// AfterLive counts events after the first live state of a walk, the rarest first. AfterLiveWalks is the number of
	// walks counted: those in a sample of one in eight that reached a live state.
	AfterLive      []stats.AfterLive `json:"after_live,omitempty"`
	AfterLiveWalks int               `json:"after_live_walks,omitempty"`
	ForeignTimes   bool              `json:"foreign_times,omitempty"` // times of different nodes were compared, which have no order
	Grows          []stats.Growth    `json:"grows,omitempty"`         // bfs and dfs, stopped at a limit: growing structures, the largest first
	FaultsUsed     sim.Limits        `json:"faults_used"`             // maximum used by a single run
}
