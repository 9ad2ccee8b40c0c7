package critical_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

func randTree(t *testing.T, nodes int, limits sim.Limits, bugs ...string) sim.System {
	t.Helper()
	e := randtree.Entry()
	sys, err := e.New(spec.Config{Nodes: nodes, Bugs: bugs})
	if err != nil {
		t.Fatal(err)
	}
	if sys, err = sys.WithLimits(limits); err != nil {
		t.Fatal(err)
	}
	return sys
}

// A defect of the catalogue is found and its critical transition too, in the same way by any number of
// workers.
func TestRandTreeDefect(t *testing.T) {
	sys, err := randTree(t, 4, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, "RT10").Only(randtree.FamiliesAgree)
	if err != nil {
		t.Fatal(err)
	}
	var first *search.Result
	for _, workers := range []int{1, 3} {
		res, err := search.Run(context.Background(), search.Config{HandlerLimit: time.Minute,
			System: sys, Workers: workers, WalkSteps: 500, MaxPaths: 5000,
			Confirm: critical.Confirm(critical.Config{System: sys, Workers: workers, WalkSteps: 500, Walks: 40}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != search.Violation || res.Finding.Kind != sim.Liveness || res.Finding.Property != randtree.FamiliesAgree {
			t.Fatalf("%d workers: %+v", workers, res)
		}
		c := res.Detail.(*critical.Result)
		if c.Case != critical.Located || c.Step == 0 || c.Before.Recovered == 0 || c.After.Recovered != 0 || c.Live == nil {
			t.Errorf("%d workers: %+v", workers, c)
		}
		c.Engine = runloop.Counts{}
		if first == nil {
			first = res
			continue
		}
		if !reflect.DeepEqual(res.Detail, first.Detail) {
			t.Errorf("critical transitions differ: %+v and %+v", res.Detail, first.Detail)
		}
		if !reflect.DeepEqual(res.Finding, first.Finding) || res.Stats.Paths != first.Stats.Paths ||
			res.Stats.Events != first.Stats.Events || res.Stats.States != first.Stats.States {
			t.Errorf("findings differ: %+v and %+v", res.Finding, first.Finding)
		}
	}
}

// The corrected code has nothing to find.
func TestRandTreeCorrect(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	res, err := search.Run(context.Background(), search.Config{HandlerLimit: time.Minute, System: sys, MaxPaths: 1000, Confirm: critical.Confirm(critical.Config{System: sys})})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict != search.OK || res.Suspects != 0 {
		t.Errorf("%+v %+v", res, res.Finding)
	}
}
