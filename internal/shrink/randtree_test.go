package shrink_test

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// The bug of the paper's section on recovery: the minimal run is the way in which a node gets a JoinReply after it
// has booted again and before it has asked to join again.
func TestRandTreeDefect(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := randtree.Entry()
	sys, err := e.New(spec.Config{Nodes: 3, Bugs: []string{"RT13"}})
	if err != nil {
		t.Fatal(err)
	}
	if sys, err = sys.WithLimits(sim.Limits{sim.Crashes: 1}); err != nil {
		t.Fatal(err)
	}
	walks := critical.Config{System: sys, Workers: 1}
	found, err := search.Run(t.Context(), search.Config{
		System: sys, Workers: 1, HandlerLimit: time.Minute, Confirm: critical.Confirm(walks),
	})
	if err != nil || found.Verdict != search.Violation {
		t.Fatalf("%+v, %v", found, err)
	}
	dead := found.Detail.(*critical.Result)
	r := run(t, shrink.Config{
		Walks: walks, Path: dead.Dead, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: randtree.EveryNodeJoined},
	})
	if 2*r.Steps > r.From || r.Dead.Case != critical.Located || !r.Minimal {
		t.Errorf("%d steps of %d, %s", r.Steps, r.From, r.Dead.Case)
	}
	steps := keys(t, &sys, r.Path)[:r.Dead.Step]
	if len(steps) > 20 || len(steps) >= dead.Step {
		t.Errorf("critical step %d was %d", len(steps), dead.Step)
	}
	last := steps[len(steps)-1]
	node, ok := strings.CutPrefix(last, "deliver n")
	if !ok || !strings.Contains(last, " JoinReply{") {
		t.Fatalf("critical step %q", last)
	}
	node = node[:1]
	crashed, booted := -1, -1
	for i, s := range steps {
		switch s {
		case "crash n" + node:
			crashed = i
		case "boot n" + node:
			booted = i
		case "action n" + node + " joinOverlay":
			if booted >= 0 {
				t.Errorf("it joins before the JoinReply: %q", steps)
			}
		}
	}
	if crashed < 0 || booted < crashed {
		t.Errorf("the receiver does not boot again: %q", steps)
	}
}
