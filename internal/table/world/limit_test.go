package world_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// Dropping the tables does not change what happens.
func TestLimit_KeepsBehaviour(t *testing.T) {
	entry, err := systems.Find("randtree")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	runs := func(most int) (prints []encoding.Fingerprint, s steptree.Stats) {
		made, err := world.New(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := made.(*world.World)
		w.MaxEntries = most
		for k := range uint64(20) {
			src := choose.NewRandom(1, k)
			if err := w.Start(src); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				events := w.Enabled()
				if err := w.Step(events[src.IntN(len(events))], src); err != nil {
					t.Fatal(err)
				}
				if err := w.Check(); err != nil {
					t.Fatal(err)
				}
				prints = append(prints, w.Fingerprint())
			}
		}
		return prints, w.Stats()
	}
	want, all := runs(1 << 20)
	got, few := runs(50)
	if all.Dropped != 0 || few.Dropped < 10 || few.Steps != all.Steps || few.Misses <= all.Misses {
		t.Errorf("%+v, %+v", all, few)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("step %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// chatterer sends messages and ignores what it receives, so states differ only in messages in flight.
type chatterer struct{ sim.Nop }

func (*chatterer) say(env sim.Env) { _ = env.Stream(1).Send(env.Choose("what", 2)) }

func (*chatterer) post(env sim.Env) { env.Send(1, env.Choose("what", 1000)) }

// The tables are also dropped when few local states meet many connections, or many inboxes.
func TestLimit_CountsMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		net  sim.Network
		do   func(*chatterer, sim.Env)
	}{
		{"stream", netsim.Streams{Buffer: 20}, (*chatterer).say},
		{"datagrams", netsim.Datagrams{}, (*chatterer).post},
	} {
		made, err := world.New(&sim.System{
			Name: c.name, Nodes: 2, New: func(sim.NodeID) sim.Service { return &chatterer{} }, Network: c.net,
			Actions: []sim.AnyAction{sim.Action[*chatterer]{Name: "do", Do: c.do}},
		}, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := made.(*world.World)
		run := func(k uint64) {
			src := choose.NewRandom(1, k)
			if err := w.Start(src); err != nil {
				t.Fatal(err)
			}
			for range 15 {
				if err := w.Step(w.Enabled()[0], src); err != nil { // n0 acts
					t.Fatal(err)
				}
			}
		}
		w.Limit(5000)
		for k := range uint64(1000) {
			run(k)
		}
		if s := w.Stats(); s.Dropped == 0 || s.Locals > 10 || w.Entries() > 5100 {
			t.Errorf("%s: %+v, %d entries; want tables that were dropped at 5000 entries for few local states", c.name, s, w.Entries())
		}
	}
}
