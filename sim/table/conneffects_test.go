package table

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

func pipes() *sim.System {
	return &sim.System{Name: "pipe", Nodes: 3, New: func(sim.NodeID) sim.Service { return &pipe{} }, Crashes: 1, Halts: 1,
		Network: netsim.Streams{Buffer: 2, Errors: 1, Partitions: 1},
		Actions: []sim.AnyAction{sim.Action[*pipe]{Name: "kick", Times: 2, Do: (*pipe).Kick, At: func(n sim.NodeID) bool { return n < 2 }}}}
}

// What is known of operations is what the network model does, of all connections that an exploration comes to, and most was not asked for.
func TestConnectionEffectsAreThoseOfTheNetwork(t *testing.T) {
	for _, sys := range []*sim.System{pipes(), bundledSystem(t, "randtree")} {
		e, err := newEngine(sys, kernel.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		loop, err := explore.New(newGraph(e, nil), explore.Options{MaxStates: 30000})
		if err != nil {
			t.Fatal(err)
		}
		if x := loop.Run(context.Background()); x.Err != nil {
			t.Fatal(x.Err)
		}
		c, known := &e.conns, 0
		for id := range uint32(c.list.len()) {
			line, before := *c.lines.at(id), *c.list.at(id)
			for _, k := range line.known {
				if k.code == 0 {
					continue
				}
				known++
				after, h := c.ask(id, &before, k.code)
				op, side, _, _ := coded(k.code)
				if after != *c.list.at(k.next) || op == opTake && line.first[side] != h.msg+1 || op == opError && line.errs[side][k.code&1] != h.err {
					t.Fatalf("%s: operation %x makes %+v %+v, and hands over %+v", sys.Name, k.code, before, after, h)
				}
				if shape, _ := c.shape(&after); *c.lines.at(k.next) == (connLine{}) || c.lines.at(k.next).can[0] != c.look(c.content(k.next), after.self, false) {
					t.Fatalf("%s: of shape %x something else can happen than %+v", sys.Name, shape, c.lines.at(k.next).can)
				}
			}
		}
		if n := len(c.effects); n == 0 || known <= n {
			t.Errorf("%s: %d operations on %d connections have %d effects", sys.Name, known, c.list.len(), n)
		}
	}
}

// Queues are lists: what is put at the end comes out at the front.
func TestQueues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queues
		lists := map[uint32][]uint32{0: nil}
		ids := []uint32{0}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "queue")
			list := slices.Clone(lists[id])
			if rapid.IntRange(0, 2).Draw(t, "op") == 0 && len(list) > 0 {
				if first := q.at(id).first; first != list[0] {
					t.Fatalf("%v begins with %d", list, first)
				}
				id, list = q.popped(id), list[1:]
			} else {
				msg := rapid.Uint32Range(0, 2).Draw(t, "message")
				id, list = q.pushed(id, msg), append(list, msg)
			}
			got := q.appendTo([]uint32{7}, id)
			if was, ok := lists[id]; ok && !slices.Equal(was, list) || !slices.Equal(got[1:], list) || got[0] != 7 || int(q.at(id).n) != len(list) {
				t.Fatalf("%d is %v, not %v", id, got, list)
			}
			for other, was := range lists {
				if other != id && slices.Equal(was, list) {
					t.Fatalf("%v is both %d and %d", list, id, other)
				}
			}
			lists[id] = list
			ids = append(ids, id)
		}
	})
}

// rude is a network whose streams let messages overtake one another.
type rude struct{ netsim.Streams }

func (n rude) Start(host sim.NetHost) sim.NetModel {
	return &rudeModel{n.Streams.Start(host).(sim.Parted)}
}

type rudeModel struct{ sim.Parted }

func (m *rudeModel) Connection(a, b sim.NodeID) sim.Connection {
	c := m.Parted.Connection(a, b)
	for _, end := range c {
		if n := len(end.Queue); n > 1 {
			end.Queue[0], end.Queue[n-1] = end.Queue[n-1], end.Queue[0]
		}
	}
	return c
}

func TestConnectionsThatNoEffectExplains(t *testing.T) {
	sys := pipes()
	sys.Network = rude{sys.Network.(netsim.Streams)}
	e, err := newEngine(sys, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "rules out") {
			t.Errorf("%v", r)
		}
	}()
	first := e.conns.apply(emptyConn, connCode(opSend, 0, e.message(1)), true)
	t.Errorf("%d", e.conns.apply(first, connCode(opSend, 0, e.message(2)), true))
}

// An effect that was relied on before is not that of a connection to which the network model does something else.
func TestConnectionEffectsAreAskedForAgain(t *testing.T) {
	e, err := newEngine(pipes(), kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "rules out") {
			t.Errorf("%v", r)
		}
	}()
	for k := range 12 {
		e.conns.apply(emptyConn, connCode(opSend, 0, e.message(k)), true)
		if k == 4 {
			e.conns.effects[0].queues[0] = stays
		}
	}
	t.Error("the effect is still relied on")
}
