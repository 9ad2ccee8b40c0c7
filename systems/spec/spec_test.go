package spec_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func entry() *spec.Entry {
	return &spec.Entry{
		Name: "toy", MinNodes: 2, MaxNodes: 4, DefaultNodes: 3,
		Params: []spec.Param{
			{Name: "degree", Kind: spec.Int, Default: "2", Min: 1, Max: 8},
			{Name: "strict-root", Kind: spec.Bool, Default: "true"},
			{Name: "mode", Kind: spec.OneOf, Default: "slow", Values: []string{"slow", "fast"}},
		},
		Bugs: []spec.Bug{
			{ID: "B1", Kind: sim.Safety, PaperKind: sim.Liveness, Defaults: spec.Defaults{
				Nodes: 4, Params: map[string]string{"degree": "1", "mode": "fast"}}},
			{ID: "B2"},
		},
		Build: func(c spec.Config) (sim.System, error) {
			return sim.System{Nodes: c.Nodes, New: func(sim.NodeID) sim.Service { return &sim.Nop{} }}, nil
		},
	}
}

func TestConfigureErrors(t *testing.T) {
	for _, tc := range []struct {
		config spec.Config
		want   string
	}{
		{spec.Config{Nodes: 5}, `system "toy": 5 nodes, must be 2 to 4`},
		{spec.Config{Nodes: -1}, `system "toy": -1 nodes, must be 2 to 4`},
		{spec.Config{Params: map[string]string{"degree": "9"}}, `system "toy": parameter degree is "9", must be a number from 1 to 8`},
		{spec.Config{Params: map[string]string{"degree": "two"}}, `system "toy": parameter degree is "two", must be a number from 1 to 8`},
		{spec.Config{Params: map[string]string{"strict-root": "1"}}, `system "toy": parameter strict-root is "1", must be true or false`},
		{spec.Config{Params: map[string]string{"mode": ""}}, `system "toy": parameter mode is "", must be one of slow, fast`},
		{spec.Config{Params: map[string]string{"degre": "2"}}, `system "toy": unknown parameter "degre"; did you mean degree?`},
		{spec.Config{Params: map[string]string{"x": "2"}}, `system "toy": unknown parameter "x"; known are degree, strict-root, mode`},
		{spec.Config{Bugs: spec.BugSet{"b1"}}, `system "toy": unknown bug "b1"; did you mean B1 or B2?`},
	} {
		_, err := entry().Configure(tc.config)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%+v:\n got %v\nwant %s", tc.config, err, tc.want)
		}
	}
}

func TestConfigureFillsDefaults(t *testing.T) {
	c, err := entry().Configure(spec.Config{Params: map[string]string{"degree": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Nodes != 3 || c.Int("degree") != 1 || !c.Bool("strict-root") || c.Text("mode") != "slow" {
		t.Errorf("got %+v", c)
	}
	if c.NodesGiven() || !c.Given("degree") || c.Given("mode") {
		t.Error("defaults are not told from what was asked for")
	}
	again, err := entry().Configure(c)
	if err != nil || again.NodesGiven() || !again.Given("degree") || again.Given("mode") {
		t.Errorf("configured once more: %+v, %v", again, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an undeclared parameter was read without a panic")
		}
	}()
	c.Int("width")
}

func TestApplyBug(t *testing.T) {
	e := entry()
	b, err := e.Bug("B1")
	if err != nil {
		t.Fatal(err)
	}
	given := spec.Config{Params: map[string]string{"degree": "3"}}
	c := b.Apply(given)
	if c.Nodes != 4 || c.Params["degree"] != "3" || c.Params["mode"] != "fast" || !slices.Equal(c.Bugs, spec.BugSet{"B1"}) {
		t.Errorf("got %+v", c)
	}
	if len(given.Params) != 1 || len(given.Bugs) != 0 || len(b.Defaults.Params) != 2 {
		t.Error("Apply changed its arguments")
	}
	if full, err := e.Configure(c); err != nil || full.NodesGiven() || !full.Given("degree") || full.Given("mode") {
		t.Errorf("what the bug needs is not told from what was asked for: %+v, %v", full, err)
	}
	if again := b.Apply(c); len(again.Bugs) != 1 {
		t.Errorf("applied twice: %v", again.Bugs)
	}
	if !b.Accepts(sim.Safety) || !b.Accepts(sim.Liveness) || b.Accepts(sim.Panic) {
		t.Error("Accepts takes the wrong kinds")
	}
}

func TestBits(t *testing.T) {
	known := entry().Bugs
	for want, set := range map[uint8]spec.BugSet{0: nil, 1: {"B1"}, 2: {"B2"}, 3: {"B2", "other", "B1"}} {
		if got := spec.Bits[uint8](set, known); got != want {
			t.Errorf("%v: %b, want %b", set, got, want)
		}
	}
	spec.Bits[uint8](nil, make([]spec.Bug, 8))
	defer func() {
		if recover() == nil {
			t.Error("nine bugs were put into eight bits")
		}
	}()
	spec.Bits[uint8](nil, make([]spec.Bug, 9))
}

func TestNewAppliesLimits(t *testing.T) {
	e := entry()
	e.Limits[sim.Crashes] = 2
	sys, err := e.New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if sys.Name != "toy" || sys.Nodes != 3 || sys.Crashes != 2 {
		t.Errorf("got %q, %d nodes, %d crashes", sys.Name, sys.Nodes, sys.Crashes)
	}
	e.Limits[sim.Loss] = 1 // without a network
	if _, err := e.New(spec.Config{}); err == nil {
		t.Error("limits of a network that does not exist were accepted")
	}
}
