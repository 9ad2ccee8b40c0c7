package world_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The search's own loop and walks behave the same on both engines: the same paths, states and results from the same
// seeds.
func TestWorld_WalksAgreeWithReplay(t *testing.T) {
	for _, sys := range []*sim.System{
		bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 1}),
		bundled.System(t, "randtree", 4, sim.Limits{}),
	} {
		worlds := [2]kernel.World{tableWorld(t, sys)}
		var err error
		if worlds[1], err = kernel.NewWorld(sys, kernel.Options{}); err != nil {
			t.Fatal(err)
		}
		for stream := range uint64(50) {
			var told [2]string
			for i, w := range worlds {
				loop, walker := runloop.New(w), runs.NewWalker(search.DefaultWeights().Scale(), 500)
				walker.Seed(7, stream)
				o := loop.Run(walker, runloop.Task{})
				told[i] = fmt.Sprintf("%+v %+v", o, w.Fingerprint())
			}
			if told[0] != told[1] {
				t.Fatalf("%s, stream %d:\ntable  %s\nreplay %s", sys.Name, stream, told[0], told[1])
			}
		}
	}
}

// A path made on the table engine replays on the replay engine.
func TestWorld_PathsReplay(t *testing.T) {
	sys := bundled.System(t, "randtree", 3, sim.Limits{sim.Crashes: 1})
	rnd := choose.NewRandom(3, 0)
	w := tableWorld(t, sys)
	run := replay.NewRun(w)
	if err := run.Start(rnd); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		n := len(w.Injections(slices.Clone(w.Enabled())))
		if err := run.Step(rnd.IntN(n), rnd); err != nil {
			t.Fatal(err)
		}
	}
	other, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again := replay.NewRun(other)
	pos := 0
	answers := choose.SourceFunc(func(choose.Point) int { pos++; return int(run.Path[pos-1]) })
	if err := again.Start(answers); err != nil {
		t.Fatal(err)
	}
	for pos < len(run.Path) {
		pos++
		if err := again.Step(int(run.Path[pos-1]), answers); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(again.Path, run.Path) || other.Fingerprint() != w.Fingerprint() {
		t.Errorf("replayed to another state: %v, %v", again.Path, run.Path)
	}
}

func TestWorld_Plans(t *testing.T) {
	c := &script.Config{Nodes: 2, Odd: true, Late: 2, Sturdy: -1, Monitor: 6, Network: netsim.Datagrams{}}
	var p script.Program
	for phase := range script.Phases {
		p[script.ActionClass][phase] = []script.Instr{{Op: script.OpSend}, {Op: script.OpAnnounce}, {Op: script.OpChoose, B: 2}}
	}
	c.Programs = []script.Program{p}
	w := tableWorld(t, c.System())
	if err := wander(w, 200); err != nil && !strings.Contains(err.Error(), "monitor") && !strings.Contains(err.Error(), "phase 2") {
		t.Fatal(err)
	}
	var got []string
	for _, p := range w.Plans() {
		got = append(got, fmt.Sprintf("%s %v", p.Type, p.Copied))
		if p.Copied != (p.Why == "") || !p.Copied && !strings.Contains(p.Why, "Odd") {
			t.Errorf("got %+v, want either a copy, or Odd as the reason for none", p)
		}
	}
	want := []string{"*script.Chorus true", "*script.OddChorus false", "*script.OddOne false", "*script.Plain true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type strange struct{ netsim.Datagrams }

func (strange) Start(host netmodel.Host) netmodel.Model {
	return struct{ netmodel.Model }{netsim.Datagrams{}.Start(host)}
}

func TestNew_Unsupported(t *testing.T) {
	var u *options.Unsupported
	nop := func(sim.NodeID) sim.Service { return sim.Nop{} }
	for _, sys := range []*sim.System{
		{Name: "big", Nodes: 65, New: nop},
		{Name: "strange", Nodes: 1, New: nop, Network: strange{}},
	} {
		if _, err := world.New(sys, kernel.Options{}); !errors.As(err, &u) {
			t.Errorf("%s: %v", sys.Name, err)
		}
	}
}

func TestNew_ReplayEngineForTraces(t *testing.T) {
	sys := bundled.System(t, "pingack", 2, sim.Limits{})
	for _, opts := range []kernel.Options{{Trace: true}, {CheckMessages: true}} {
		w, err := world.New(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := w.(*world.World); ok {
			t.Errorf("%+v: a table world, which cannot do that", opts)
		}
	}
}

// A step that was looked up allocates nothing.
func TestWorld_AllocatesNothing(t *testing.T) {
	sys := bundled.System(t, "pingack", 2, sim.Limits{})
	w := tableWorld(t, sys)
	rnd := choose.NewRandom(1, 0)
	run := func() {
		if err := w.Start(rnd); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			events := w.Enabled()
			if len(events) == 0 {
				break
			}
			if err := w.Step(events[rnd.IntN(len(events))], rnd); err != nil {
				t.Fatal(err)
			}
			if err := w.Check(); err != nil {
				t.Fatal(err)
			}
			w.Live()
			w.Fingerprint()
		}
	}
	for range 5000 {
		run()
	}
	if n := testing.AllocsPerRun(500, run); n > 0 {
		t.Errorf("%v allocations in a run", n)
	}
}
