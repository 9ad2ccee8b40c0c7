package shrink_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// order is shown without its number, so that the keys of its deliveries are equal.
type order struct{ N int }

func (order) text() string { return "order" }

// worker takes the first order that it receives. Order 2 lets it spoil its work for good.
type worker struct {
	sim.Nop
	Order         int
	Spoiled, Done bool
}

// starts counts the runs of workers.
var starts int

func (w *worker) Boot(env sim.Env) {
	if env.Self() == 0 {
		starts++
		env.Send(1, order{1})
		env.Send(1, order{2})
	}
}

func (w *worker) Receive(_ sim.Env, _ sim.NodeID, m any) {
	if w.Order == 0 {
		w.Order = m.(order).N
	}
}

func workers() sim.System {
	return sim.System{
		Name: "workers", Nodes: 2, Network: netsim.Datagrams{},
		New:   func(sim.NodeID) sim.Service { return &worker{} },
		State: []sim.StateRule{sim.ShowBy(order.text)},
		Actions: []sim.AnyAction{
			sim.Action[*worker]{
				Name: "spoil", When: func(w *worker) bool { return w.Order == 2 && !w.Spoiled },
				Do: func(w *worker, _ sim.Env) { w.Spoiled, w.Done = true, false },
			},
			sim.Action[*worker]{
				Name: "work", When: func(w *worker) bool { return w.Order > 0 },
				Do: func(w *worker, _ sim.Env) { w.Done = !w.Done && !w.Spoiled },
			},
		},
		Properties: []sim.Property{{Name: "live", Eventually: func(v *sim.View) bool { return v.Service(1).(*worker).Done }}},
	}
}

// If the deliveries of two messages have the same key, a script delivers the same one as the run.
func TestRun_DeliveriesOfEqualKeys(t *testing.T) {
	sys := workers()
	// Order 2 comes first, and work is done once before it is spoiled.
	cfg := critical.Config{System: sys, WalkSteps: 300, Walks: 50}
	cfg.Path = append(choose.Path{1, 1, 1, 0}, make(choose.Path, 300)...)
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if dead.Case != critical.Located || dead.Step != 4 {
		t.Fatalf("critical step %d, %v", dead.Step, dead.Case)
	}
	r := run(t, shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}})
	got := keys(t, &sys, r.Path)
	if got[0] != "deliver n1<-n0 order" || got[1] != "action n1 spoil" || r.Path[0] != 1 || r.Dead.Step != 2 || !r.Minimal {
		t.Errorf("path %v: %q, critical step %d, minimal: %v", r.Path[:5], got[:5], r.Dead.Step, r.Minimal)
	}
}

// A run with steps that do not all happen again, because a handler reads a package variable, is not shrunk.
func TestRun_StepsThatDoNotHappenAgain(t *testing.T) {
	sys := workers()
	most := 1 << 30
	spoil := sys.Actions[0].(sim.Action[*worker])
	when := spoil.When
	spoil.When = func(w *worker) bool { return when(w) && starts <= most }
	sys.Actions[0] = spoil
	cfg := critical.Config{System: sys, WalkSteps: 300, Walks: 50}
	cfg.Path = append(choose.Path{1, 1, 1, 0}, make(choose.Path, 300)...)
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	most = starts + 1 // the run is followed once
	_, err = shrink.Run(t.Context(), shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}})
	if !errors.Is(err, shrink.ErrUnable) || !strings.Contains(err.Error(), "only 3 of ") {
		t.Errorf("got %v, want that only 3 steps happen again", err)
	}
}
