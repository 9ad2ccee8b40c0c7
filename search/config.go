package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/option"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
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
	Schedules []string      // schedules that walks take turns at, see package schedules; nil means those with a share there
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
	// changes.
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
	// PathBuffers are empty paths with the capacity in which the runs of the workers are recorded while they are made.
	// Nil means ordinary memory.
	PathBuffers []choose.Path `json:"-"`

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

// Options are the options of commands that are fields of a Config, and the rules for all of its fields. An option that
// ends searches has a reason in package stats.
var Options = []option.Row[Config]{
	{Flag: "strategy", Field: "Strategy",
		Help: "use `NAME`: " + strings.Join(strategy.Names(0), ", ") + " (default " + strategy.All[0].Name + ")",
		At:   func(c *Config) any { return (*string)(&c.Strategy) }, Kinds: strategy.Names(0), Is: option.Usual | option.Fixed},
	{Flag: "schedules", Field: "Schedules", Help: "order by `NAMES`: " + strings.Join(schedules.Names(), ", "),
		At: func(c *Config) any { return (*schedules.List)(&c.Schedules) }, Zero: schedules.Default, Needs: strategy.Walks,
		Is: option.Fixed | option.Lenient},
	{Flag: "depth", Field: "MaxDepth", Help: "maximum depth `D`: steps for bfs and dfs, choices for deepening",
		At: func(c *Config) any { return &c.MaxDepth }, Zero: fpset.MaxDepth, Least: 1, Most: fpset.MaxDepth, Needs: strategy.BoundsDepth,
		Is: option.Fixed | option.Lenient},
	{Flag: "deepen-by", Field: "DeepenBy", Help: "increase the depth of deepening by `N` each time (default 1)",
		At: func(c *Config) any { return &c.DeepenBy }, Zero: 1, Least: 1, Most: fpset.MaxDepth, Needs: strategy.Deepens, Is: option.Fixed},
	{Flag: "walk-steps", Field: "WalkSteps", Help: "length `N` of a random walk in steps (default 2000)",
		At: func(c *Config) any { return &c.WalkSteps }, Zero: runs.DefaultSteps, Least: 1, Most: 1 << 30, Is: option.Fixed},
	{Flag: "walks", Field: "Walks", Help: "make `K` walks per probe of a critical transition (default 200)",
		At: func(c *Config) any { return &c.Walks }, Zero: 200, Least: 1, Most: 1 << 30},
	{Flag: "seed", Field: "Seed", Help: "seed the random walks with `N`, at least 1",
		At: func(c *Config) any { return &c.Seed }, Default: 1, Zero: 1, Least: 1, Is: option.Usual | option.Fixed},
	{Flag: "engine", Field: "Engine", Help: "execute steps by `NAME`: table, replay or auto (default auto)",
		At: func(c *Config) any { return &c.Engine }, Zero: runloop.AutoEngine, Kinds: runloop.Engines()},
	{Flag: "visited", Field: "Visited",
		Help: "store states as `KIND`: " + strings.Join(stateset.Names(), ", ") + "; deepening: none or 1 to 128 bits",
		At:   func(c *Config) any { return &c.Visited }, Needs: strategy.KeepsStates},
	{Flag: "reduce", Field: "Reduce", Help: "leave out states by `KIND`: none, drop, full or auto (default auto)",
		At: func(c *Config) any { return &c.Reduce }, Kinds: options.Reductions(), Idle: []string{options.ReduceNone, options.ReduceAuto},
		Needs: strategy.VisitsStates, Is: option.Omits},
	{Flag: "symmetry", Field: "Symmetry", Help: "visit one of the states that differ by permuting nodes of a role",
		At: func(c *Config) any { return &c.Symmetry }, Needs: strategy.VisitsStates, Is: option.Omits},
	{Flag: "crash-model", Field: "Crashes", Help: "crash nodes by `MODEL`: explicit, implicit or auto (default explicit)",
		At: func(c *Config) any { return &c.Crashes }, Kinds: options.CrashModels(), Idle: []string{options.CrashExplicit},
		Needs: strategy.VisitsStates, Is: option.Omits},
	{Flag: "shortest", Field: "Shortest", Help: "look for a shorter run to the safety violation",
		At: func(c *Config) any { return &c.Shortest }, Needs: strategy.VisitsStates},
	{Flag: "prefixes", Field: "PrefixRuns", Help: "start from `N` live states, which walks without faults reach",
		At: func(c *Config) any { return &c.PrefixRuns }, Most: 1 << 20, Needs: strategy.Walks, Is: option.Lenient},
	{Flag: "alone", Field: "Alone", Help: "disable the random walks from the initial state",
		At: func(c *Config) any { return &c.Alone }, Needs: strategy.Deepens, Is: option.Fixed},
	{Flag: "workers", Field: "Workers", Help: "run `N` workers in parallel (default: all cores)",
		At: func(c *Config) any { return &c.Workers }, Zero: runs.DefaultWorkers, Least: 1, Most: runs.MaxWorkers, Is: option.Usual},
	{Flag: "time", Field: "Time", Help: "stop after `TIME` of CPU time per worker, or never if 0",
		At: func(c *Config) any { return &c.Time }, Default: time.Minute, Is: option.Usual},
	{Flag: "max-paths", Field: "MaxPaths", Help: "stop after `N` paths (default: no limit)",
		At: func(c *Config) any { return &c.MaxPaths }, Zero: math.MaxInt, Least: 1, Needs: strategy.Walks, Is: option.Lenient},
	{Flag: "handler-limit", Field: "HandlerLimit", Help: "suspect divergence if a handler runs longer than `TIME`",
		At: func(c *Config) any { return &c.HandlerLimit }, Default: budget.DefaultHandlerLimit, Zero: budget.DefaultHandlerLimit, Least: 1},

	{Field: "MaxBytes", At: func(c *Config) any { return &c.MaxBytes }, Needs: strategy.KeepsStates},
	{Field: "Reach", At: func(c *Config) any { return &c.Reach }, Needs: strategy.Deepens},
	{Field: "Log", At: func(c *Config) any { return &c.Log }, Needs: strategy.BreadthFirst},
}

// complete returns c with all defaults filled in and the property selected, or an error about the first invalid field.
func (c Config) complete() (Config, error) {
	if c.Property != "" {
		sys, err := c.System.Only(c.Property)
		if err != nil {
			return c, err
		}
		c.System, c.Property = sys, ""
	}
	if err := c.System.Validate(); err != nil {
		return c, err
	}
	if err := c.fits(); err != nil {
		return c, err
	}
	c.Strategy = cmp.Or(c.Strategy, Deepening)
	if c.Weights == (Weights{}) {
		c.Weights = DefaultWeights()
	}
	if err := c.Weights.Validate(); err != nil {
		return c, err
	}
	c.weightsGiven = c.Weights != DefaultWeights()
	c.start = budget.Now()
	option.Complete(Options, &c)
	return c, nil
}

// fits returns the first error about a field that is invalid or does not fit another one.
func (c *Config) fits() error {
	caller := option.Caller{Strategy: string(c.Strategy)}
	if err := option.Check(Options, c, caller, nil); err != nil {
		return err
	}
	if c.Log != nil {
		if err := option.Complain(Options, c, caller, "a log"); err != nil {
			return err
		}
	}
	switch {
	case c.Shortest && c.RemoteExplorer != nil:
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Shortest cannot be combined with RemoteExplorer, which searches breadth first anyway")
	case c.Reach != nil && (len(c.Prefix) > 0 || c.PrefixRuns > 0):
		return errors.New("Reach resumes a search from the initial state and cannot be combined with a prefix")
	case c.Engine == runloop.ReplayEngine && c.Strategy.Can(strategy.VisitsStates):
		return fmt.Errorf("strategy %s needs the engine %s", c.Strategy, runloop.TableEngine)
	}
	if err := c.fitsVisited(); err != nil {
		return err
	}
	return schedules.Validate(c.Schedules)
}

// fitsVisited returns an error if Visited does not fit the strategy.
func (c *Config) fitsVisited() error {
	if c.Visited == "" {
		return nil
	}
	if c.Strategy.Can(strategy.Deepens) {
		if _, ok := runs.ParseKey(c.Visited); !ok {
			return fmt.Errorf("visited set %q of strategy %s is neither %s nor a number of bits, 1 to 128", c.Visited, c.Strategy, runs.AllStates)
		}
		return nil
	}
	if _, err := stateset.Named(c.Visited); err != nil {
		return fmt.Errorf("strategy %s: %w", c.Strategy, err)
	}
	return nil
}

// key returns the key of deepening.
func (c *Config) key() runs.Key {
	key, _ := runs.ParseKey(c.Visited)
	return key
}
