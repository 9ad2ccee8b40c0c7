package table

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

func pipes() *sim.System {
	return &sim.System{Name: "pipe", Nodes: 3, New: func(sim.NodeID) sim.Service { return &pipe{} }, Crashes: 1, Halts: 1,
		Network: netsim.Streams{Buffer: 2, Errors: 1, Partitions: 1},
		Actions: []sim.AnyAction{sim.Action[*pipe]{Name: "kick", Times: 2, Do: (*pipe).Kick, At: func(n sim.NodeID) bool { return n < 2 }}}}
}

// counted counts how often a connection is put into the network model.
type counted struct {
	sim.Network
	set *int
}

func (n counted) Start(host sim.NetHost) sim.NetModel {
	return &countedModel{n.Network.Start(host).(sim.Parted), n.set}
}

type countedModel struct {
	sim.Parted
	set *int
}

func (m *countedModel) SetConnection(a, b sim.NodeID, c sim.Connection) {
	*m.set++
	m.Parted.SetConnection(a, b, c)
}

// What is known of operations is what the network model does, of all connections that an exploration comes to, and most was not asked for. Where no
// connection has a shape all is asked for, and the same comes of it.
func TestConnectionEffectsAreThoseOfTheNetwork(t *testing.T) {
	for _, sys := range []*sim.System{pipes(), bundledSystem(t, "randtree")} {
		var first explore.Result
		for _, most := range []uint64{mostShaped, 1, 0} {
			set := 0
			sys := *sys
			sys.Network = counted{sys.Network, &set}
			e, err := newEngine(&sys, kernel.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c, known := &e.conns, 0
			c.mostShaped = most
			loop, err := explore.New(newGraph(e, nil), explore.Options{MaxStates: 30000})
			if err != nil {
				t.Fatal(err)
			}
			x := loop.Run(context.Background())
			if x.Err != nil {
				t.Fatal(x.Err)
			}
			if most == mostShaped {
				first = x
			} else if x.States != first.States || x.Transitions != first.Transitions {
				t.Errorf("%s: %d states, %d transitions, not %d, %d", sys.Name, x.States, x.Transitions, first.States, first.Transitions)
			}
			asked := set
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
				}
				can := [2]uint8{c.look(c.content(id), before.self, false)}
				if sys.Limits()[sim.Partitions] > 0 {
					can[1] = c.look(c.content(id), before.self, true)
				}
				if line.can != can {
					t.Fatalf("%s: on %+v %x can happen, not %x", sys.Name, before, can, line.can)
				}
			}
			if few := asked < known/2; sys.Name == "randtree" && few != (most == mostShaped) || known == 0 {
				t.Errorf("%s, shapes of up to %d messages: of %d operations on %d connections %d were asked for", sys.Name, most, known, c.list.len(), asked)
			}
		}
	}
}

// Queues are lists: what is put at the end comes out at the front.
func TestQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	rapid.Check(t, func(t *rapid.T) {
		var q queues
		q.init()
		lists := map[uint32][]uint32{0: nil}
		ids := []uint32{0}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "queue")
			list := slices.Clone(lists[id])
			switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
			case op == 0:
				list = append(list, rapid.SliceOfN(rapid.Uint32Range(0, 2), 0, 1<<11).Draw(t, "messages")...)
				id = q.intern(list)
			case op < 3 && len(list) > 0:
				id, list = q.popped(id), list[1:]
			default:
				msg := rapid.Uint32Range(0, 2).Draw(t, "message")
				id, list = q.pushed(id, msg), append(list, msg)
			}
			if was, ok := lists[id]; ok && !slices.Equal(was, list) || !slices.Equal(q.of(id), list) {
				t.Fatalf("%d is %v, not %v", id, q.of(id), list)
			}
			for other, was := range lists {
				if other != id && slices.Equal(was, list) {
					t.Fatalf("%v is both %d and %d", list, id, other)
				}
			}
			lists[id] = list
			ids = append(ids, id)
		}
		for id, list := range lists {
			if !slices.Equal(q.of(id), list) {
				t.Fatalf("%d has become %v, was %v", id, q.of(id), list)
			}
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
			for _, s := range e.conns.effects.slots {
				if s.key != 0 {
					s.value.queues[0] = stays
				}
			}
		}
	}
	t.Error("the effect is still relied on")
}

// Who is refused is told so, whatever else is on the way.
func TestConnectionEffectsTellOfErrors(t *testing.T) {
	e, err := newEngine(pipes(), kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &e.conns
	for k := range 10 {
		refused := c.apply(emptyConn, connCode(opSend, 0, e.message(k)), false)
		onTheWay := c.apply(refused, connCode(opSend, 1, e.message(k)), true)
		if _, class, _ := e.received(onTheWay, sim.DeliverError, 0, true); class != refusedEvent {
			t.Errorf("connection %d: an event of class %d", k, class)
		}
		broken := c.apply(onTheWay, connCode(opBreak, 0, 0), true)
		if c.lines.at(broken).can[0]&canFail == 0 {
			t.Errorf("connection %d: %+v", k, c.list.at(broken))
		}
	}
}
