package table_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
)

// visitedSets are all ways to keep visited states.
var visitedSets = stateset.Kinds

// quickSets returns all ways to keep visited states, or the k-th of them with -short.
func quickSets(k int) []stateset.Kind {
	if testing.Short() {
		return visitedSets[k : k+1]
	}
	return visitedSets
}

var bits64, bits128 = visitedSets[1], visitedSets[2]

// workers are the ways to start a second worker.
var workers = []func(func()){nil, func(f func()) { go f() }}

// agree compares all that does not depend on how visited states are kept.
func agree(t tester, x, y *table.Exploration) {
	t.Helper()
	if x.States != y.States || x.Transitions != y.Transitions || x.Live != y.Live || x.Depth != y.Depth || x.Expanded != y.Expanded ||
		x.Complete != y.Complete || x.Stopped != y.Stopped || message(x.Finding) != message(y.Finding) || !slices.Equal(x.Path, y.Path) {
		t.Fatalf("%+v\n%+v", x, y)
	}
}

// found returns x without what depends on the number of workers: work that a finding made useless.
func found(x *table.Exploration) table.Exploration {
	c := *x
	c.Finding = errors.New(message(x.Finding))
	c.Stats, c.Coverage, c.Frontier, c.Bytes = steptree.Stats{}, world.Coverage{}, 0, 0
	return c
}

func message(err error) string {
	var f *sim.Finding
	if errors.As(err, &f) {
		c := *f
		c.Stack = ""
		err = &c
	}
	return fmt.Sprint(err)
}

// Fingerprints find the same, by the same path.
func TestVisitedSets_FindTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	wide := bundled.System(t, "randtree", 12, sim.Limits{}) // 78 connections
	loud := &sim.System{Name: "loud", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{loud: true} },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &deaf{} }}}
	for _, test := range []struct {
		name string
		sys  *sim.System
		opts options.Options
	}{
		{"paxos", paxos(2), options.Options{}},
		{"a finding of a property", bundled.System(t, "paxos", 6, sim.Limits{}, "PX1"), options.Options{}},
		{"a finding in a step", loud, options.Options{}},
		{"many words", wide, options.Options{MaxDepth: 3}},
		{"pingack", bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 1, sim.Dup: 1, sim.Crashes: 1, sim.Partitions: 1}), options.Options{MaxDepth: 6}},
		{"states", paxos(2), options.Options{MaxStates: 5000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			exact := breadth(t, test.sys, test.opts)
			if exact.Omission != 0 || exact.Frontier == 0 {
				t.Errorf("got %+v, want a frontier, and no omission", exact)
			}
			test.opts.Go = workers[1]
			if x := breadth(t, test.sys, test.opts); !reflect.DeepEqual(found(exact), found(x)) {
				t.Errorf("%+v\n%+v", exact, x)
			}
			for k, visited := range slices.Concat(visitedSets[1:], visitedSets[1:]) {
				test.opts.Visited, test.opts.Go = visited, workers[k/2]
				x := breadth(t, test.sys, test.opts)
				agree(t, exact, x)
				n := float64(x.States)
				bits, _ := strconv.ParseFloat(visited.Name, 64)
				if want := n * (n - 1) / 2 / math.Pow(2, bits); math.Abs(x.Omission-want) > want*1e-9 {
					t.Errorf("the bound is %g, want %g", x.Omission, want)
				}
				if x.Frontier == 0 {
					t.Errorf("got %+v, want a frontier", x)
				}
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		sys := script.Draw(t).System()
		opts := options.Options{MaxDepth: 3, MaxStates: 2000, SkipRehearsal: true}
		exact := breadth(t, sys, opts)
		opts.Visited, opts.Go = rapid.SampledFrom(visitedSets).Draw(t, "visited"), workers[1]
		agree(t, exact, breadth(t, sys, opts))
	})
}
