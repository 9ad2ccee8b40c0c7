package search

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/sim"
)

// Name names a strategy. The empty name means [Deepening].
type Name string

const (
	// Deepening is bounded depth-first search with increasing bounds, events of greater weight first, with walks from
	// leaves that are not live. It alternates with plain walks, and with faulty walks if there are faults or disturbing
	// events.
	Deepening Name = "deepening"
	// Walk makes weighted random walks from the start, without faults.
	Walk Name = "walk"
	// Faulty makes random walks in rounds: with faults for a while, then without until the run is live.
	Faulty Name = "faulty"
	Swarm  Name = "swarm" // makes faulty walks, each with a random subset of the allowed faults
	BFS    Name = "bfs"   // breadth-first over states by the table engine, to completion or a depth in steps
	// DFS is depth-first over states, likewise. A violation may take many steps, but the frontier takes little memory.
	// With MaxDepth a state is skipped only if it was seen at the same or a smaller depth.
	DFS Name = "dfs"
)

// Capability is a set of things that a strategy does. Options and errors are decided by capabilities, not by names.
type Capability uint16

const (
	VisitsStates Capability = 1 << iota // explores global states by the table engine rather than executing runs
	BreadthFirst                        // visits states in the order of their depth
	KeepsStates                         // has a visited set
	BoundsDepth                         // has a depth, see Config.MaxDepth
	Deepens                             // raises its depth step by step, and can continue from a [Reach]
	Walks                               // makes random walks, which have schedules and can be divided by their seeds
	Durable                             // can continue from the content of a folder
)

// capabilities describes each Capability, in the order of the constants, for "a strategy that ...".
var capabilities = [...]string{
	"visits all states", "visits states breadth first", "keeps states", "bounds the depth", "deepens iteratively", "makes random walks",
	"can be resumed",
}

// StrategyInfo describes a strategy.
type StrategyInfo struct {
	Name Name
	Doc  string // one line of description
	Caps Capability
}

// strategy is a row of the table of strategies.
type strategy struct {
	StrategyInfo

	// frontier orders the states of strategies that visit states.
	frontier explore.FrontierKind

	// The rest is for strategies that execute runs.
	phase  phase                                   // reports count its runs under this name
	faults bool                                    // its walks inject faults
	new    func(*worker, *fpset.Set) runs.Strategy // makes the runs of a worker
	// plan returns the sources of units that the search alternates between, and the share of the work of each. Nil means
	// numbered walks alone.
	plan func(*searcher) ([]source, []int)
}

// strategies returns the table of strategies, in the order of help texts and reports.
func strategies() []strategy {
	return []strategy{
		{
			StrategyInfo: StrategyInfo{Deepening, "search exhaustively to increasing depths, alternating with random walks",
				KeepsStates | BoundsDepth | Deepens | Walks | Durable},
			phase: deepeningPhase,
			new: func(w *worker, global *fpset.Set) runs.Strategy {
				faults := w.cfg.System.Limits() != sim.Limits{}
				return runs.NewDeepening(w.cfg.walking(), faults, w.cfg.Visited.key(), w.loop.Replay(), global)
			},
			plan: planDeepening,
		},
		{
			StrategyInfo: StrategyInfo{Walk, "walk at random, without faults", Walks | Durable},
			phase:        walkPhase,
			new:          func(w *worker, _ *fpset.Set) runs.Strategy { return runs.NewWalks(w.cfg.walking(), runs.WalkTag) },
		},
		{
			StrategyInfo: StrategyInfo{Faulty, "walk at random, alternating phases with faults and phases of recovery", Walks | Durable},
			phase:        faultyPhase,
			faults:       true,
			new: func(w *worker, _ *fpset.Set) runs.Strategy {
				return runs.NewFaulty(w.cfg.walking(), w.cfg.System.Limits())
			},
		},
		{
			StrategyInfo: StrategyInfo{Swarm, "like faulty, each run with a random subset of the faults", Walks | Durable},
			phase:        "swarm walks",
			faults:       true,
			new: func(w *worker, _ *fpset.Set) runs.Strategy {
				return runs.NewSwarm(w.cfg.walking(), w.cfg.System.Limits())
			},
		},
		{
			StrategyInfo: StrategyInfo{BFS, "visit all states breadth first", VisitsStates | BreadthFirst | KeepsStates | BoundsDepth | Durable},
			frontier:     explore.Queue,
		},
		{
			StrategyInfo: StrategyInfo{DFS, "visit all states depth first", VisitsStates | KeepsStates | BoundsDepth},
			frontier:     explore.Stack,
		},
	}
}

// walking returns the settings of random walks.
func (c *Config) walking() runs.Settings {
	names := make([]string, len(c.Schedules))
	for i, name := range c.Schedules {
		names[i] = string(name)
	}
	return runs.Settings{Scale: c.Weights.Scale(), Given: c.weightsGiven, Schedules: names, Seed: c.Seed, Steps: c.WalkSteps}
}

// planDeepening alternates between the tree of choices and random walks.
func planDeepening(s *searcher) ([]source, []int) {
	deep := s.cfg.Reach.tree(&tree{roots: s.roots, most: s.cfg.MaxDepth, by: s.cfg.DeepenBy})
	deep.Sampled = deep.Sampled || len(s.sampled) > 0
	walks, faults := Walk.strategy(), Faulty.strategy()
	switch {
	case s.cfg.Alone:
		return []source{deep}, []int{1}
	case s.cfg.System.Limits() == sim.Limits{} && declared.DisturbingOf(&s.cfg.System) == nil:
		return []source{deep, walks.series(&s.cfg)}, []int{1, 1}
	}
	return []source{deep, faults.series(&s.cfg), walks.series(&s.cfg)}, []int{3, 4, 2}
}

// numbered reports whether the strategy makes only numbered walks.
func (s *strategy) numbered() bool { return s.new != nil && s.plan == nil }

// sources returns the sources of units that a search alternates between, and the share of the work of each.
func (s *strategy) sources(x *searcher) ([]source, []int) {
	if s.plan != nil {
		return s.plan(x)
	}
	return []source{s.series(&x.cfg)}, []int{1}
}

// series returns the source of the strategy's numbered walks.
func (s *strategy) series(c *Config) source {
	return &walkSeries{phase: s.phase, turns: newRotation(c.Schedules, s.faults)}
}

// strategy returns the row of the table for n; nil means that there is none.
func (n Name) strategy() *strategy {
	for _, s := range strategies() {
		if s.Name == cmp.Or(n, Deepening) {
			return &s
		}
	}
	return nil
}

// strategy returns the strategy that makes the runs of a phase. Phases outside all strategies consist of plain walks.
func (p phase) strategy() Name {
	for _, s := range strategies() {
		if s.phase == p && p != "" {
			return s.Name
		}
	}
	return Walk
}

// StrategyNames returns the names of the strategies that have all of the capabilities, in the order of help texts.
func StrategyNames(c Capability) []string {
	var names []string
	for _, s := range strategies() {
		if s.Caps&c == c {
			names = append(names, string(s.Name))
		}
	}
	return names
}

// Validate returns an error if no strategy has this name.
func (n Name) Validate() error {
	if n.strategy() == nil {
		return fmt.Errorf("strategy %q is not one of %s", n, strings.Join(StrategyNames(0), ", "))
	}
	return nil
}

// Can reports whether the strategy has all of the capabilities.
func (n Name) Can(c Capability) bool {
	s := n.strategy()
	return s != nil && s.Caps&c == c
}

// Require returns an error if the strategy lacks the capability that an option needs.
func (n Name) Require(c Capability, option string) error {
	if n.Can(c) {
		return nil
	}
	return fmt.Errorf("%s needs a strategy that %v (%s), not %s", option, c, strings.Join(StrategyNames(c), ", "), cmp.Or(n, Deepening))
}

// String describes the capabilities as actions of a strategy: "visits all states".
func (c Capability) String() string {
	var list []string
	for i, text := range capabilities {
		if c&(1<<i) != 0 {
			list = append(list, text)
		}
	}
	return strings.Join(list, " and ")
}

// newRuns returns the unit strategies of all phases for a worker.
func newRuns(w *worker, global *fpset.Set) map[phase]runs.Strategy {
	all := map[phase]runs.Strategy{startPhase: &runs.Stay{}, prefixPhase: runs.NewWalks(w.cfg.walking(), runs.PrefixTag)}
	for _, s := range strategies() {
		if s.new != nil {
			all[s.phase] = s.new(w, global)
		}
	}
	return all
}

// rooted is a runs.Strategy with runs that start from given paths, in turn.
type rooted interface{ SetRoots([]choose.Path) }
