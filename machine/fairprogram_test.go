package machine_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// The machines of these programs never stop: a handler sends at most one event for each that it takes.
type (
	tokenA  struct{}
	tokenB  struct{}
	hotNow  struct{}
	coldNow struct{}
	warmNow struct{}

	endless struct{ Started bool }
)

// does is the behavior of a handler: it announces, draws, sends, and changes the state or not, depending on the draw.
type does struct {
	first, last any // announced; may be nil
	draws       int // 0: nothing, 1: unfairly, 2: fairly
	sends       [2]any
	to          [2]machine.ID
	goes        [2]machine.State
}

func drawDoes(r *rand.Rand, null bool) does {
	says := []any{nil, nil, hotNow{}, coldNow{}, warmNow{}}
	d := does{first: says[r.IntN(len(says))], last: says[r.IntN(len(says))], draws: r.IntN(3)}
	for i := range d.sends {
		if !null {
			d.sends[i] = []any{nil, tokenA{}, tokenB{}}[r.IntN(3)]
		}
		d.to[i], d.goes[i] = machine.ID(r.IntN(2)), []machine.State{"", "one", "other"}[r.IntN(3)]
	}
	return d
}

func (d *does) do(x *machine.Ctx) {
	pick := 0
	if d.first != nil {
		x.Announce(d.first)
	}
	switch d.draws {
	case 1:
		pick = x.Choose("chance", 2)
	case 2:
		if x.FairFlip("fairly") {
			pick = 1
		}
	}
	if d.last != nil {
		x.Announce(d.last)
	}
	if d.sends[pick] != nil {
		x.Send(d.to[pick], d.sends[pick])
	}
	if d.goes[pick] != "" {
		x.Goto(d.goes[pick])
	}
}

// endlessSystem returns a random system of two machines, observed by a monitor that enters the last announced state,
// and by others.
func endlessSystem(seed uint64, others ...func() sim.Monitor) sim.System {
	r := rand.New(rand.NewPCG(seed, 7))
	var ms machine.System
	for k := range 2 {
		tokens := drawDoes(r, false)
		state := func(name machine.State, first bool) machine.StateDef {
			var rules []machine.Rule
			for i, event := range []any{tokenA{}, tokenB{}} {
				d := drawDoes(r, false)
				switch n := r.IntN(8); {
				case n == 0:
					rules = append(rules, machine.Ignore(event))
				case n == 1:
					rules = append(rules, machine.Defer(event))
				case i == 0:
					rules = append(rules, machine.On(func(_ *endless, x *machine.Ctx, _ tokenA) { d.do(x) }, "one", "other"))
				default:
					rules = append(rules, machine.On(func(_ *endless, x *machine.Ctx, _ tokenB) { d.do(x) }, "one", "other"))
				}
			}
			if r.IntN(3) == 0 {
				d := drawDoes(r, true)
				rules = append(rules, machine.Null(func(_ *endless, x *machine.Ctx) { d.do(x) }, "one", "other"))
			}
			if first {
				rules = append(rules, machine.Entry(func(e *endless, x *machine.Ctx) {
					if !e.Started && tokens.sends[0] != nil {
						x.Send(tokens.to[0], tokens.sends[0])
					}
					e.Started = true
				}, "other"))
			}
			return machine.In(name, rules...)
		}
		one, other := state("one", true), state("other", false)
		ms.Add(machine.Define[endless](fmt.Sprint("kind", k), one, other), endless{})
	}
	entered := func(name machine.State, more ...machine.Rule) machine.StateDef {
		return machine.In(name, append(more, machine.OnGoto[hotNow]("hot"), machine.OnGoto[coldNow]("cold"), machine.OnGoto[warmNow]("warm"))...)
	}
	ms.Monitor(machine.Define[struct{}]("owed", entered("warm"), entered("hot", machine.Hot), entered("cold", machine.Cold)), struct{}{})
	sys := ms.Sim("endless")
	sys.Monitors = append(sys.Monitors, others...)
	sys.State = append(sys.State, sim.IgnoreField[listens]("heard"), sim.CopyBy(func(s *[]any) *[]any { return s }))
	return sys
}

// listens is a stateless monitor.
type listens struct{ heard *[]any }

func (l *listens) Observe(_ sim.NodeID, event any) error {
	*l.heard = append(*l.heard, event)
	return nil
}

// endlessStep is a step of a program as executed by replay.
type endlessStep struct {
	from, to, event int
	process         string
	hot, cold       bool // passed
	fair            []string
	picks           []int
}

// endlessGraph holds all steps, and the monitor's state after each path.
type endlessGraph struct {
	steps  []endlessStep
	in     []any // by state: the last announcement
	flawed string
}

var endlessSystems = flag.Int("endless", 250, "how many random machines without an end are compared with the definition of fair runs")

// mostEndless is the maximum number of states of a program for the definition.
const mostEndless = 7

// endlessGraphOf executes each step after a path to its state. It returns nil if there are too many states, or a
// finding.
func endlessGraphOf(t *testing.T, seed uint64) *endlessGraph {
	var heard []any
	sys := endlessSystem(seed, func() sim.Monitor { return &listens{&heard} })
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, number, paths := &endlessGraph{}, map[encoding.Fingerprint]int{}, []choose.Path{}
	meet := func(path choose.Path, in any) int {
		n, ok := number[w.Fingerprint()]
		if !ok {
			n = len(paths)
			number[w.Fingerprint()] = n
			paths, g.in = append(paths, path), append(g.in, in)
		}
		return n
	}
	last := func(in any) any {
		if len(heard) > 0 {
			return heard[len(heard)-1]
		}
		return in
	}
	heard = nil
	if err := w.Start(choose.SourceFunc(func(choose.Point) int { return 0 })); err != nil {
		return nil
	}
	meet(nil, last(warmNow{}))
	for from := 0; from < len(paths); from++ {
		if len(paths) > mostEndless {
			return nil
		}
		visit(t, w, paths[from])
		for i, ev := range slices.Clone(w.Enabled()) {
			for e := (choose.Enumerate{}); e.Next(); {
				visit(t, w, paths[from])
				heard = nil
				s := endlessStep{from: from, event: i, process: fmt.Sprintf("%v n%d<-n%d", ev.Kind, ev.Node, ev.Peer)}
				err := w.Step(slices.Clone(w.Enabled())[i], choose.SourceFunc(func(p choose.Point) int {
					pick := e.Choose(p)
					if p.Fair() {
						s.fair, s.picks = append(s.fair, fmt.Sprintf("%s at n%d", p.Label, ev.Node)), append(s.picks, pick)
					}
					return pick
				}))
				if err != nil {
					return nil
				}
				for _, h := range heard {
					s.hot, s.cold = s.hot || h == hotNow{}, s.cold || h == coldNow{}
				}
				s.to = meet(slices.Concat(paths[from], choose.Path{int32(i)}, e.Path()), last(g.in[from]))
				g.steps = append(g.steps, s)
			}
		}
	}
	return g
}

// acts reports whether a step counts for its process: some answers change something.
func (g *endlessGraph) acts(s *endlessStep) bool {
	return slices.ContainsFunc(g.steps, func(o endlessStep) bool {
		return o.from == s.from && o.event == s.event && (o.to != o.from || o.cold)
	})
}

// violates reports whether a run that visits exactly these states and steps infinitely often is fair, hot, and never
// cold.
func (g *endlessGraph) violates(states []int, steps []endlessStep) bool {
	hot := false
	for _, at := range states {
		if g.in[at] == (coldNow{}) {
			return false
		}
		hot = hot || g.in[at] == hotNow{}
	}
	picks := map[string][2]bool{}
	for _, s := range steps {
		hot = hot || s.hot && g.flawed != "what is hot inside a step does not count"
		for k, choice := range s.fair {
			both := picks[choice]
			both[s.picks[k]] = true
			picks[choice] = both
		}
	}
	if g.flawed != "no draw is fair" {
		for _, both := range picks {
			if both[0] != both[1] {
				return false
			}
		}
	}
	for i := range g.steps {
		p := g.steps[i].process
		enabled := func(at int) bool {
			return slices.ContainsFunc(g.steps, func(o endlessStep) bool { return o.from == at && o.process == p && g.acts(&o) })
		}
		everywhere := !slices.ContainsFunc(states, func(at int) bool { return !enabled(at) })
		if everywhere && !slices.ContainsFunc(steps, func(o endlessStep) bool { return o.process == p && g.acts(&o) }) && g.flawed != "nothing has to happen" {
			return false
		}
	}
	return hot
}

// violated tries all sets of states, with all steps among them that are not cold, except some of the fair choices.
func (g *endlessGraph) violated(flaw string) bool {
	g.flawed = flaw
	var choices []string
	for _, s := range g.steps {
		for _, c := range s.fair {
			if !slices.Contains(choices, c) {
				choices = append(choices, c)
			}
		}
	}
	for set := 1; set < 1<<len(g.in); set++ {
		var states []int
		for at := range g.in {
			if set>>at&1 == 1 {
				states = append(states, at)
			}
		}
		if len(states) == 1 && flaw != "no run ends" && g.violates(states, nil) {
			return true
		}
		for banned := range 1 << len(choices) {
			steps := slices.DeleteFunc(slices.Clone(g.steps), func(s endlessStep) bool {
				return set>>s.from&1 == 0 || set>>s.to&1 == 0 || s.cold && flaw != "what is cold inside a step does not count" ||
					slices.ContainsFunc(s.fair, func(c string) bool { return banned>>slices.Index(choices, c)&1 == 1 })
			})
			if len(steps) > 0 && allReach(states, steps) && g.violates(states, steps) {
				return true
			}
		}
	}
	return false
}

func allReach(states []int, steps []endlessStep) bool {
	var pairs [][2]int
	for _, s := range steps {
		pairs = append(pairs, [2]int{s.from, s.to})
	}
	return bruteforce.Connected(states, pairs)
}

// Whether a hot monitor starves in random machines follows the definition over the steps that replay executes, in every
// order and with every state store. Each cycle returns to its start. Definitions with one defect are detected.
func TestFairRunsOfRandomMachines(t *testing.T) {
	t.Parallel()
	flaws := map[string]bool{
		"what is hot inside a step does not count": true, "no draw is fair": true, "nothing has to happen": true, "no run ends": true, "what is cold inside a step does not count": true,
	}
	systems, violated, most, by := 0, 0, *endlessSystems, [mostEndless + 1]int{}
	if testing.Short() {
		most = 12
		clear(flaws)
	}
	for seed := uint64(0); systems < most; seed++ {
		g := endlessGraphOf(t, seed)
		if g == nil {
			continue
		}
		systems++
		by[len(g.in)]++
		want := g.violated("")
		if want {
			violated++
		}
		sys := endlessSystem(seed)
		for i, frontier := range explore.Frontiers {
			visited := stateset.Kinds[(int(seed)+i)%len(stateset.Kinds)]
			x, err := table.Explore(t.Context(), &sys, options.Options{Frontier: frontier, Visited: visited})
			if err != nil || x.Finding != nil || x.States != len(g.in) || !x.Fairness.Judged {
				t.Fatalf("seed %d, %s, %s: %v, %+v, %d states", seed, frontier.Name, visited.Name, err, x, len(g.in))
			}
			s := x.Fairness.Starvation
			if (s != nil) != want {
				t.Fatalf("seed %d, %s, %s: %+v, by the definition %v", seed, frontier.Name, visited.Name, s, want)
			}
			if s != nil {
				comesRound(t, &sys, s)
			}
		}
		for flaw := range flaws {
			if g.violated(flaw) != want {
				delete(flaws, flaw)
			}
		}
	}
	var left []string
	for flaw := range flaws {
		left = append(left, flaw)
	}
	if slices.Sort(left); left != nil {
		t.Errorf("not noticed: %s", strings.Join(left, "; "))
	}
	if t.Logf("%d systems, %d of them violated; by states: %v", systems, violated, by); violated < systems/5 || violated > systems*4/5 {
		t.Errorf("%d of %d systems are violated: they are not worth much", violated, systems)
	}
}
