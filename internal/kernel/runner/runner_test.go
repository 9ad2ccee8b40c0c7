package runner_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// told answers a runner's questions like those of a world.
type told struct {
	picks []int
	rooms []stepinfo.Observation
}

func (a *told) Choose(choose.Point) int {
	pick := a.picks[0]
	a.picks = a.picks[1:]
	return pick
}

// Room is the room before the step: what was observed and what the step had sent.
func (a *told) Room(_, peer sim.NodeID) int {
	for _, o := range a.rooms {
		if o.Peer == peer {
			return o.Room
		}
	}
	return 0
}

// A runner that receives the inputs of a world's nodes reaches the same states, even through crashes.
func TestRunner_AgreesWithWorld(t *testing.T) {
	for _, name := range []string{"randtree", "transport", "pastry", "overcast", "twophase"} {
		t.Run(name, func(t *testing.T) {
			e, err := papers.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := e.New(spec.Config{})
			if err != nil {
				t.Fatal(err)
			}
			sys.Timing = sim.AnyOrder
			for seed := range uint64(20) {
				mirror(t, &sys, seed+1)
			}
		})
	}
}

func mirror(t *testing.T, sys *sim.System, seed uint64) {
	compared := *sys // with the rule for another program
	compared.State = append(slices.Clone(sys.State), sim.StateRule(rule.AcrossPrograms()))
	w, err := kernel.NewWorld(&compared, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.NewRunner(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	random := choose.NewRandom(seed, 0)
	var answers told
	src := choose.SourceFunc(func(p choose.Point) int {
		pick := 0
		if p.Kind.Class() != choose.Fault {
			pick = random.Choose(p)
		}
		if p.Kind == choose.Draw || p.Kind.Class() == choose.Compare {
			answers.picks = append(answers.picks, pick)
		}
		return pick
	})
	if err := run.Start(src); err != nil {
		t.Fatal(err)
	}
	answers.rooms = append(answers.rooms, w.Last().Observed...)
	for id := range sim.NodeID(sys.Nodes) {
		r.Run(netmodel.Event{Kind: eventkind.Boot, Node: id, Peer: -1}, declared.Handed{}, &answers, nil)
	}
	for step := range 300 {
		all := w.Injections(append([]netmodel.Event(nil), w.Enabled()...))
		if len(all) == 0 {
			return
		}
		index := random.IntN(len(all))
		ev := all[index]
		var d declared.Handed
		for _, env := range w.Messages(ev, nil) {
			d.Delivery = netmodel.Delivery{From: env.From, Msg: netmodel.Message{Body: env.Msg}}
		}
		key := w.Key(ev)
		if ev.Kind == eventkind.DeliverError {
			d.Delivery = netmodel.Delivery{From: ev.Peer, Err: sim.ErrReset}
		}
		if ev.Kind == eventkind.DeliverReady {
			d.From = ev.Peer
		}
		answers = told{}
		unsynced := r.Unsynced(max(ev.Node, 0))
		kept := 0
		err := run.Step(index, choose.SourceFunc(func(p choose.Point) int {
			if p.Kind == choose.Outcome {
				kept = random.Choose(p)
				return kept
			}
			return src(p)
		}))
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		answers.rooms = append(answers.rooms, w.Last().Observed...)
		switch {
		case ev.Kind == eventkind.Crash:
			r.Crash(ev.Node, min(kept, unsynced))
		case ev.Kind.Injection() || ev.Kind == eventkind.Heal:
		default:
			if done := r.Run(ev, d, &answers, nil); done.Finding != nil {
				t.Fatalf("%s: %v", key, done.Finding)
			}
		}
		for c, hash := range w.Components() {
			if c.Kind == kernel.NodeState && r.Hash(sim.NodeID(c.Index)) != hash {
				t.Fatalf("seed %d, step %d, %s: node %d\n runner %v\n world  %v", seed, step+1, key, c.Index,
					r.NodeFields(sim.NodeID(c.Index)), w.NodeFields(sim.NodeID(c.Index)))
			}
		}
	}
}
