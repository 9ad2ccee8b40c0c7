// Package bruteforce explores small systems by brute force. It is an oracle for tests, independent of reductions,
// tables and snapshots.
package bruteforce

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Graph is the reachable state graph of a system within its fault limits.
type Graph struct {
	// States are the distinct states, in the order of discovery. The first is an initial state.
	States []State
	// Steps is the number of executed steps.
	Steps int
}

// State is a state of the graph.
type State struct {
	// Path leads to the state. It is rarely a shortest path.
	Path choose.Path
	// Steps are the transitions from the state: one for each event and each sequence of answers to its handler's
	// questions.
	Steps []Step
	// Live reports whether all Eventually properties hold.
	Live bool
	// Err is the violation of an Always property, or nil.
	Err error
}

// Step is a transition.
type Step struct {
	To        int  // state
	Injection bool // a fault, or a crash inside the step
}

// Explore executes every transition of the graph once, and the paths to it repeatedly. The error is about the
// system, or the first finding of a step.
func Explore(sys *sim.System) (*Graph, error) {
	world, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	x := explorer{world: world, run: replay.NewRun(world), known: map[encoding.Fingerprint]int{}}
	for x.source.Next() {
		if err := x.explore(); err != nil {
			return nil, fmt.Errorf("path %v: %w", x.run.Path, err)
		}
	}
	return &x.graph, nil
}

// explorer enumerates all paths in lexicographic order. It leaves a path at a known state.
type explorer struct {
	world  kernel.World
	run    *replay.Run
	source choose.Enumerate
	known  map[encoding.Fingerprint]int
	graph  Graph

	last   choose.Path // the previous path
	trail  []int       // states of that path, at the beginning of each of its steps
	booted bool        // there is a previous path
	buf    []netmodel.Event
}

// explore executes one path. It shares with the previous path everything but the last of the choices that the
// source has planned.
func (x *explorer) explore() error {
	if err := x.run.Start(&x.source); err != nil {
		return err
	}
	boot := x.run.Path
	// All steps so far are those of the previous path
	again := x.booted && len(boot) <= len(x.last) && slices.Equal(boot, x.last[:len(boot)])
	if x.booted = true; !again {
		states := len(x.graph.States)
		if x.trail = append(x.trail[:0], x.meet()); x.trail[0] < states {
			x.last = append(x.last[:0], boot...)
			return nil
		}
	}
	for depth := 0; ; depth++ {
		enabled := len(x.world.Enabled())
		x.buf = x.world.Injections(x.buf[:0])
		n := enabled + len(x.buf)
		if n == 0 {
			break
		}
		index := x.source.Choose(choose.Point{Kind: choose.Event, Arity: n})
		from := len(x.run.Path)
		if err := x.run.Step(index, &x.source); err != nil {
			return err
		}
		x.graph.Steps++
		to := len(x.run.Path)
		if again = again && to <= len(x.last) && slices.Equal(x.run.Path[from:], x.last[from:to]); again {
			continue
		}
		states := len(x.graph.States)
		at, next := x.trail[depth], x.meet()
		x.graph.States[at].Steps = append(x.graph.States[at].Steps,
			Step{next, index >= enabled || x.world.Last().Crashed})
		if next < states {
			break
		}
		x.trail = append(x.trail[:depth+1], next)
	}
	x.last = append(x.last[:0], x.run.Path...)
	return nil
}

// meet returns the number of the world's state.
func (x *explorer) meet() int {
	print := x.world.Fingerprint()
	i, ok := x.known[print]
	if !ok {
		i = len(x.graph.States)
		x.known[print] = i
		x.graph.States = append(x.graph.States,
			State{Path: x.run.Path.Clone(), Live: x.world.Live(), Err: x.world.Check()})
	}
	return i
}

// Transitions returns the number of steps from all states.
func (g *Graph) Transitions() int {
	n := 0
	for i := range g.States {
		n += len(g.States[i].Steps)
	}
	return n
}

// Violation returns the first state that violates an Always property, or nil.
func (g *Graph) Violation() *State {
	return g.first(func(i int) bool { return g.States[i].Err != nil })
}

// Dead returns the first state from which no live state can be reached without faults, or nil.
func (g *Graph) Dead() *State {
	before := make([][]int, len(g.States))
	var work []int
	recovers := make([]bool, len(g.States))
	for i := range g.States {
		for _, s := range g.States[i].Steps {
			if !s.Injection {
				before[s.To] = append(before[s.To], i)
			}
		}
		if g.States[i].Live {
			recovers[i] = true
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range before[i] {
			if !recovers[b] {
				recovers[b] = true
				work = append(work, b)
			}
		}
	}
	return g.first(func(i int) bool { return !recovers[i] })
}

func (g *Graph) first(has func(i int) bool) *State {
	for i := range g.States {
		if has(i) {
			return &g.States[i]
		}
	}
	return nil
}
