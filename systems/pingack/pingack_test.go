package pingack_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/spec"
)

// The loss of an acknowledgement is the critical transition: while the latest one is in flight the run can recover, and
// nothing else is acknowledged twice. Without losses there is no violation.
func TestPingAck(t *testing.T) {
	e := pingack.Entry()
	for _, loss := range []int{0, 1} {
		sys, err := e.New(spec.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if sys, err = sys.WithLimits(sim.Limits{sim.Loss: loss}); err != nil {
			t.Fatal(err)
		}
		res, err := search.Run(context.Background(), search.Config{
			System: sys, Workers: 1, MaxPaths: 500, WalkSteps: 200,
			Confirm: critical.Confirm(critical.Config{System: sys, Workers: 1, Walks: 10}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if loss == 0 {
			if res.Finding != nil || res.Verdict != search.OK {
				t.Errorf("without losses: %s, %+v", res.Verdict, res.Finding)
			}
			continue
		}
		if res.Finding == nil || res.Finding.Kind != sim.Liveness {
			t.Fatalf("with one loss: %s, %+v", res.Verdict, res.Finding)
		}
		c, ok := res.Detail.(*critical.Result)
		if !ok || c.Case != critical.Located {
			t.Fatalf("critical transition: %+v", res.Detail)
		}
		world, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run := replay.NewRun(world)
		if err := run.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		// No step of this system draws anything, so that the path is a list of events.
		for _, index := range c.Dead[:c.Step-1] {
			if err := run.Step(int(index), choose.First); err != nil {
				t.Fatal(err)
			}
		}
		ev, _ := run.Event(int(c.Dead[c.Step-1]))
		if key := world.Key(ev); ev.Kind != eventkind.Lose || !strings.Contains(key, "Ack") {
			t.Errorf("critical step %d is %q, want the loss of an Ack", c.Step, key)
		}
	}
}
