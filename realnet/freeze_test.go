package realnet_test

import (
	"context"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

// A frozen node handles nothing and does no actions; thawed, it handles what came meanwhile, in order.
func TestFreezeAndThaw(t *testing.T) {
	const total, buffer = 500, 3
	x := custom(t, pushSystem(total, buffer), numbered{})
	ctx := context.Background()
	receiver := x.nodes[1]
	if err := receiver.Freeze(ctx); err != nil {
		t.Fatal(err)
	}
	x.act("push")
	x.until("the buffer is full", func(s []sim.Service) bool { return s[0].(*pusher).Refused > 0 })
	time.Sleep(50 * time.Millisecond) // time to handle what must not be handled
	x.all(func(s []sim.Service) bool {
		if got, sent := s[1].(*pusher).Got, s[0].(*pusher).Sent; got != 0 || sent != buffer {
			t.Errorf("a frozen node has handled %d messages of %d, want 0 of %d", got, sent, buffer)
		}
		return true
	})
	if err := x.nodes[0].Freeze(ctx); err != nil {
		t.Fatal(err)
	}
	if ok, err := x.nodes[0].Act(ctx, "push"); ok || err != nil {
		t.Errorf("a frozen node does an action: %v, %v", ok, err)
	}
	for _, r := range x.nodes {
		if err := r.Thaw(ctx); err != nil {
			t.Fatal(err)
		}
	}
	x.until("all have arrived", func(s []sim.Service) bool { return s[1].(*pusher).Got == total && s[1].(*pusher).Wrong == 0 })
	agrees(t, x.merged())
}

// alarm counts how often its timer fired.
type alarm struct {
	sim.Nop
	Fired int
}

func (a *alarm) set(env sim.Env) { env.SetTimer("wake", 20*time.Millisecond) }

func (a *alarm) Timer(sim.Env, any) { a.Fired++ }

// A timer that is due while the node is frozen fires when it is thawed, even if messages arrived meanwhile.
func TestFreeze_TimerDue(t *testing.T) {
	x := custom(t, sim.System{
		Name: "alarm", Nodes: 1, New: func(sim.NodeID) sim.Service { return &alarm{} },
		Actions: []sim.AnyAction{sim.Action[*alarm]{Name: "set", Do: (*alarm).set}},
	})
	ctx := context.Background()
	fired := func(want int) func([]sim.Service) bool {
		return func(s []sim.Service) bool { return s[0].(*alarm).Fired == want }
	}
	before := 0
	for set := false; !set; { // it may fire before the node is frozen, if that is not given a processor
		x.all(func(s []sim.Service) bool { before = s[0].(*alarm).Fired; return true })
		x.act("set")
		if err := x.nodes[0].Freeze(ctx); err != nil {
			t.Fatal(err)
		}
		if set = x.all(fired(before)); !set {
			if err := x.nodes[0].Thaw(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	time.Sleep(30 * time.Millisecond)
	if !x.all(fired(before)) { // looking wakes the loop
		t.Error("the timer of a frozen node has fired")
	}
	if err := x.nodes[0].Thaw(ctx); err != nil {
		t.Fatal(err)
	}
	x.until("the timer fires", fired(before+1))
	agrees(t, x.merged())
}
