package check_test

import (
	"os"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A search reports any call of checked code that ends its process, with a path that reproduces it: calls that compute
// enabled events, re-executions, and confirmations of suspects.
func TestSupervisedPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	ways := waysToVisit()
	for _, c := range []struct {
		where, what string
		steps       int
		ways        []string
	}{
		{"when", `the When of action "draw"`, 3, []string{ways[0], ways[11]}},
		{"need", `the Need of quorum "votes"`, 4, []string{ways[2], "dfs 64 none 1 4"}},
		{"fits", `the Fits of quorum "votes"`, 3, ways[2:3]},
		{"key", `the Key of quorum "votes"`, 3, append(ways[1:2:2], "bfs 64 full 1")},
		{"guard", `the Guard of quorum "votes"`, 3, []string{ways[9], "bfs exact full 2"}},
		{"may crash", "MayCrash", 0, []string{ways[1], ways[14]}},
		{"may halt", "MayHalt", 0, ways[9:10]},
		{"new", "New(1)", 0, []string{"walk", ways[15]}},
		{"late", "Late(0)", 0, []string{"faulty", ways[1]}},
		{"monitor maker", "the function that makes monitor 0", 0, []string{"deepening", ways[2]}},
		{"new of a late node", "New(1)", 1, []string{"deepening", ways[0]}},
		{"new after a crash", "New(1)", 2, []string{"faulty", "deepening"}}, // tables assume that such a New always behaves the same
		{"again", "the handler", 6, ways[:1]},
		{"fair walk", "the handler", 90, []string{"bfs 64 none 2", "walk"}},
		{"walk", "the handler", 3, []string{"walk", "faulty"}},
		{"recovery", "the handler", 25, []string{"deepening", "faulty"}},
	} {
		t.Run(c.where, func(t *testing.T) {
			for _, how := range c.ways {
				named(t, "in "+c.where, how, sim.Panic, c.what+" ends the process with exit status 5", c.steps)
			}
		})
	}
}

// A death during the comparison of an abstraction is reported there and does not change the results of the search.
func TestComparisonThatEndsTheProcess(t *testing.T) {
	for _, how := range []string{"walk", "bfs exact none 1 2"} {
		rep, _, again := visits(t, "in comparison", how)
		if a := rep.Coverage.Assumed; rep.Verdict != search.OK || !again || len(a) != 1 || a[0].Verdict != "undecided" || a[0].What != "the comparison terminated the process" {
			t.Errorf("%s: %s, %q, %+v", how, rep.Verdict, rep.Message, a)
		}
	}
}

// A search that continues after findings also reports such a run. It mentions a run that it cannot reproduce.
func TestKeepGoingConfirming(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, how := range []string{"walk", "deepening"} {
		rep, _, _ := visits(t, "in recovery+slip", how)
		dies := func(f *report.Report) bool {
			return f.Message == "the handler ends the process with exit status 5" && f.Steps == 25
		}
		if rep.Verdict != search.Violation || !slices.ContainsFunc(rep.Findings, dies) {
			t.Errorf("%s: %s, %q, %d findings", how, rep.Verdict, rep.Message, len(rep.Findings))
		}
	}
}

// small limits searches that reach the tested place after little work: fair walks are made if there is no memory for
// all states.
func small(harm string, s *search.Config) {
	switch fair := harm == "in fair walk"; {
	case fair && s.Strategy.Can(strategy.VisitsStates):
		s.MaxBytes = 6 << 20
	case fair, harm == "in comparison":
		s.MaxPaths, s.WalkSteps = 1, 10
	}
}

// waited reports whether another process waits for this one. State-independent code ends only such a process.
func waited() bool { return os.Getenv("MACEMC_ROLE") != "" }

// placed ends the process in one place, after node 0 has made its draws.
func placed(where string) sim.System {
	sys := sim.System{
		Name: "placed", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(placedNode) },
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	draw := sim.Action[*placedNode]{
		Name: "draw", At: func(id sim.NodeID) bool { return id == 0 },
		When: func(s *placedNode) bool { return quit(where == "when", s.Drew...) && len(s.Drew) < 3 },
		Do: func(s *placedNode, env sim.Env) {
			if s.Drew = append(s.Drew, env.Choose("a", 8)); slices.Equal(s.Drew, []int{3, 5, 6}) {
				for i := range 3 {
					env.Send(1, vote(i))
				}
			}
		},
	}
	sys.Actions = []sim.AnyAction{draw}
	voted := func(function string, n int) { quit(where == function && n == 2, 3, 5, 6) }
	sys.Quorums = []sim.AnyQuorum{sim.Quorum[*placedNode, vote]{
		Name: "votes",
		Need: func(s *placedNode) int { voted("need", s.Votes+1); return 1 },
		Fits: func(_ *placedNode, _ sim.NodeID, v vote) bool { voted("fits", int(v)); return true },
		Key:  func(v vote) any { voted("key", int(v)); return 0 },
		Guard: func(_ *placedNode, set []sim.From[vote]) bool {
			voted("guard", int(set[0].Msg))
			return true
		},
		Do: func(s *placedNode, _ sim.Env, _ []sim.From[vote]) { s.Votes++ },
	}}
	switch where {
	case "again":
		poked := false // while it was up
		sys.Actions = append(sys.Actions, sim.Action[*placedNode]{
			Name: "poke", When: func(s *placedNode) bool { return len(s.Drew) == 3 && s.Drew[2] == 6 },
			Do: func(s *placedNode, env sim.Env) {
				if s.Up = !s.Up; s.Up {
					quit(poked && waited(), s.Drew...)
					poked = slices.Equal(s.Drew, []int{3, 5, 6})
					env.Send(1, "poked")
				}
			},
		})
	case "new", "new of a late node", "new after a crash":
		making(&sys, where)
	case "late":
		sys.Late = func(sim.NodeID) bool { return !quit(true, 3, 5, 6) }
	case "monitor maker":
		sys.Monitors = []func() sim.Monitor{func() sim.Monitor { quit(true, 3, 5, 6); return nil }}
	case "fair walk":
		return idling()
	case "walk":
		return flipping(3)
	case "comparison":
		both := func(quits bool) func() sim.System {
			return func() sim.System {
				return sim.System{
					Name: "both", Nodes: 2, New: func(sim.NodeID) sim.Service { return new(placedNode) },
					Actions: []sim.AnyAction{sim.Action[*placedNode]{Name: "go", Times: 1, Do: func(*placedNode, sim.Env) { quit(quits, 3, 5, 6) }}},
				}
			}
		}
		sys.Abstractions = []sim.Abstraction{{Name: "nothing", Used: true, Impl: both(true), Abs: both(false), Clients: []sim.NodeID{0}}}
	case "recovery", "recovery+slip":
		return flipping(25)
	case "may crash":
		sys.Crashes, sys.MayCrash = 1, func(sim.NodeID) bool { return quit(waited(), 3, 5, 6) }
	case "may halt":
		sys.Halts, sys.MayHalt = 1, func(sim.NodeID) bool { return quit(waited(), 3, 5, 6) }
	}
	return sys
}

// making ends the process where node 1 is built: always, or only in a step of a run.
func making(sys *sim.System, where string) {
	running := where == "new" // since node 0 booted; worlds and runs begin by building that node
	sys.Actions, sys.Quorums = nil, nil
	sys.New = func(id sim.NodeID) sim.Service {
		if id == 0 && where != "new" {
			running = false
		}
		quit(id == 1 && running, 3, 5, 6)
		return &runner{boots: func() { running = true }}
	}
	switch where {
	case "new of a late node":
		sys.Late = func(id sim.NodeID) bool { return id == 1 }
	case "new after a crash":
		sys.Crashes, sys.MayCrash = 1, func(id sim.NodeID) bool { return id == 1 }
	}
}

type runner struct {
	sim.Nop
	boots func() `macemc:"-"`
}

func (r *runner) Boot(env sim.Env) { r.boots() }

// idling ends the process where one of its nodes has counted far. Together the nodes have more states than memory
// allows, and an obligation is pending.
func idling() sim.System {
	return sim.System{
		Name: "idling", Nodes: 3, New: func(sim.NodeID) sim.Service { return new(idler) },
		Actions: []sim.AnyAction{
			sim.Action[*idler]{Name: "count", When: func(i *idler) bool { return i.N < 100 }, Do: func(i *idler, _ sim.Env) { i.N++; quit(i.N == 90, 3, 5, 6) }},
			sim.Action[*idler]{Name: "turn", Fair: true, Do: func(i *idler, _ sim.Env) { i.Odd = !i.Odd }},
		},
		Properties: []sim.Property{{Name: "done", Inevitably: func(v *sim.View) bool { return v.Service(0).(*idler).N > 100 }}},
	}
}

type idler struct {
	sim.Nop
	N   int
	Odd bool
}

type vote int

type placedNode struct {
	sim.Nop
	Drew        []int
	Votes       int
	Up, Stopped bool
	Poked       int
}

func (s *placedNode) Receive(sim.Env, sim.NodeID, any) { s.Poked = min(s.Poked+1, 2000) }

// flipper is live after thirty heads in a row, unless it stops before.
type flipper struct {
	sim.Nop
	Heads   int
	Stopped bool
}

// flipping ends the process after the given number of heads, where no state is visited if the depth is small.
func flipping(heads int) sim.System {
	goes := func(f *flipper) bool { return !f.Stopped && f.Heads < 30 }
	return sim.System{
		Name: "flipping", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(flipper) },
		Actions: []sim.AnyAction{
			sim.Action[*flipper]{Name: "stop", When: goes, Do: func(f *flipper, _ sim.Env) { f.Stopped = true }},
			sim.Action[*flipper]{Name: "flip", When: goes, Do: func(f *flipper, env sim.Env) {
				if f.Heads++; env.Choose("tails", 2) == 1 {
					f.Heads = 0
				}
				if f.Heads == heads {
					os.Exit(5)
				}
			}},
		},
		Properties: []sim.Property{{Name: "thirty", Eventually: sim.Each(func(_ sim.NodeID, f *flipper) bool { return f.Heads == 30 })}},
	}
}
