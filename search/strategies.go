package search

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/choose"
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

// walking returns the settings of random walks.
func (c *Config) walking() runs.Settings {
	return runs.Settings{Scale: c.Weights.Scale(), Given: c.weightsGiven, Schedules: c.Schedules, Seed: c.Seed, Steps: c.WalkSteps,
		Limits: c.System.Limits()}
}

// sources returns the sources of units that a search alternates between, and the share of the work of each.
func (s *searcher) sources() ([]source, []int) {
	if !s.cfg.Strategy.Can(strategy.Deepens) {
		return []source{s.cfg.walks(s.cfg.Strategy)}, []int{1}
	}
	deep := s.cfg.Reach.tree(&tree{roots: s.roots, most: s.cfg.MaxDepth, by: s.cfg.DeepenBy})
	deep.Sampled = deep.Sampled || len(s.totals.sampled) > 0
	switch {
	case s.cfg.Alone:
		return []source{deep}, []int{1}
	case s.cfg.System.Limits() == sim.Limits{} && declared.DisturbingOf(&s.cfg.System) == nil:
		return []source{deep, s.cfg.walks(Walk)}, []int{1, 1}
	}
	return []source{deep, s.cfg.walks(Faulty), s.cfg.walks(Walk)}, []int{3, 4, 2}
}

// walks returns the source of the numbered walks of a strategy.
func (c *Config) walks(n Name) source {
	s := n.info()
	return &walkSeries{phase: phase(s.Phase), turns: newRotation(c.Schedules, s.Can(strategy.Faults))}
}

// info describes the strategy. Nil means that no strategy has this name.
func (n Name) info() *strategy.Info { return strategy.Named(string(n)) }

// strategy returns the strategy that makes the runs of a phase. Phases outside all strategies consist of plain walks.
func (p phase) strategy() Name {
	if p == deepeningPhase {
		return Deepening
	}
	if s := strategy.OfWalks(string(p)); s != nil {
		return Name(s.Name)
	}
	return Walk
}

// Validate returns an error if no strategy has this name.
func (n Name) Validate() error {
	if n.info() == nil {
		return fmt.Errorf("strategy %q is not one of %s", n, strings.Join(strategy.Names(0), ", "))
	}
	return nil
}

// Can reports whether the strategy has all of the capabilities.
func (n Name) Can(c strategy.Capability) bool { return strategy.Can(string(n), c) }

// newRuns returns the strategies of all phases for a worker.
func newRuns(w *worker, global *fpset.Set) map[phase]runs.Strategy {
	c := w.cfg.walking()
	all := map[phase]runs.Strategy{
		startPhase:     &runs.Stay{},
		prefixPhase:    runs.NewWalks(c, runs.PrefixTag),
		deepeningPhase: runs.NewDeepening(c, w.cfg.key(), w.loop.Replay(), global),
	}
	for i := range strategy.All {
		if s := &strategy.All[i]; s.New != nil {
			all[phase(s.Phase)] = s.New(c)
		}
	}
	return all
}

// rooted is a runs.Strategy with runs that start from given paths, in turn.
type rooted interface{ SetRoots([]choose.Path) }
