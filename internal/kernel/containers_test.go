package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// lodger has memory, a timer, a disk and, to node 3, a stream.
type lodger struct {
	sim.Nop
	Memory, Errors int
}

func (l *lodger) Work(env sim.Env) {
	l.Memory++
	env.SetTimer("tick", 1)
	env.Disk().Put("a", []byte{1})
	_ = env.Stream(3).Send(vote{1})
}

func (l *lodger) PeerError(sim.Env, sim.NodeID, error) { l.Errors++ }

// lodgers is a system with nodes 2 and 0 in one process, and 1 and 3 in processes of their own.
func lodgers() *sim.System {
	return &sim.System{
		Name: "lodgers", Nodes: 4, New: func(sim.NodeID) sim.Service { return &lodger{} }, Network: netsim.Both{}, Timing: sim.AnyOrder,
		Crashes: 2, Halts: 2, Containers: [][]sim.NodeID{{2, 0}},
		Actions: []sim.AnyAction{sim.Action[*lodger]{Name: "work", Times: 1, Do: (*lodger).Work}},
	}
}

// takeKey executes the event of that key, and returns the questions asked.
func takeKey(t *testing.T, w kernel.World, key string, picks map[string]int) (asked []string) {
	t.Helper()
	events := w.Injections(slices.Clone(w.Enabled()))
	i := slices.IndexFunc(events, func(ev netmodel.Event) bool { return w.Key(ev) == key })
	if i < 0 {
		var keys []string
		for _, ev := range events {
			keys = append(keys, w.Key(ev))
		}
		t.Fatalf("%q is not among %q", key, keys)
	}
	if err := w.Step(events[i], choose.SourceFunc(func(p choose.Point) int {
		asked = append(asked, fmt.Sprintf("%s: %d", p.Label, p.Arity))
		return picks[p.Label]
	})); err != nil {
		t.Fatal(err)
	}
	return asked
}

func faults(w kernel.World) (keys []string) {
	for _, ev := range w.Injections(nil) {
		if ev.Kind.TakesDown() {
			keys = append(keys, w.Key(ev))
		}
	}
	return keys
}

func up(w kernel.World) (ids []int) {
	for id := range w.System().Nodes {
		if w.Service(sim.NodeID(id)) != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func netField(w kernel.World, path string) string {
	for _, f := range w.NetFields() {
		if f.Path == path {
			return f.Value
		}
	}
	return ""
}

func TestContainerCrashes(t *testing.T) {
	w := start(t, lodgers())
	want := []string{"crash n0 with n2", "crash n1", "crash n3", "halt n0 with n2", "halt n1", "halt n3"}
	if got := faults(w); !slices.Equal(got, want) {
		t.Fatalf("faults %q, want %q", got, want)
	}
	for id := range 3 {
		takeKey(t, w, fmt.Sprintf("action n%d work", id), nil)
		takeKey(t, w, fmt.Sprintf("deliver n3<-n%d stream vote{Round:1}", id), nil)
	}
	asked := takeKey(t, w, "crash n0 with n2", map[string]int{stepinfo.SurvivorsLabelOf(2): 1})
	if want := []string{stepinfo.SurvivorsLabel + ": 2", stepinfo.SurvivorsLabelOf(2) + ": 2"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if got := w.Last().With; !slices.Equal(got, []sim.NodeID{2}) {
		t.Errorf("with %v", got)
	}
	if got := up(w); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("up are %v", got)
	}
	if left := netField(w, "crashes left"); left != "1" {
		t.Errorf("%s crashes are left", left)
	}
	for id, want := range []string{"", "(timer \"tick\")", "(disk a)"} {
		text := fmt.Sprint(w.NodeFields(sim.NodeID(id)))
		if !strings.Contains(text, want) || id != 1 && strings.Contains(text, "timer") || id == 0 && strings.Contains(text, "disk") {
			t.Errorf("n%d has %s", id, text)
		}
	}
	takeKey(t, w, "error n3<-n0 "+sim.ErrReset.Error(), nil) // of both connections
	takeKey(t, w, "error n3<-n2 "+sim.ErrReset.Error(), nil)

	// Each node boots by itself, and until then a crash takes down the nodes that are up.
	takeKey(t, w, "boot n2", nil)
	if got := faults(w)[0]; got != "crash n1" {
		t.Errorf("the first fault is %q", got)
	}
	if i := slices.Index(faults(w), "crash n0 with n2"); i != 1 {
		t.Errorf("the crash is fault %d of %q", i, faults(w))
	}
	takeKey(t, w, "crash n0 with n2", nil)
	if got := w.Last(); len(got.With) != 0 || got.Event.Node != 2 {
		t.Errorf("got %+v, want a crash of node 2 alone", got)
	}
}

func TestContainerHalts(t *testing.T) {
	w := start(t, lodgers())
	takeKey(t, w, "crash n0 with n2", nil)
	takeKey(t, w, "boot n2", nil)
	takeKey(t, w, "halt n0 with n2", nil)
	for _, id := range []sim.NodeID{0, 2} {
		if text := fmt.Sprint(w.NodeFields(id)); !strings.Contains(text, "halted") {
			t.Errorf("n%d has %s", id, text)
		}
	}
	if left := netField(w, "halts left"); left != "1" {
		t.Errorf("%s halts are left", left)
	}
	for _, ev := range w.Enabled() {
		if ev.Kind == eventkind.Boot {
			t.Errorf("%q is possible", w.Key(ev))
		}
	}
}

// A node that crashes inside a step takes the others of its process along. None of their datagrams is lost.
func TestContainerCrashesInside(t *testing.T) {
	w := start(t, lodgers())
	takeKey(t, w, "action n0 work", nil)
	asked := takeKey(t, w, "action n2 work", map[string]int{choose.CrashInside.Label(): 1})
	want := []string{choose.CrashInside.Label() + ": 2", stepinfo.SurvivorsLabelOf(0) + ": 2"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if got := w.Last(); !got.Crashed || !slices.Equal(got.With, []sim.NodeID{0}) {
		t.Errorf("got %+v, want a crash with node 0", got)
	}
	if got := up(w); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("up are %v", got)
	}
}

func TestContainers_SomeMayCrash(t *testing.T) {
	for name, change := range map[string]func(*sim.System){
		"MayCrash": func(s *sim.System) { s.MayCrash = func(id sim.NodeID) bool { return id == 2 } },
		"MayHalt":  func(s *sim.System) { s.MayHalt = func(id sim.NodeID) bool { return id == 0 } },
	} {
		sys := lodgers()
		change(sys)
		_, err := kernel.NewWorld(sys, kernel.Options{})
		if want := `system "lodgers": Containers 0: ` + name + " tells nodes 2 and 0 apart"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	sys := lodgers()
	sys.MayCrash = func(id sim.NodeID) bool { return id == 1 }
	w := start(t, sys)
	if got := faults(w); !slices.Equal(got, []string{"crash n1", "halt n1"}) {
		t.Errorf("faults %q", got)
	}
}
