package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type concealed struct{ Shown, Secret int }

type concealer struct {
	sim.Nop
	Hidden concealed
	N      int
	secret int `macemc:"-"`
}

// States with equal encodings but different behaviour are found by the default search, which would take the second for
// the first.
func TestCollisions(t *testing.T) {
	system := func(reads bool, rules ...sim.StateRule) sim.System {
		return sim.System{
			Name: "keeper", Nodes: 1, New: func(sim.NodeID) sim.Service { return &concealer{} }, Network: netsim.Datagrams{}, State: rules,
			Actions: []sim.AnyAction{
				sim.Action[*concealer]{Name: "hide", Times: 2, Do: func(k *concealer, env sim.Env) {
					k.secret = env.Choose("secret", 2)
					k.Hidden.Secret = k.secret
				}},
				sim.Action[*concealer]{Name: "show", Times: 2, Do: func(k *concealer, _ sim.Env) {
					if reads {
						k.N += k.secret + k.Hidden.Secret
					}
				}},
			},
			Properties: []sim.Property{{Name: "ok", Always: func(*sim.View) bool { return true }}},
		}
	}
	encode := sim.EncodeBy(func(dst []byte, h concealed) []byte { return append(dst, byte(h.Shown)) })
	for _, c := range []struct {
		name  string
		sys   sim.System
		found bool
		says  string
	}{
		{"a rule", system(true, encode), true, "before the step, n0 Hidden is "},
		{"a rule that does no harm", system(false, encode), false, ""},
		{"a field that is left out", system(true, sim.IgnoreField[concealed]("Secret")), true, "IgnoreField"},
	} {
		for _, workers := range []int{1, 2} {
			r, err := search.Run(context.Background(), search.Config{System: c.sys, Workers: workers, Engine: runloop.ReplayEngine})
			if err != nil {
				t.Fatal(err)
			}
			f := r.Finding
			switch {
			case f == nil:
				if c.found || !r.Stats.Complete {
					t.Errorf("%s: nothing was found, complete %v", c.name, r.Stats.Complete)
				}
			case !c.found, f.Kind != sim.Nondeterminism, f.Difference == nil, !f.Difference.Collision, f.Difference.Field != "N", f.Node != 0,
				!strings.Contains(f.Message, "the same encoding but behave differently"), !strings.Contains(f.Message, c.says):
				t.Errorf("%s: %+v, %+v", c.name, f, f.Difference)
			}
		}
	}
}
