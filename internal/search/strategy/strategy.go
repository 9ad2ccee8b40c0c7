// Package strategy has the table of the strategies of searches. Package search executes them.
package strategy

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/search/runs"
)

// Capability is a set of things that a strategy does. Options and errors are decided by capabilities, not by names.
type Capability uint16

const (
	VisitsStates Capability = 1 << iota // explores global states by the table engine rather than executing runs
	BreadthFirst                        // visits states in the order of their depth
	KeepsStates                         // has a visited set
	BoundsDepth                         // has a depth, see [search.Config].MaxDepth
	Deepens                             // raises its depth step by step, and can continue from a [search.Reach]
	Walks                               // makes random walks, which have schedules and can be divided by their seeds
	Durable                             // can continue from the content of a folder
	Faults                              // injects faults
)

// capabilities describes each Capability, in the order of the constants, for "a strategy that ...".
var capabilities = [...]string{
	"visits all states", "visits states breadth first", "keeps states", "bounds the depth", "deepens iteratively", "makes random walks",
	"can be resumed", "injects faults",
}

// Info describes a strategy.
type Info struct {
	Name   string
	Caps   Capability
	Method string // how it searches, for documents
	Result string // what it can establish, for documents

	// Frontier orders the states of a strategy that visits states.
	Frontier explore.FrontierKind

	// Phase is the name under which reports count the runs of a strategy that executes runs.
	Phase string
	// New makes the walks of a strategy that consists of numbered walks. It is nil for other strategies.
	New func(runs.Settings) runs.Strategy
}

// Phases of the strategy that deepens.
const (
	DeepeningPhase = "deepening"
	LeafWalks      = "leaf walks" // its walks from leaves that are not live
)

// All lists the strategies, in the order of help texts and reports. The first is the default. A new strategy is an entry here and a
// constant in search/strategies.go, from which flags, errors and reports follow. One of random walks also needs a file of package runs.
// Some of its runs must recover from the initial state at once, so that this state is judged. One that visits states needs a frontier of
// package explore.
var All = []Info{
	{
		Name: "deepening", Caps: KeepsStates | BoundsDepth | Deepens | Walks | Durable | Faults,
		Method: "all choices to a growing depth, alternating with random walks", Result: "violations; their absence to a depth",
		Phase: DeepeningPhase,
	},
	{
		Name: "walk", Caps: Walks | Durable,
		Method: "random walks without faults", Result: "violations",
		Phase: "walks", New: func(c runs.Settings) runs.Strategy { return runs.NewWalks(c, runs.WalkTag) },
	},
	{
		Name: "faulty", Caps: Walks | Durable | Faults,
		Method: "random walks in which phases with faults alternate with phases of recovery", Result: "violations",
		Phase: "faulty walks", New: func(c runs.Settings) runs.Strategy { return runs.NewFaulty(c) },
	},
	{
		Name: "swarm", Caps: Walks | Durable | Faults,
		Method: "as `faulty`, each run with a random subset of the faults", Result: "violations",
		Phase: "swarm walks", New: func(c runs.Settings) runs.Strategy { return runs.NewSwarm(c) },
	},
	{
		Name: "bfs", Caps: VisitsStates | BreadthFirst | KeepsStates | BoundsDepth | Durable | Faults,
		Method: "every state, breadth first", Result: "a proof within the limits; shortest runs to safety violations",
		Frontier: explore.Queue,
	},
	{
		Name: "dfs", Caps: VisitsStates | KeepsStates | BoundsDepth | Faults,
		Method: "every state, depth first", Result: "a proof within the limits",
		Frontier: explore.Stack,
	},
}

// Named returns the strategy with a name, or nil if none has it. An empty name means the default.
func Named(name string) *Info {
	if name == "" {
		return &All[0]
	}
	return find(func(s *Info) bool { return s.Name == name })
}

// OfWalks returns the strategy of numbered walks that makes the runs of a phase. Nil means none.
func OfWalks(phase string) *Info {
	return find(func(s *Info) bool { return s.New != nil && s.Phase == phase })
}

func find(fits func(*Info) bool) *Info {
	for i := range All {
		if fits(&All[i]) {
			return &All[i]
		}
	}
	return nil
}

// Can reports whether the strategy has all of the capabilities.
func (s *Info) Can(c Capability) bool { return s.Caps&c == c }

// Can reports whether the strategy with a name has all of the capabilities. An empty name means the default.
func Can(name string, c Capability) bool {
	s := Named(name)
	return s != nil && s.Can(c)
}

// Names returns the names of the strategies that have all of the capabilities, in the order of help texts.
func Names(c Capability) []string {
	var names []string
	for _, s := range All {
		if s.Can(c) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Without returns the names of the strategies that lack a capability, in the order of help texts.
func Without(c Capability) []string {
	return slices.DeleteFunc(Names(0), func(name string) bool { return Can(name, c) })
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
