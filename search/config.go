package search

import (
	"context"
	"runtime"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Config selects what to search, and the limits. The zero value of each field but System is a default. Its JSON has all
// fields but the system, and what belongs to one process.
type Config struct {
	System    sim.System `json:"-"`
	Strategy  Name
	Engine    Engine        // empty means auto, which is table for bfs and dfs
	Visited   Visited       // for bfs, dfs and deepening; empty means exact for bfs and dfs, 128 bits for deepening
	Reduce    Reduction     // for bfs and dfs: states that need not be visited; empty means [ReduceAuto]
	Crashes   CrashModel    // for bfs and dfs: whether nodes crash; empty means [CrashExplicit]
	Shortest  bool          // for bfs and dfs: after a safety violation, search for one in fewer steps, see [Shortest]
	Symmetry  bool          // for bfs and dfs: identify states up to permutations of nodes of one role, see [sim.System.Roles]
	Alone     bool          // for deepening: do not alternate with walks; walks from leaves remain
	MaxBytes  int           // approximate memory for visited states and, for bfs and dfs, tables; 0 means no limit
	Property  string        // check only the property of that name; empty means all
	MaxDepth  int           // in choices, for bfs and dfs in steps; 0 means no limit
	DeepenBy  int           // for deepening: increase of the depth per round; 0 means 1
	WalkSteps int           // length of a walk; 0 means 2,000
	Walks     int           // walks per probe of a critical transition; 0 means 200
	Weights   Weights       // all zero means DefaultWeights; otherwise each is used as given
	Schedules []Schedule    // schedules that walks take turns at, see [Schedules]; nil means all but SURW
	Seed      uint64        // 0 means 1
	Workers   int           // up to MaxWorkers; 0 means DefaultWorkers
	Time      time.Duration // of the search, by package budget; the follow-up of a finding takes until [FollowLimit]; 0 means no limit
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
	RemoteExplorer RemoteExplorer `json:"-"`
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

// RemoteExplorer visits all states of a system on other processes. It has the contract of [table.Explore].
type RemoteExplorer func(context.Context, *sim.System, options.Options) (*table.Exploration, error)

// MaxWorkers is the maximum number of workers of a search. Each takes memory of its own, and more workers than cores
// are not faster.
const MaxWorkers = 256

// DefaultWorkers returns the default number of workers: the number of cores, up to MaxWorkers.
func DefaultWorkers() int { return min(runtime.GOMAXPROCS(0), MaxWorkers) }

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
	Origin      int         // liveness: step from which a walk continued; 0 means the start
	OutOfEvents bool        // deadlock: no event of the recovery relation was left
	Proven      bool        // liveness: all states were visited, and no live one follows
	Late        bool        // an Env was used after its handler had returned; a second execution of the path may not show this
	Overdue     bool        // divergence: the last step was still running after HandlerLimit
	Strategy    Name        // the strategy that found it
	Schedule    Schedule    // the schedule of the walk; empty if none
	Depth       int         // choices of the exhaustive part
	Difference  *Difference // nondeterminism: the differing part of the state, if known
	// Starved is the run of starvation. Path ends after the first round.
	Starved *fairness.Starvation
}

// Difference is a part of the state in which two executions of the same path differ.
type Difference struct {
	Step   int       `json:"step"`
	Where  string    `json:"where"`  // "n0", "the network", "monitor 1"
	Field  string    `json:"field"`  // empty if the values could not be reproduced
	Values [2]string `json:"values"` // one per execution
	// Details are lines from the service itself on the first difference, see [simext.Comparer].
	Details []string `json:"details,omitempty"`
	// Twins means that the same step from two states with equal encodings differs, not two executions of one path.
	Twins bool `json:"twins,omitempty"`
}

func (d *Difference) String() string { return (*verify.Difference)(d).String() }

// Confirmed is the result of examining a suspect.
type Confirmed struct {
	Violation bool
	Refuted   bool // it is known not to be a violation; the suspect is undecided if both are false
	Known     bool // with Found: a violation that was reported already and need not be again
	Detail    any  // private to the confirmer, passed on to Result
	// Instead is a different violation that was found during the examination. It replaces the suspect.
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

// Reasons for the end of a search.
const (
	StoppedFound       = "found"
	StoppedDepth       = explore.StoppedDepth // everything requested is explored
	StoppedTime        = "time"
	StoppedPaths       = "paths"
	StoppedInterrupted = explore.StoppedInterrupted
	StoppedComplete    = "complete" // all states were visited
	// StoppedFingerprints: all states with different fingerprints were visited, but the fingerprints are too short to
	// prove completeness.
	StoppedFingerprints = "fingerprints"
	StoppedKnown        = "known"                // an accepted violation ended it, or states after one were not visited
	StoppedSampled      = table.StoppedSampled   // all states reachable by the sampled alternatives of large draws were visited
	StoppedMemory       = explore.StoppedMemory  // at MaxBytes
	StoppedDisk         = "disk"                 // disk full
	StoppedCrashes      = crashes.StoppedCrashes // crashes were left out, and it is not proven that this changes no verdict
	StoppedStuck        = "stuck"                // a handler did not return, and this could not be confirmed
	StoppedLost         = "lost"                 // its process died
	StoppedUnresponsive = "unresponsive"         // it did not stop when its time was over
)

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
	Engine  EngineStats `json:"engine"`
	Seconds float64     `json:"seconds"` // clock time, unlike [Config].Time
	Phases  []Phase     `json:"phases"`
	Relied  []Relied    `json:"relied,omitempty"` // actions that random walks executed before they recovered, in the system's order
	// Schedules counts walks by schedule, in the order of [Schedules]. Walks without a schedule are not counted.
	Schedules []ScheduleStats `json:"schedules,omitempty"`
}

// Coverage describes which states, events and properties a search covered.
type Coverage struct {
	ExhaustedDepth int    `json:"exhausted_depth"`
	Complete       bool   `json:"complete"`            // all states were visited, except with a probability of at most [MostOmission]
	Recovers       bool   `json:"recovers,omitempty"`  // for bfs and dfs: a live state can be reached without faults from every state
	Unchecked      string `json:"unchecked,omitempty"` // for bfs and dfs: properties that were not judged
	// Reduced describes how bfs and dfs left states out, or why they left none out. Nil means that no reduction was
	// requested.
	Reduced *Reduced `json:"reduced,omitempty"`
	// Crashes describes which crashes bfs and dfs left out. Nil means that this was not requested.
	Crashes *Crashes `json:"crashes,omitempty"`
	// Shortest reports whether a violation in fewer steps exists. Nil means that it was not requested, or that the
	// finding has no last step.
	Shortest *Shortest `json:"shortest,omitempty"`
	// Fair describes how infinite fair runs were judged. Nil means that the system has no obligations, see
	// [sim.System.Obligations].
	Fair *Fair `json:"fair,omitempty"`
	// Sampled are draws with more alternatives than are enumerated. With any, the search is not complete.
	Sampled choose.Samples `json:"sampled,omitempty"`
	// BySample names checks that were made only in runs and steps executed a second time.
	BySample      []string    `json:"by_sample,omitempty"`
	NeverHappened []string    `json:"never_happened"`
	Sometimes     []Sometimes `json:"sometimes"`
	// AfterLive counts events after the first live state of a walk, the rarest first. AfterLiveWalks is the number of
	// walks counted: those in a sample of one in eight that reached a live state.
	AfterLive      []AfterLive `json:"after_live,omitempty"`
	AfterLiveWalks int         `json:"after_live_walks,omitempty"`
	ForeignTimes   bool        `json:"foreign_times,omitempty"` // times of different nodes were compared, which have no order
	Grows          []Growth    `json:"grows,omitempty"`         // bfs and dfs, stopped at a limit: growing structures, the largest first
	FaultsUsed     sim.Limits  `json:"faults_used"`             // maximum used by a single run
}

// AfterLive counts an event after the first live states of walks.
type AfterLive struct {
	What  string `json:"what"`  // "action read", "message Ping", "timer Beat", as in NeverHappened
	Times int    `json:"times"` // in all sampled walks
	Walks int    `json:"walks"` // number of walks in which it happened
}

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

// Relied counts the walks in which an action was done between the start of recovery and the live state reached. If
// recovery must not rely on the action, mark it by [sim.Action.Disturbs].
type Relied struct {
	Action string `json:"action"`
	Walks  int    `json:"walks"`
}

// ScheduleStats counts the walks of one schedule.
type ScheduleStats struct {
	Name   Schedule `json:"name"`
	Paths  int      `json:"paths"`
	Events int      `json:"events"`
}

// Phase counts the runs of one kind of exploration, summed over its rounds.
type Phase struct {
	Name        string    `json:"name"` // "deepening", "leaf walks", "walks", "faulty walks", "prefixes", "critical"
	Seconds     float64   `json:"seconds"`
	Paths       int       `json:"paths"`
	Live        int       `json:"live"`       // runs that ended in a live state
	Duplicates  int       `json:"duplicates"` // runs cut at a state seen before
	OutOfEvents int       `json:"out_of_events"`
	TooLong     int       `json:"too_long"` // runs that ended at the step limit, not live
	States      int       `json:"states"`
	Events      int       `json:"events"`
	Steps       Histogram `json:"steps"`           // steps to the end; for walks to the first live state
	Choices     Histogram `json:"choices"`         // choices with more than one alternative
	Short       int       `json:"short,omitempty"` // walks of fewer than [ShortWalk] steps, including those past live states
}

// ShortWalk is the number of steps below which a random walk tests little.
const ShortWalk = 10

// Histogram counts values in powers-of-two classes, with exact minimum and maximum.
type Histogram struct {
	Count   int   `json:"count"`
	Min     int   `json:"min"`
	Max     int   `json:"max"`
	Buckets []int `json:"buckets"` // Buckets[i] counts values v with bits.Len(v) == i
}
