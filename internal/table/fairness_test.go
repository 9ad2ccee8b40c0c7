package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/sim"
)

// fairDefect is planted into the definition of fairness.
type fairDefect string

// The defects.
const (
	strongIsWeak   fairDefect = "timers under Prompt need only fire when they can without pause"
	strongIsNone   fairDefect = "timers under Prompt need not fire"
	weakIsStrong   fairDefect = "all that can happen again and again happens"
	weakIsNone     fairDefect = "messages need not arrive"
	dueIsFree      fairDefect = "fair actions need not be done"
	freeIsDue      fairDefect = "all actions are done"
	noStart        fairDefect = "nodes need not start"
	idleActs       fairDefect = "steps that change nothing count"
	answersAlone   fairDefect = "an answer that changes nothing counts for nothing, whatever the others do"
	oneTimer       fairDefect = "the timers of a node are one process"
	noFairDraws    fairDefect = "no draw is fair"
	allFairDraws   fairDefect = "all draws are fair"
	oneChoice      fairDefect = "fair draws of all nodes are one"
	faultsAreSteps fairDefect = "crashes have to happen"
	neverStays     fairDefect = "no run ends"
)

// fairEdge is a step.
type fairEdge struct {
	from, to, event int
	ev              netmodel.Event
	key             string
	struck          bool // by a crash inside the step
	drawn           []fairDraw

	// By the documentation, or a defect.
	process  string // "": a fault
	strong   bool
	promised bool // something is promised of the process
	draws    []fairDraw
}

type fairDraw struct {
	choice string
	fair   bool
	pick   int
}

type fairGraph struct {
	timing sim.Timing
	defect fairDefect
	goal   []bool
	edges  []fairEdge
	number map[encoding.Fingerprint]int
}

// mostFair is the maximum number of states of a system with runs judged by the definition.
const mostFair = 8

// fairGraphOf executes each step after the shortest path to its state. It returns nil if there are too many states.
func fairGraphOf(t *testing.T, sys *sim.System) *fairGraph {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &fairGraph{timing: sys.Timing, number: map[encoding.Fingerprint]int{}}
	var paths []choose.Path
	meet := func(path choose.Path) int {
		n, ok := g.number[w.Fingerprint()]
		if !ok {
			n = len(paths)
			g.number[w.Fingerprint()] = n
			paths = append(paths, path)
			g.goal = append(g.goal, w.Holds(&sys.Properties[0]))
		}
		return n
	}
	for e := (choose.Enumerate{}); e.Next(); {
		if err := w.Start(&e); err != nil {
			t.Fatal(err)
		}
		meet(e.Path())
	}
	for from := 0; from < len(paths); from++ {
		if len(paths) > mostFair {
			return nil
		}
		follow(t, w, paths[from])
		for i := range w.Injections(slices.Clone(w.Enabled())) {
			for e := (choose.Enumerate{}); e.Next(); {
				follow(t, w, paths[from])
				ev := w.Injections(slices.Clone(w.Enabled()))[i]
				edge := fairEdge{from: from, event: i, ev: ev, key: w.Key(ev)}
				if err := w.Step(ev, edge.noting(&e)); err != nil {
					t.Fatal(err)
				}
				edge.struck = w.Last().Crashed
				edge.to = meet(slices.Concat(paths[from], choose.Path{int32(i)}, e.Path()))
				g.edges = append(g.edges, edge)
			}
		}
	}
	return g
}

// noting records draws.
func (e *fairEdge) noting(src choose.Source) choose.Source {
	return choose.SourceFunc(func(p choose.Point) int {
		pick := src.Choose(p)
		if p.Kind == choose.Draw && p.Arity > 1 {
			e.drawn = append(e.drawn, fairDraw{p.Label, p.Fair(), pick})
		}
		return pick
	})
}

// define assigns each step to its process and fairness, as documented except for a defect.
func (g *fairGraph) define(defect fairDefect) {
	g.defect = defect
	for i := range g.edges {
		e := &g.edges[i]
		e.process, e.promised, e.strong = e.key, true, defect == weakIsStrong
		switch {
		case e.ev.Kind.Injection() || e.struck:
			if defect != faultsAreSteps {
				e.process, e.promised = "", false
			}
		case e.ev.Kind == eventkind.Deliver:
			e.process, e.promised = fmt.Sprintf("n%d<-n%d", e.ev.Node, e.ev.Peer), defect != weakIsNone
		case e.ev.Kind == eventkind.DoAction:
			e.promised = strings.Contains(e.key, "due") && defect != dueIsFree || defect == freeIsDue
		case e.ev.Kind == eventkind.FireTimer:
			prompt := g.timing == sim.Prompt
			e.strong, e.promised = e.strong || prompt && defect != strongIsWeak, !prompt || defect != strongIsNone
			if defect == oneTimer {
				e.process = fmt.Sprintf("timer n%d", e.ev.Node)
			}
		case e.ev.Kind == eventkind.Boot:
			e.promised = defect != noStart
		}
		e.draws = slices.Clone(e.drawn)
		for k := range e.draws {
			d := &e.draws[k]
			if defect != oneChoice {
				d.choice = fmt.Sprintf("%s at n%d", d.choice, e.ev.Node)
			}
			d.fair = (d.fair || defect == allFairDraws) && defect != noFairDraws
		}
	}
}

// changes reports whether a step is an act of its process: one of the answers of its event leads elsewhere.
func (g *fairGraph) changes(e *fairEdge) bool {
	return g.defect == idleActs || slices.ContainsFunc(g.edges, func(o fairEdge) bool {
		return o.from == e.from && o.event == e.event && !o.struck && o.to != o.from && (g.defect != answersAlone || o.to == e.to)
	})
}

// starves reports whether a run that passes exactly these states and steps infinitely often is fair and never
// reaches the goal.
func (g *fairGraph) starves(states []int, edges []fairEdge) bool {
	if slices.ContainsFunc(states, func(s int) bool { return g.goal[s] }) {
		return false
	}
	picks := map[string][2]bool{}
	for _, e := range edges {
		for _, d := range e.draws {
			if d.fair {
				both := picks[d.choice]
				both[d.pick] = true
				picks[d.choice] = both
			}
		}
	}
	for _, both := range picks {
		if both[0] != both[1] {
			return false
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		if !e.promised || !slices.Contains(states, e.from) || !g.changes(e) {
			continue
		}
		acts := slices.ContainsFunc(edges, func(o fairEdge) bool { return o.process == e.process && g.changes(&o) })
		everywhere := !slices.ContainsFunc(states, func(s int) bool {
			return !slices.ContainsFunc(g.edges, func(o fairEdge) bool { return o.from == s && o.process == e.process && g.changes(&o) })
		})
		if !acts && (e.strong || everywhere) {
			return false
		}
	}
	return true
}

// starved tries all sets of states, with all steps among them except those that draw some of the fair choices.
func (g *fairGraph) starved() bool {
	var choices []string
	for _, e := range g.edges {
		for _, d := range e.draws {
			if d.fair && !slices.Contains(choices, d.choice) {
				choices = append(choices, d.choice)
			}
		}
	}
	for set := 1; set < 1<<len(g.goal); set++ {
		var states []int
		for s := range g.goal {
			if set>>s&1 == 1 {
				states = append(states, s)
			}
		}
		if len(states) == 1 && g.defect != neverStays && g.starves(states, nil) {
			return true
		}
		for banned := range 1 << len(choices) {
			edges := slices.DeleteFunc(slices.Clone(g.edges), func(e fairEdge) bool {
				return set>>e.from&1 == 0 || set>>e.to&1 == 0 || slices.ContainsFunc(e.draws, func(d fairDraw) bool {
					return d.fair && banned>>slices.Index(choices, d.choice)&1 == 1
				})
			})
			if len(edges) > 0 && goRound(states, edges) && g.starves(states, edges) {
				return true
			}
		}
	}
	return false
}

// goRound reports whether each of the states leads to each other one.
func goRound(states []int, edges []fairEdge) bool {
	var pairs [][2]int
	for _, e := range edges {
		pairs = append(pairs, [2]int{e.from, e.to})
	}
	return bruteforce.Connected(states, pairs)
}

// roundOf returns the states and steps of the cycle at the end of a path, by number.
func (g *fairGraph) roundOf(t *testing.T, sys *sim.System, s *fairness.Starvation) (states, edges []int) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := &choose.Prefix{Path: s.Path}
	if err := w.Start(src); err != nil {
		t.Fatal(err)
	}
	for step := 0; ; step++ {
		at := g.number[w.Fingerprint()]
		if step >= s.Steps && !slices.Contains(states, at) {
			states = append(states, at)
		}
		if src.Done() {
			if s.Round > 0 && at != states[0] {
				t.Fatal("a round does not come round")
			}
			return states, edges
		}
		index, _ := src.Take()
		var taken fairEdge
		if err := w.Step(w.Injections(slices.Clone(w.Enabled()))[index], taken.noting(src)); err != nil {
			t.Fatal(err)
		}
		if step >= s.Steps {
			to := g.number[w.Fingerprint()]
			edges = append(edges, slices.IndexFunc(g.edges, func(e fairEdge) bool {
				return e.from == at && e.to == to && e.event == index && slices.Equal(e.drawn, taken.drawn)
			}))
		}
	}
}

// judged is the result of an exploration of a system, with the expected one.
type judged struct {
	*fairGraph
	starvation  bool
	round, runs []int // states and steps
}

// judge explores a system; false: it has too many states.
func judge(t *testing.T, seed uint64) (j judged, ok bool) {
	sys := players(seed)
	if j.fairGraph = fairGraphOf(t, sys); j.fairGraph == nil {
		return j, false
	}
	visited, frontier := stateset.Kinds[seed%uint64(len(stateset.Kinds))], explore.Frontiers[seed/3%uint64(len(explore.Frontiers))]
	x := breadth(t, sys, options.Options{Visited: visited, Frontier: frontier, SkipRehearsal: true})
	f := x.Fairness
	if x.Finding != nil || !x.Complete || x.States != len(j.goal) || !f.Judged {
		t.Fatalf("seed %d: %+v, %+v; %d states", seed, x, f, len(j.goal))
	}
	if j.starvation = f.Starvation != nil; j.starvation {
		j.round, j.runs = j.roundOf(t, sys, f.Starvation)
	}
	return j, true
}

// differs describes a difference from the definition, or returns "".
func (j *judged) differs(defect fairDefect) string {
	j.define(defect)
	if want := j.starved(); want != j.starvation {
		return fmt.Sprintf("starved: %v, by the definition: %v", j.starvation, want)
	}
	if j.starvation {
		var edges []fairEdge
		for _, i := range j.runs {
			edges = append(edges, j.edges[i])
		}
		if !j.starves(j.round, edges) {
			return "a round is no violation"
		}
	}
	return ""
}

// The verdicts on whole systems agree with the documentation of fair runs, and each defect in the definition is
// noticed.
func TestFairness_RandomSystems(t *testing.T) {
	t.Parallel()
	defects := map[fairDefect]bool{strongIsWeak: true, strongIsNone: true, weakIsStrong: true, weakIsNone: true, dueIsFree: true, freeIsDue: true, noStart: true,
		idleActs: true, answersAlone: true, oneTimer: true, noFairDraws: true, allFairDraws: true, oneChoice: true, faultsAreSteps: true, neverStays: true}
	rare := []uint64{1949, 7428, 1334, 1366} // show what hardly another one does
	systems, starved := 0, 0
	count := 500
	if testing.Short() {
		count = 100
		clear(defects) // show later
	}
	for n := range count {
		if n >= count/2 && len(defects) == 0 {
			break
		}
		seed := uint64(n)
		if n < len(rare) && len(defects) > 0 {
			seed = rare[n]
		}
		j, ok := judge(t, seed)
		if !ok {
			continue
		}
		if how := j.differs(""); how != "" {
			t.Fatalf("seed %d: %s", seed, how)
		}
		if systems++; j.starvation {
			starved++
		}
		for defect := range defects {
			if how := j.differs(defect); how != "" {
				t.Logf("seed %d: %s: %s", seed, defect, how)
				delete(defects, defect)
			}
		}
	}
	for defect := range defects {
		t.Errorf("not noticed: %s", defect)
	}
	if t.Logf("%d systems, %d of them starve", systems, starved); starved < systems/5 || starved > systems*19/20 {
		t.Errorf("%d systems, %d of them starve: they are not worth much", systems, starved)
	}
}
