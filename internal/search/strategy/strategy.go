// Package strategy has the names of the strategies of searches, and what each can do. Package search documents them.
package strategy

import (
	"slices"
	"strings"
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
	Name string
	Caps Capability
}

// All lists the strategies, in the order of help texts and reports. The first is the default.
var All = []Info{
	{"deepening", KeepsStates | BoundsDepth | Deepens | Walks | Durable | Faults},
	{"walk", Walks | Durable},
	{"faulty", Walks | Durable | Faults},
	{"swarm", Walks | Durable | Faults},
	{"bfs", VisitsStates | BreadthFirst | KeepsStates | BoundsDepth | Durable | Faults},
	{"dfs", VisitsStates | KeepsStates | BoundsDepth | Faults},
}

// Can reports whether the strategy with a name has all of the capabilities. An empty name means the default.
func Can(name string, c Capability) bool {
	return name == "" && All[0].Caps&c == c || slices.Contains(Names(c), name)
}

// Names returns the names of the strategies that have all of the capabilities, in the order of help texts.
func Names(c Capability) []string {
	var names []string
	for _, s := range All {
		if s.Caps&c == c {
			names = append(names, s.Name)
		}
	}
	return names
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
