package search

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/sim"
)

// Names and phases are distinct, each strategy either visits states or executes runs, and each has a constant.
func TestStrategies_TableIsConsistent(t *testing.T) {
	names, constants := map[string]bool{}, constants(t)
	phases := map[phase]bool{startPhase: true, prefixPhase: true, criticalPhase: true, leafWalks: true}
	for _, s := range strategy.All {
		if names[s.Name] || !constants[s.Name] {
			t.Errorf("strategy %q: listed before %v, has a constant %v", s.Name, names[s.Name], constants[s.Name])
		}
		names[s.Name] = true
		if visits := s.Can(strategy.VisitsStates); visits != (s.Frontier.New != nil) || visits != (s.Phase == "") {
			t.Errorf("strategy %s: visits states %v, frontier %q, phase %q", s.Name, visits, s.Frontier.Name, s.Phase)
		}
		if walks := s.Can(strategy.Walks) && !s.Can(strategy.Deepens); walks != (s.New != nil) {
			t.Errorf("strategy %s: consists of walks %v, makes walks %v", s.Name, walks, s.New != nil)
		}
		if s.Phase == "" {
			continue
		}
		if p := phase(s.Phase); phases[p] || string(p.strategy()) != s.Name {
			t.Errorf("strategy %s: its phase %q is taken", s.Name, p)
		}
		phases[phase(s.Phase)] = true
	}
	if len(names) != len(constants) {
		t.Errorf("strategies %v, constants of type Name %v", names, constants)
	}
	if got := phaseOrder(); len(got) != len(phases) {
		t.Errorf("phases in reports: %q, want all of %v", got, phases)
	}
}

// constants returns the values of the constants of type Name.
func constants(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "strategies.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Name" {
				value, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values[value] = true
			}
		}
		return true
	})
	return values
}

func TestName_Validate(t *testing.T) {
	if Name("none").Can(0) || Name("none").Validate() == nil || Name("").Validate() != nil {
		t.Error("an unknown name is accepted, or the empty one refused")
	}
}

// counter is a service that counts actions. One that carries a program boots it in each run.
type counter struct {
	sim.Nop
	N int
}

type carrier struct{ counter }

func (*carrier) Carries() {}

// Runs of programs cost as much as their boots. Walks, which boot less often, therefore get more steps for each run of deepening.
func TestShares_Boots(t *testing.T) {
	steps := func(what string, sys sim.System) float64 {
		r, err := Run(t.Context(), Config{System: sys, Workers: 1, MaxPaths: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		var deep, walks stats.Phase
		for _, p := range r.Stats.Phases {
			switch phase(p.Name) {
			case deepeningPhase:
				deep = p
			case "walks":
				walks = p
			}
		}
		t.Logf("%s: %d paths and %d events of deepening, %d and %d of walks", what, deep.Paths, deep.Events, walks.Paths, walks.Events)
		return float64(walks.Events) / float64(deep.Paths)
	}
	plain := sim.System{
		Nodes: 3, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "count", Times: 40, Do: func(c *counter, _ sim.Env) { c.N++ }}},
	}
	hosted := plain
	hosted.New = func(sim.NodeID) sim.Service { return &carrier{} }
	hosted.Actions = []sim.AnyAction{sim.Action[*carrier]{Name: "count", Times: 40, Do: func(c *carrier, _ sim.Env) { c.N++ }}}
	if a, b := steps("services", plain), steps("programs", hosted); b < 1.5*a {
		t.Errorf("%.1f steps of walks for each run of deepening, %.1f without boots", b, a)
	}
}
