package script

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// booted returns a world of two nodes after the first has executed instructions.
func booted(t *testing.T, boot []Instr) (kernel.World, error) {
	t.Helper()
	var p Program
	p[0][0] = boot
	c := Config{Nodes: 2, Timing: sim.AnyOrder, Network: netsim.Both{Streams: netsim.Streams{Buffer: 2}}, Late: 2, Sturdy: -1,
		Programs: []Program{p, {}}}
	w, err := kernel.NewWorld(c.System(), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w, w.Start(choose.First)
}

func TestInstructions_ChangeTheNode(t *testing.T) {
	for _, c := range []struct {
		name string
		boot []Instr
		want string // phase, room and events other than actions
	}{
		{"nothing", []Instr{{OpNothing, 1, 1}}, "0 0 []"},
		{"phase", []Instr{{OpPhase, 5, 0}}, "2 0 []"},
		{"send", []Instr{{OpPhase, 1, 0}, {OpSend, 3, 0}}, `1 0 ["deliver n1<-n0 datagram &note{Phase:1 List:nil At:t0}"]`},
		{"stream", []Instr{{OpStream, 1, 0}}, `0 0 ["deliver n1<-n0 stream note{Phase:0 List:nil At:t0}"]`},
		{"full stream", []Instr{{OpStream, 1, 0}, {OpStream, 1, 0}, {OpStream, 1, 0}},
			`0 -1 ["deliver n1<-n0 stream note{Phase:0 List:nil At:t0}"]`},
		{"room", []Instr{{OpStream, 1, 0}, {OpRoom, 1, 0}}, `0 1 ["deliver n1<-n0 stream note{Phase:0 List:nil At:t0}"]`},
		{"timer", []Instr{{OpSetTimer, 4, 0}}, `0 0 ["timer n0 alarm{K:1}"]`},
		{"stopped timer", []Instr{{OpSetTimer, 4, 0}, {OpSetTimer, 2, 0}, {OpStopTimer, 5, 0}}, `0 0 ["timer n0 alarm{K:1}"]`},
		{"put and get", []Instr{{OpPhase, 2, 0}, {OpPut, 1, 0}, {OpPhase, 0, 0}, {OpGet, 3, 0}}, "2 0 []"},
		{"delete", []Instr{{OpPhase, 2, 0}, {OpPut, 1, 0}, {OpDelete, 1, 0}, {OpPhase, 0, 0}, {OpGet, 1, 0}}, "0 0 []"},
		{"only sometimes", []Instr{{OpStream, 1, 0}, {OpRoom, 1, 0}, {OpOnlySometimes, 0, 0}, {OpPhase, 1, 0}},
			`0 1 ["deliver n1<-n0 stream note{Phase:0 List:nil At:t0}"]`},
		{"bad timer", []Instr{{OpBadTimer, 0, 0}},
			"0 0 [] timer []int: cannot be a timer: timers must be comparable; use a struct of names and numbers"},
		{"panic", []Instr{{OpStream, 1, 0}, {OpRoom, 1, 0}, {OpPanic, 0, 0}}, "0 1 [] panic: panic in phase 0"},
		{"close", []Instr{{OpStream, 1, 0}, {OpClose, 1, 0}}, "0 0 []"},
	} {
		w, err := booted(t, c.boot)
		s := w.Service(0).(*Plain)
		got := fmt.Sprint(s.Phase, s.Room, " ")
		var keys []string
		for _, ev := range w.Enabled() {
			if key := w.Key(ev); key[:6] != "action" {
				keys = append(keys, key)
			}
		}
		if got += fmt.Sprintf("%q", keys); err != nil {
			got += " " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// In phase 0, both actions choose between phases 0 and 1. In phase 1, action "act" is disabled and the other one leads
// to phase 2, in which both do nothing.
func TestSystem_HasTheStatesOfItsProgram(t *testing.T) {
	var p Program
	p[ActionClass] = [Phases][]Instr{{{OpChoose, 0, 1}}, {{OpPhase, 2, 0}}, nil}
	c := Config{Nodes: 1, Timing: sim.AnyOrder, Late: 1, Sturdy: -1, Programs: []Program{p}}
	g, err := bruteforce.Explore(c.System())
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Transitions(); len(g.States) != 3 || n != 7 {
		t.Errorf("got %d states and %d transitions, want 3 and 7", len(g.States), n)
	}
	if v, want := g.Violation(), "safety: not all in phase 2: true"; v == nil || v.Err.Error() != want {
		t.Errorf("got %+v, want %s", v, want)
	}
}

// drawn draws 200 systems and returns their networks and instructions. An invalid system fails the test.
func drawn(t *testing.T, draw func(*rapid.T) *Config) (networks []string, ops []Opcode) {
	t.Helper()
	gen, all, used := rapid.Custom(draw), map[string]bool{}, map[Opcode]bool{}
	for seed := range 200 {
		c := gen.Example(seed)
		if _, err := kernel.NewWorld(c.System(), kernel.Options{}); err != nil {
			t.Fatalf("seed %d: got error %v, want none", seed, err)
		}
		all[fmt.Sprintf("%T", c.Network)] = true
		for _, p := range c.Programs {
			for _, phases := range p {
				for _, in := range slices.Concat(phases[:]...) {
					used[in.Op] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(used))
}

func TestDraw_DrawsAllNetworksAndInstructions(t *testing.T) {
	networks, ops := drawn(t, Draw)
	if want := []string{"<nil>", "netsim.Both", "netsim.Datagrams", "netsim.Streams"}; !slices.Equal(networks, want) {
		t.Errorf("got networks %v, want %v", networks, want)
	}
	if len(ops) != int(opcodes) {
		t.Errorf("got instructions %v, want all %d", ops, opcodes)
	}
}

func TestDrawSmall_DrawsNoStreams(t *testing.T) {
	networks, ops := drawn(t, DrawSmall)
	if want := []string{"<nil>", "netsim.Datagrams"}; !slices.Equal(networks, want) {
		t.Errorf("got networks %v, want %v", networks, want)
	}
	if want := []Opcode{OpSend, OpSetTimer, OpChoose, OpAnnounce, OpPhase}; !slices.Equal(ops, want) {
		t.Errorf("got instructions %v, want %v", ops, want)
	}
}

func TestTurns_FailsAtItsLimit(t *testing.T) {
	m := Turns{limit: 3}
	for i, from := range []sim.NodeID{0, 0, 1, 1} {
		if err := m.Observe(from, said{}); err != nil {
			t.Errorf("announcement %d: got error %v, want none", i, err)
		}
	}
	const want = "node 0 took turn 3"
	if err := m.Observe(0, said{}); fmt.Sprint(err) != want {
		t.Errorf("third turn: got error %v, want %s", err, want)
	}
}

func TestChorus_LimitsEachNode(t *testing.T) {
	m := Chorus{limit: 4}
	for i, from := range []sim.NodeID{0, 1} {
		if err := m.Observe(from, said{[]int{2}}); err != nil {
			t.Errorf("announcement %d: got error %v, want none", i, err)
		}
	}
	const want = "node 1 was heard 4 times"
	if err := m.Observe(1, said{[]int{0}}); fmt.Sprint(err) != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
