package search

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/search/fpset"
)

// Name names a strategy. The empty name means [Deepening].
type Name string

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
	phase  phase                                  // reports count its runs under this name
	faults bool                                   // its walks inject faults
	new    func(*worker, *fpset.Set) unitStrategy // makes the runs of a worker
	// plan returns the sources of units that the search alternates between, and the share of the work of each. Nil means
	// numbered walks alone.
	plan func(*searcher) ([]source, []int)
}

// strategies returns the table of strategies, in the order of help texts and reports. A new strategy is a file and a line here.
func strategies() []strategy {
	return []strategy{
		deepeningStrategy(),
		walkStrategy(),
		faultyStrategy(),
		bfsStrategy(),
		dfsStrategy(),
	}
}

// numbered reports whether the strategy makes only numbered walks.
func (s *strategy) numbered() bool { return s.new != nil && s.plan == nil }

// sources returns the sources of units that a search alternates between, and the share of the work of each.
func (s *strategy) sources(x *searcher) ([]source, []int) {
	if s.plan != nil {
		return s.plan(x)
	}
	return []source{s.row(&x.cfg)}, []int{1}
}

// row returns the source of the strategy's numbered walks.
func (s *strategy) row(c *Config) source {
	return &row{phase: s.phase, turns: newRotation(c.Schedules, s.faults)}
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

// Strategies returns all strategies, in the order of help texts.
func Strategies() []StrategyInfo {
	var list []StrategyInfo
	for _, s := range strategies() {
		list = append(list, s.StrategyInfo)
	}
	return list
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
func newRuns(w *worker, global *fpset.Set) map[phase]unitStrategy {
	runs := map[phase]unitStrategy{startPhase: &stay{}, prefixPhase: newWalks(w, prefixPhase, prefixTag)}
	for _, s := range strategies() {
		if s.new != nil {
			runs[s.phase] = s.new(w, global)
		}
	}
	return runs
}

// rooted is a unitStrategy with runs that start from given paths, in turn.
type rooted interface{ setRoots([]choose.Path) }
