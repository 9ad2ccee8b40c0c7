// Package search explores a system: the one exploration loop, the strategies that decide where it
// goes, and what was covered. It reports what it found; confirming a suspected liveness violation
// is the caller's, through [Config].Confirm.
package search

import (
	"context"
	"runtime"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Engine names a way to execute steps.
type Engine string

const (
	ReplayEngine Engine = "replay" // runs handlers at every step
	TableEngine  Engine = "table"  // looks steps up; pays when local states repeat
	AutoEngine   Engine = "auto"   // the one that is measured to be faster, see [NewEngineLoop]
)

// Config says what to search and how far. The zero value of each field but System is a default.
type Config struct {
	System    sim.System
	Strategy  Name
	Engine    Engine        // "": auto, which is table for bfs and dfs
	Visited   Visited       // of bfs, dfs and deepening; "": exact for bfs and dfs, 128 bits for deepening
	Reduce    Reduction     // of bfs and dfs: states that need not be visited; "": [ReduceAuto]
	Crashes   CrashModel    // of bfs and dfs: whether nodes crash; "": [CrashExplicit]
	Shortest  bool          // of bfs and dfs: a violation of safety is followed by a search for one in fewer steps, see [Shortest]
	Symmetry  bool          // of bfs and dfs: states that differ by a permutation of nodes of one role are one, see [sim.System.Roles]
	Alone     bool          // of deepening: it does not alternate with walks; those from leaves are made
	MaxBytes  int           // of bfs, dfs and deepening: memory for visited states, and of bfs and dfs for tables, about; 0: no limit
	Property  string        // check only the property of that name; "": all
	MaxDepth  int           // in choices, for bfs and dfs in steps; 0: until a limit is hit
	DeepenBy  int           // of deepening: how much deeper it goes each time; 0: 1
	WalkSteps int           // length of a walk; 0: 2,000
	Walks     int           // walks per probe of a critical transition; 0: 200
	Weights   Weights       // all zero: DefaultWeights; else each is taken as it is
	Schedules []Schedule    // which walks take turns at, see [Schedules]; nil: all
	Seed      uint64        // 0: 1
	Workers   int           // up to MaxWorkers; 0: DefaultWorkers
	Time      time.Duration // of the search, while it has processors, see package budget; what follows a finding takes until [FollowLimit]; 0: no limit
	MaxPaths  int           // 0: no limit
	Prefix    choose.Path   // start from here instead of the first state
	// PrefixRuns > 0: first make that many runs to a live state without injections, and search from
	// their ends, in turn, instead of from the first state.
	PrefixRuns int
	// Confirm examines a suspect of liveness, deadlock, or divergence by HandlerLimit; other findings are
	// certain. It is called on one goroutine at a time, and the search waits for it. Nil: suspects are
	// reported as they are.
	Confirm func(context.Context, Suspect) (Confirmed, error)
	// Suspected is called with what seems to be a violation before the search goes on with it, but for suspects that Confirm examines. Nil
	// means that nobody needs to know.
	Suspected func(*Suspect)
	// Found makes the search go on after a violation: it is told each one, in the order in which they would have ended
	// the search, with what was covered until then, and violations that are alike are told again, but by bfs and dfs, which find
	// one of each Always property. What ends the search all the same has Last set. Nothing is searched behind a violation.
	// Found is called as Confirm is. Nil: the first violation ends the search.
	Found func(context.Context, *Result) error
	// Progress is called now and then, on one goroutine at a time. May be nil.
	Progress func(Progress)
	// HandlerLimit is how long one handler may run before it is suspected to diverge; 0: 500 ms.
	HandlerLimit time.Duration
	// Log keeps the states that bfs finds. What is in it is not searched again, but checked. Nil: nothing is kept.
	Log explore.Log
	// Spill is the folder where bfs holds what does not fit into MaxBytes: fingerprints, and states that wait. "": there is none, it stops then.
	Spill string
	// Reach is how far deepening came in earlier searches of the same Config but for Seed and limits: it goes on from there, and Reach is then as far as
	// that goes, if the search ended by itself or at MaxPaths; else it is of no more use. Nil: deepening begins anew.
	Reach *Reach
	// Elsewhere visits the states of bfs in place of [table.Explore]: other processes do. What happens there is not gathered, but for
	// states, steps, and what is found; its Stopped may be "time", too. Nil: they are visited here.
	Elsewhere Elsewhere
	// PathBuffer returns an empty path with the capacity in which the runs of a worker, counted from 0,
	// are to be recorded as they are made. It is called once for each worker. Nil: ordinary memory.
	PathBuffer func(worker int) choose.Path

	// Calls lets the process that waits for this one know what bfs and dfs were doing when checked code ended it. With calls that are
	// refused, because an earlier process ended so, the search has twice its Time, and it is inconclusive unless it finds something or visits all
	// states. Nil: nobody waits.
	Calls *Calls

	start        time.Duration // when the search began, on the clock of package budget
	late         *kernel.UseAfterReturn
	known        map[string]bool // of bfs and dfs: Always properties whose violation was told of
	weightsGiven bool            // they are not the defaults
	alternate    bool            // for tests: with AutoEngine, the engine changes from run to run
}

// Calls are those of checked code that an exploration makes.
type Calls = options.Calls

// Elsewhere visits all states of a system as [table.Explore] does.
type Elsewhere func(context.Context, *sim.System, options.Options) (*table.Exploration, error)

// MaxWorkers is how many workers a search may have. Each takes memory of its own, and more of them than there are
// cores make nothing faster.
const MaxWorkers = 256

// DefaultWorkers is how many workers a search has that is not told: as many as there are cores, up to MaxWorkers.
func DefaultWorkers() int { return min(runtime.GOMAXPROCS(0), MaxWorkers) }

// Suspect is a run that violates something, or seems to.
type Suspect struct {
	Kind        sim.FindingKind
	Cause       sim.FindingCause
	Property    string
	Message     string
	Stack       string
	Node        sim.NodeID  // -1: no single one
	Path        choose.Path // the whole run, to its last step
	Steps       int
	Origin      int         // number of the step from which a walk went on, 0: the start (liveness)
	OutOfEvents bool        // deadlock: no event of the recovery relation was left
	Proven      bool        // liveness: all states were seen, and no live one follows
	Late        bool        // an Env was used after its handler had returned, which executing the path again need not show
	Overdue     bool        // divergence: the last step was still running after HandlerLimit
	Strategy    Name        // what found it
	Schedule    Schedule    // that the walk had; "": none
	Depth       int         // choices of the exhaustive part
	Difference  *Difference // nondeterminism: what differs, when that is a part of the state
	// Starved is the run of starvation; Path is once round.
	Starved *fairness.Starvation
}

// Difference is a part of the state in which two executions of the same path differ.
type Difference struct {
	Step   int       `json:"step"`
	Where  string    `json:"where"`  // "n0", "the network", "monitor 1"
	Field  string    `json:"field"`  // "": the values could not be had again
	Values [2]string `json:"values"` // as the executions have it
	// Details are lines of the service itself on the first difference, see [simext.Comparer].
	Details []string `json:"details,omitempty"`
	// Twins: not two executions of one path differ, but the same step from two states that are encoded equally.
	Twins bool `json:"twins,omitempty"`
}

func (d *Difference) String() string { return (*verify.Difference)(d).String() }

// Confirmed is what became of a suspect.
type Confirmed struct {
	Violation bool
	Refuted   bool // it is known to be no violation; false with Violation false: that could not be told
	Known     bool // with Found: a violation that was told already, and need not be told again
	Detail    any  // the confirmer's own, handed through to Result
	// Instead is what was found when the suspect was examined, if that was something else. The suspect is
	// given up for it.
	Instead *Suspect
}

// Result is what a search found and covered.
type Result struct {
	Verdict Verdict
	Finding *Suspect // nil when nothing was found; with Config.Found only what ended the search
	// Last says, of what Config.Found is told, why the search ends with it; "": it goes on.
	Last     string
	Detail   any // Confirmed.Detail of the finding
	Suspects int // suspected violations that were not confirmed
	// Undecided of the Suspects were not refuted either.
	Undecided int
	// Suspect is the first of the Undecided; nil when there is none, or a Finding.
	Suspect *Suspect
	Stats   Stats
	Stopped string // why it ended: one of the Stopped constants
}

// Why a search ended.
const (
	StoppedFound       = "found"
	StoppedDepth       = "depth" // all that was asked for is explored
	StoppedTime        = "time"
	StoppedPaths       = "paths"
	StoppedInterrupted = "interrupted"
	StoppedComplete    = "complete" // all states were seen
	// StoppedFingerprints: all states were seen whose fingerprints differ, but these are too short to tell whether those are all.
	StoppedFingerprints = "fingerprints"
	StoppedSampled      = "sampled"              // all states that can be reached by what was sampled of large draws were seen
	StoppedMemory       = "memory"               // at MaxBytes
	StoppedDisk         = "disk"                 // for want of room on the disk
	StoppedCrashes      = crashes.StoppedCrashes // crashes were left out, and it is not known that this changes no verdict
	StoppedStuck        = "stuck"                // a handler did not return, which could not be confirmed
)

// Progress is a snapshot for people while a search runs.
type Progress struct {
	Elapsed time.Duration
	Phase   string
	Depth   int
	Paths   int
	States  int
	Events  int
	Waiting int // of bfs and dfs: states whose steps are yet to be executed
}

// Stats counts what a search did, and describes what it covered.
type Stats struct {
	Work
	Coverage
	Omission float64 `json:"omission"` // by fingerprints: bound on the probability that a state was missed
}

// Work counts what a search did. Only bfs and dfs set the fields from Transitions to Disk.
type Work struct {
	Paths       int   `json:"paths"`
	States      int   `json:"states"`                // distinct states that the exhaustive part visited
	Transitions int   `json:"transitions,omitempty"` // steps from distinct states
	Expanded    int   `json:"expanded,omitempty"`    // states all of whose steps were executed
	Handlers    int   `json:"handlers,omitempty"`    // handler executions behind the steps
	Bytes       int   `json:"bytes,omitempty"`       // memory of the set of states
	Disk        int64 `json:"disk,omitempty"`        // of bfs: the most bytes that were on disk for want of memory
	Events      int   `json:"events"`                // steps executed, including re-execution of prefixes
	// Engine describes how steps were executed. It may differ between searches that find the same, as Seconds does.
	Engine  EngineStats `json:"engine"`
	Seconds float64     `json:"seconds"`
	Phases  []Phase     `json:"phases"`
	Relied  []Relied    `json:"relied,omitempty"` // actions that recovery relied on in random walks, in the system's order
	// Schedules are those of walks, in the order of [Schedules]. Walks without a schedule are not counted.
	Schedules []ScheduleStats `json:"schedules,omitempty"`
}

// Coverage describes which states, events and properties a search covered.
type Coverage struct {
	ExhaustedDepth int    `json:"exhausted_depth"`
	Complete       bool   `json:"complete"`            // all states were visited, but for a probability of at most [MostOmission]
	Recovers       bool   `json:"recovers,omitempty"`  // of bfs and dfs: a live state can be reached without faults from every state
	Unchecked      string `json:"unchecked,omitempty"` // of bfs and dfs: properties that were not judged
	// Reduced describes how bfs and dfs left states out, or why they left none out. Nil means that no reduction was asked for.
	Reduced *Reduced `json:"reduced,omitempty"`
	// Crashes describes which crashes bfs and dfs left out. Nil means that none were to be left out.
	Crashes *Crashes `json:"crashes,omitempty"`
	// Shortest reports whether fewer steps violate something. Nil means that this was not asked for, or that the finding has no last step.
	Shortest *Shortest `json:"shortest,omitempty"`
	// Fair describes how fair runs without end were judged. Nil means that the system has no obligations, see [sim.System.Obligations].
	Fair *Fair `json:"fair,omitempty"`
	// Sampled are draws with more alternatives than are enumerated. Nothing is complete then.
	Sampled choose.Samples `json:"sampled,omitempty"`
	// BySample names checks that were made only in runs and steps that were executed a second time.
	BySample      []string    `json:"by_sample,omitempty"`
	NeverHappened []string    `json:"never_happened"`
	Sometimes     []Sometimes `json:"sometimes"`
	// AfterLive counts what happened after the first live state, the rarest first, in AfterLiveWalks walks: those of a sample of one in
	// eight that reached a live state.
	AfterLive      []AfterLive `json:"after_live,omitempty"`
	AfterLiveWalks int         `json:"after_live_walks,omitempty"`
	ForeignTimes   bool        `json:"foreign_times,omitempty"` // times of different nodes, which have no order, were compared
	Grows          []Growth    `json:"grows,omitempty"`         // of bfs and dfs that stopped at a limit: what has grown, the largest first
	FaultsUsed     sim.Limits  `json:"faults_used"`             // the most that one run used
}

// AfterLive says how often something happened after the first live state of a walk.
type AfterLive struct {
	What  string `json:"what"`  // "action read", "message Ping", "timer Beat", as in NeverHappened
	Times int    `json:"times"` // in all walks that were looked at together
	Walks int    `json:"walks"` // in how many of them
}

// Growth is a list, map or queue that has grown while states were visited.
type Growth struct {
	Node     sim.NodeID `json:"node"`           // -1 for a connection, which is interned without its nodes
	What     string     `json:"what"`           // path of a field of the service, "inbox", or "a connection"
	Elements int        `json:"elements"`       // in the largest state of the node
	Type     string     `json:"type,omitempty"` // the most frequent one; empty if types are not known
	OfType   int        `json:"of_type,omitempty"`
}

// Fair is what became of the question whether all that is owed is satisfied on every infinite fair run.
type Fair struct {
	Obligations []string `json:"obligations"`
	Judged      bool     `json:"judged"`
	Why         string   `json:"why,omitempty"` // it was not
	// Hot counts, of bfs and dfs, for each of the obligations the states in which something is owed.
	Hot []int `json:"hot,omitempty"`
	// Walked is what walks came to that looked for a run in which something stays owed: none are made where all is judged.
	Walked FairWalks `json:"walked,omitzero"`
}

// Sometimes says in how many runs a Sometimes property was seen; of bfs and dfs, which have no runs, 1 when it held in
// some state.
type Sometimes struct {
	Property string `json:"property"`
	Runs     int    `json:"runs"`
	Walks    int    `json:"walks,omitempty"` // those of the runs that are random walks, but for walks of the exhaustive part
	Of       int    `json:"of,omitempty"`    // such walks, in all
}

// Relied says in how many walks an action was done between the beginning of recovery and the live state that was come to. If it is not
// to be relied on it is to be marked as one that [sim.Action.Disturbs].
type Relied struct {
	Action string `json:"action"`
	Walks  int    `json:"walks"`
}

// ScheduleStats is what the walks of one schedule did.
type ScheduleStats struct {
	Name   Schedule `json:"name"`
	Paths  int      `json:"paths"`
	Events int      `json:"events"`
}

// Phase is what one kind of exploration did, summed over its rounds.
type Phase struct {
	Name        string    `json:"name"` // "deepening", "leaf walks", "walks", "faulty walks", "prefixes", "critical"
	Seconds     float64   `json:"seconds"`
	Paths       int       `json:"paths"`
	Live        int       `json:"live"`       // ended in a live state
	Duplicates  int       `json:"duplicates"` // cut at a state seen before
	OutOfEvents int       `json:"out_of_events"`
	TooLong     int       `json:"too_long"` // ended at the step limit, not live
	States      int       `json:"states"`
	Events      int       `json:"events"`
	Steps       Histogram `json:"steps"`   // steps to the end, of walks: to the first live state
	Choices     Histogram `json:"choices"` // choices with more than one alternative
}

// Histogram counts values in powers-of-two classes, with exact minimum, maximum and quantiles
// within a class.
type Histogram struct {
	Count   int   `json:"count"`
	Min     int   `json:"min"`
	Max     int   `json:"max"`
	Buckets []int `json:"buckets"` // Buckets[i] counts values v with bits.Len(v) == i
}

const defaultHandlerLimit = 500 * time.Millisecond
