package search

import (
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/sim"
)

// Suspect is a run that violates something, or seems to.
type Suspect struct {
	sim.Finding
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
	stats.SampledWalks
	ForeignTimes bool           `json:"foreign_times,omitempty"` // times of different nodes were compared, which have no order
	Grows        []stats.Growth `json:"grows,omitempty"`         // bfs and dfs, stopped at a limit: growing structures, the largest first
	FaultsUsed   sim.Limits     `json:"faults_used"`             // maximum used by a single run
}

// progressEvery is the interval between progress reports.
const progressEvery = 200 * time.Millisecond

func (s *searcher) progress(p phase) {
	now := time.Now()
	if s.cfg.Progress == nil || p == startPhase || now.Sub(s.lastShown) < progressEvery {
		return
	}
	s.lastShown = now
	paths, events := s.totals.runs, s.totals.tallies.events()
	for _, w := range s.workers {
		paths += int(w.made.Load())
		events += int(w.events.Load())
	}
	s.lastProgress = Progress{
		Elapsed: now.Sub(s.began), Phase: string(p), Depth: s.depth, States: s.global.N,
		Paths: max(paths, s.lastProgress.Paths), Events: max(events, s.lastProgress.Events), // counts must not fall while units are merged
	}
	s.cfg.Progress(s.lastProgress)
}

func (s *searcher) result(sources []source) *Result {
	f := &s.findings
	r := &Result{
		Finding: f.finding, Detail: f.detail, Suspects: f.suspects, Undecided: f.undecided, Slow: f.slow, Suspect: f.suspect, Stopped: s.stopping,
		Stats: Stats{
			Work: Work{Seconds: time.Since(s.began).Seconds(), Paths: s.totals.runs, Events: s.totals.tallies.events(), States: s.global.N,
				Phases: s.totals.tallies.phases()},
			Coverage: Coverage{FaultsUsed: s.totals.used, ForeignTimes: s.totals.foreign, Sampled: s.totals.sampled},
		},
	}
	ended := 0 // number of walks
	for i := range strategy.All {
		if st := &strategy.All[i]; st.New != nil {
			ended += s.totals.tallies.of(phase(st.Phase)).Paths
		}
	}
	for _, src := range sources {
		if t, ok := src.(*tree); ok {
			r.Stats.ExhaustedDepth, r.Stats.Complete = t.Exhausted, t.Complete
			r.Stats.Omission = s.cfg.key().Omission(s.global.N)
			if t.Complete && r.Stats.Omission > stateset.MostOmission {
				r.Stats.Complete = false
				if r.Stopped == stats.StoppedComplete {
					r.Stopped = stats.StoppedFingerprints
				}
			}
		}
	}
	if f.found > 0 || s.stopping == stats.StoppedMemory { // the search did not continue from violations, or not all states were kept
		r.Stats.Complete = false
	}
	for _, w := range s.workers {
		if engine := w.engine.Load(); engine != nil {
			r.Stats.Engine.Add(*engine)
		}
	}
	for i, t := range s.scheduled {
		if t.paths > 0 {
			r.Stats.Schedules = append(r.Stats.Schedules, stats.Schedule{Name: s.cfg.Schedules[i], Paths: t.paths, Events: t.events})
		}
	}
	for i, name := range s.cfg.System.ActionNames() {
		if s.totals.usedActions[i] > 0 && len(s.workers[0].loop.Goals) > 0 {
			r.Stats.Relied = append(r.Stats.Relied, stats.Relied{Action: name, Walks: s.totals.usedActions[i]})
		}
	}
	r.Stats.cover(&s.cfg.System, s.coverage, s.totals.sometimes)
	r.Stats.noteFairRunsUnjudged(&s.cfg.System, s.cfg.Strategy)
	if s.fairTurn > 0 {
		r.Stats.Fair.Walked = s.fairWalks
	}
	undecided := f.undecided > 0 || s.stopping == stats.StoppedStuck
	conclusive := !undecided && (r.Stats.ExhaustedDepth > 0 || ended > 0) && !r.Stats.judgedNothing(&s.cfg.System)
	r.Verdict = Conclude(f.finding != nil || f.found > f.accepted, s.stopping, conclusive)
	for i := range r.Stats.Sometimes {
		r.Stats.Sometimes[i].Walks, r.Stats.Sometimes[i].Of = s.totals.walked[i], ended
	}
	r.Stats.SampledWalks = s.totals.sampledWalks(s.coverage)
	return r
}

// cover fills in events that never happened, and the number of runs in which each Sometimes property held.
func (r *Stats) cover(sys *sim.System, c *coverage.Set, sometimes []int) {
	out := append(c.NeverHappened(), c.DisturbsNothing(sys)...)
	most, used := sys.Limits(), r.FaultsUsed
	for f := range sim.FaultCount {
		leftOut := r.Crashes != nil && len(r.Crashes.Implicit) > 0 && f.Event().TakesDown()
		if most[f] > 0 && used[f] == 0 && !leftOut {
			out = append(out, "fault "+f.Singular())
		}
	}
	r.BySample = c.BySample(sys)
	r.Sometimes = []stats.Sometimes{}
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Sometimes != nil {
			n := sometimes[len(r.Sometimes)]
			r.Sometimes = append(r.Sometimes, stats.Sometimes{Property: p.Name, Runs: n})
			if n == 0 {
				out = append(out, "sometimes "+p.Name)
			}
		}
	}
	slices.Sort(out)
	r.NeverHappened = out
}
