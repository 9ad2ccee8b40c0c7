package shrink

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/sim"
)

// lock opens after 8 answers in a row that are right, of 16, or after 30 attempts.
type lock struct {
	sim.Nop
	Right, All int
}

func (l *lock) Try(env sim.Env) {
	l.All++
	if env.Choose("digit", 16) == (7*l.Right+3)%16 {
		l.Right++
	} else {
		l.Right = 0
	}
}

// The run with the fewest steps is found although random walks hardly ever take it and no smaller change of the run leads there.
func TestRun_Nearest(t *testing.T) {
	sys := sim.System{
		Name: "lock", Nodes: 1, New: func(sim.NodeID) sim.Service { return &lock{} },
		Actions: []sim.AnyAction{sim.Action[*lock]{Name: "try", Do: (*lock).Try}},
		Properties: []sim.Property{
			{Name: "locked", Always: sim.Each(func(_ sim.NodeID, l *lock) bool { return l.Right < 8 && l.All < 30 })},
			{Name: "never three right", Always: sim.Each(func(_ sim.NodeID, l *lock) bool { return l.Right < 3 || l.Right > 3 || l.All > 3 })},
			{Name: "open", Eventually: sim.Each(func(_ sim.NodeID, l *lock) bool { return l.All > 40 })},
		},
	}
	for name, c := range map[string]struct{ others, want int }{"one property": {1, 8}, "another one is violated on the way": {3, 9}} {
		sys := sys
		sys.Properties = sys.Properties[:c.others]
		cfg := Config{Walks: critical.Config{System: sys}, Path: make(choose.Path, 60), Finding: sim.Finding{Kind: sim.Safety, Property: "locked"}}
		r, err := Run(t.Context(), cfg)
		if err != nil || r.From != 30 || r.Steps != c.want {
			t.Errorf("%s: %+v, %v; want %d of 30 steps", name, r, err, c.want)
		}
	}
}
