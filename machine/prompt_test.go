package machine_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Under Prompt a timer waits for events that a machine has sent to itself. It does not wait for deferred events or
// Null.
func TestPrompt_QueuedEvents(t *testing.T) {
	again := func(x *machine.Ctx) { x.SetTimer(loop{}, time.Second) }
	entry := machine.Entry(func(_ *struct{}, x *machine.Ctx) { again(x) })
	queues := machine.On(func(_ *struct{}, x *machine.Ctx, _ loop) {
		x.Send(x.Self(), done{})
		again(x)
	})
	for _, c := range []struct {
		name   string
		kind   *machine.Kind
		states int
	}{
		{"queues to itself", machine.Define[struct{}]("leader", machine.In("leading", entry, queues, machine.On(func(*struct{}, *machine.Ctx, done) {}))), 2},
		{"null", machine.Define[struct{}]("restless", machine.In("working", entry,
			machine.Null(func(*struct{}, *machine.Ctx) {}), machine.OnGoto[loop]("over")), machine.In("over")), 2},
		{"defers", machine.Define[struct{}]("waiter", machine.In("waiting", machine.Defer(done{}),
			machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Send(x.Self(), done{}); again(x) }), machine.OnGoto[loop]("over")),
			machine.In("over", machine.Ignore(done{}))), 2},
	} {
		for _, cfg := range []search.Config{
			{Strategy: search.BFS, Reduce: options.ReduceNone, MaxDepth: 60}, {Strategy: search.Deepening, Engine: runloop.ReplayEngine, Alone: true, MaxDepth: 60},
		} {
			var ms machine.System
			ms.Add(c.kind, struct{}{})
			cfg.System, cfg.Workers, cfg.Time = ms.Sim("prompt"), 1, time.Minute
			cfg.System.Timing = sim.Prompt
			r, err := search.Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Stats.Complete || r.Stats.States != c.states {
				t.Errorf("%s, %s: got %d states, complete: %v, want %d", c.name, cfg.Strategy, r.Stats.States, r.Stats.Complete, c.states)
			}
		}
	}
}
