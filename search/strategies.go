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
	"github.com/macemc/macemc/internal/search/strategy"
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

// runner executes the units of a strategy.
type runner struct {
	name Name

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

// runners returns the table of strategies, in the order of reports. Their descriptions and capabilities are in
// [strategy.All].
func runners() []runner {
	return []runner{
		{
			name:  Deepening,
			phase: deepeningPhase,
			new: func(w *worker, global *fpset.Set) runs.Strategy {
				faults, key := w.cfg.System.Limits() != sim.Limits{}, w.cfg.key()
				return runs.NewDeepening(w.cfg.walking(), faults, key, w.loop.Replay(), global)
			},
			plan: planDeepening,
		},
		{
			name:  Walk,
			phase: walkPhase,
			new:   func(w *worker, _ *fpset.Set) runs.Strategy { return runs.NewWalks(w.cfg.walking(), runs.WalkTag) },
		},
		{
			name:   Faulty,
			phase:  faultyPhase,
			faults: true,
			new: func(w *worker, _ *fpset.Set) runs.Strategy {
				return runs.NewFaulty(w.cfg.walking(), w.cfg.System.Limits())
			},
		},
		{
			name:   Swarm,
			phase:  "swarm walks",
			faults: true,
			new: func(w *worker, _ *fpset.Set) runs.Strategy {
				return runs.NewSwarm(w.cfg.walking(), w.cfg.System.Limits())
			},
		},
		{name: BFS, frontier: explore.Queue},
		{name: DFS, frontier: explore.Stack},
	}
}

// walking returns the settings of random walks.
func (c *Config) walking() runs.Settings {
	return runs.Settings{Scale: c.Weights.Scale(), Given: c.weightsGiven, Schedules: c.Schedules, Seed: c.Seed, Steps: c.WalkSteps}
}

// planDeepening alternates between the tree of choices and random walks.
func planDeepening(s *searcher) ([]source, []int) {
	deep := s.cfg.Reach.tree(&tree{roots: s.roots, most: s.cfg.MaxDepth, by: s.cfg.DeepenBy})
	deep.Sampled = deep.Sampled || len(s.sampled) > 0
	walks, faults := Walk.runner(), Faulty.runner()
	switch {
	case s.cfg.Alone:
		return []source{deep}, []int{1}
	case s.cfg.System.Limits() == sim.Limits{} && declared.DisturbingOf(&s.cfg.System) == nil:
		return []source{deep, walks.series(&s.cfg)}, []int{1, 1}
	}
	return []source{deep, faults.series(&s.cfg), walks.series(&s.cfg)}, []int{3, 4, 2}
}

// numbered reports whether the strategy makes only numbered walks.
func (s *runner) numbered() bool { return s.new != nil && s.plan == nil }

// sources returns the sources of units that a search alternates between, and the share of the work of each.
func (s *runner) sources(x *searcher) ([]source, []int) {
	if s.plan != nil {
		return s.plan(x)
	}
	return []source{s.series(&x.cfg)}, []int{1}
}

// series returns the source of the strategy's numbered walks.
func (s *runner) series(c *Config) source {
	return &walkSeries{phase: s.phase, turns: newRotation(c.Schedules, s.faults)}
}

// runner returns the runner of n; nil means that no strategy has this name.
func (n Name) runner() *runner {
	for _, s := range runners() {
		if s.name == cmp.Or(n, Deepening) {
			return &s
		}
	}
	return nil
}

// strategy returns the strategy that makes the runs of a phase. Phases outside all strategies consist of plain walks.
func (p phase) strategy() Name {
	for _, s := range runners() {
		if s.phase == p && p != "" {
			return s.name
		}
	}
	return Walk
}

// Validate returns an error if no strategy has this name.
func (n Name) Validate() error {
	if n.runner() == nil {
		return fmt.Errorf("strategy %q is not one of %s", n, strings.Join(strategy.Names(0), ", "))
	}
	return nil
}

// Can reports whether the strategy has all of the capabilities.
func (n Name) Can(c strategy.Capability) bool { return strategy.Can(string(n), c) }

// Require returns an error if the strategy lacks the capability that an option needs.
func (n Name) Require(c strategy.Capability, option string) error {
	if n.Can(c) {
		return nil
	}
	return fmt.Errorf("%s needs a strategy that %v (%s), not %s", option, c, strings.Join(strategy.Names(c), ", "), cmp.Or(n, Deepening))
}

// newRuns returns the unit strategies of all phases for a worker.
func newRuns(w *worker, global *fpset.Set) map[phase]runs.Strategy {
	all := map[phase]runs.Strategy{startPhase: &runs.Stay{}, prefixPhase: runs.NewWalks(w.cfg.walking(), runs.PrefixTag)}
	for _, s := range runners() {
		if s.new != nil {
			all[s.phase] = s.new(w, global)
		}
	}
	return all
}

// rooted is a runs.Strategy with runs that start from given paths, in turn.
type rooted interface{ SetRoots([]choose.Path) }
