package statespace_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
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

func (n counted) Start(host netmodel.Host) netmodel.Model {
	return &countedModel{n.Network.(netmodel.Network).Start(host).(netmodel.Parted), n.set}
}

type countedModel struct {
	netmodel.Parted
	set *int
}

func (m *countedModel) SetConnection(a, b sim.NodeID, c netmodel.Connection) {
	*m.set++
	m.Parted.SetConnection(a, b, c)
}

// The cached effects of operations agree with the network model for all connections of an exploration, and most are
// not computed by the model. Without shapes all are, with the same result.
func TestConnEffects_AgreeWithNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, sys := range []*sim.System{pipes(), bundledSystem(t, "randtree")} {
		var first explore.Result
		for _, most := range []uint64{store.MostShaped, 1, 0} {
			set := 0
			sys := *sys
			sys.Network = counted{sys.Network, &set}
			e, err := steptree.NewEngine(&sys, kernel.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c, known := &e.Conns, 0
			c.MostShaped = most
			loop, err := explore.New(statespace.NewGraph(e, nil), explore.Options{MaxStates: 30000})
			if err != nil {
				t.Fatal(err)
			}
			x := loop.Run(context.Background())
			if x.Err != nil {
				t.Fatal(x.Err)
			}
			if most == store.MostShaped {
				first = x
			} else if x.States != first.States || x.Transitions != first.Transitions {
				t.Errorf("%s: %d states, %d transitions, not %d, %d", sys.Name, x.States, x.Transitions, first.States, first.Transitions)
			}
			asked := set
			for id := range uint32(c.List.Len()) {
				line, before := *c.Lines.At(id), *c.List.At(id)
				for _, k := range line.Known {
					if k.Code == 0 {
						continue
					}
					known++
					after, h := c.Ask(id, &before, k.Code)
					op, side, _, _ := store.Coded(k.Code)
					if after != *c.List.At(k.Next) || op == store.OpTake && line.First[side] != h.Msg+1 || op == store.OpError && line.Errs[side][k.Code&1] != h.Err {
						t.Fatalf("%s: operation %x makes %+v %+v, and hands over %+v", sys.Name, k.Code, before, after, h)
					}
				}
				can := [2]uint8{c.Look(c.Content(id), before.Self, false)}
				if sys.Limits()[sim.Partitions] > 0 {
					can[1] = c.Look(c.Content(id), before.Self, true)
				}
				if line.Can != can {
					t.Fatalf("%s: on %+v %x can happen, not %x", sys.Name, before, can, line.Can)
				}
			}
			if few := asked < known/2; sys.Name == "randtree" && few != (most == store.MostShaped) || known == 0 {
				t.Errorf("%s, shapes of up to %d messages: of %d operations on %d connections %d were asked for", sys.Name, most, known, c.List.Len(), asked)
			}
		}
	}
}

// Queues are first-in first-out lists.
func TestConnEffects_Queues(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	rapid.Check(t, func(t *rapid.T) {
		var q store.Queues
		q.Init()
		lists := map[uint32][]uint32{0: nil}
		ids := []uint32{0}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "queue")
			list := slices.Clone(lists[id])
			switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
			case op == 0:
				list = append(list, rapid.SliceOfN(rapid.Uint32Range(0, 2), 0, 1<<11).Draw(t, "messages")...)
				id = q.Intern(list)
			case op < 3 && len(list) > 0:
				id, list = q.Popped(id), list[1:]
			default:
				msg := rapid.Uint32Range(0, 2).Draw(t, "message")
				id, list = q.Pushed(id, msg), append(list, msg)
			}
			if was, ok := lists[id]; ok && !slices.Equal(was, list) || !slices.Equal(q.Of(id), list) {
				t.Fatalf("%d is %v, not %v", id, q.Of(id), list)
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
			if !slices.Equal(q.Of(id), list) {
				t.Fatalf("%d has become %v, was %v", id, q.Of(id), list)
			}
		}
	})
}

// rude is a network with streams in which messages overtake one another.
type rude struct{ netsim.Streams }

func (n rude) Start(host netmodel.Host) netmodel.Model {
	return &rudeModel{n.Streams.Start(host).(netmodel.Parted)}
}

type rudeModel struct{ netmodel.Parted }

func (m *rudeModel) Connection(a, b sim.NodeID) netmodel.Connection {
	c := m.Parted.Connection(a, b)
	for _, end := range c {
		if n := len(end.Queue); n > 1 {
			end.Queue[0], end.Queue[n-1] = end.Queue[n-1], end.Queue[0]
		}
	}
	return c
}

func TestConnEffects_Unexplained(t *testing.T) {
	sys := pipes()
	sys.Network = rude{sys.Network.(netsim.Streams)}
	e, err := steptree.NewEngine(sys, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "contract of netmodel.Parted") {
			t.Errorf("%v", r)
		}
	}()
	first := e.Conns.Apply(store.EmptyConn, store.ConnCode(store.OpSend, 0, e.Message(1)), true)
	t.Errorf("%d", e.Conns.Apply(first, store.ConnCode(store.OpSend, 0, e.Message(2)), true))
}

// A cached effect is detected if the network model does something else to a connection.
func TestConnEffects_Verified(t *testing.T) {
	e, err := steptree.NewEngine(pipes(), kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "contract of netmodel.Parted") {
			t.Errorf("%v", r)
		}
	}()
	for k := range 12 {
		e.Conns.Apply(store.EmptyConn, store.ConnCode(store.OpSend, 0, e.Message(k)), true)
		if k == 4 {
			for _, s := range e.Conns.Effects.Slots {
				if s.Key != 0 {
					s.Value.Queues[0] = store.Stays
				}
			}
		}
	}
	t.Error("the effect is still relied on")
}

// A refused end gets the error, whatever else is in flight.
func TestConnEffects_Errors(t *testing.T) {
	e, err := steptree.NewEngine(pipes(), kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &e.Conns
	for k := range 10 {
		refused := c.Apply(store.EmptyConn, store.ConnCode(store.OpSend, 0, e.Message(k)), false)
		onTheWay := c.Apply(refused, store.ConnCode(store.OpSend, 1, e.Message(k)), true)
		if _, class, _ := e.Received(onTheWay, eventkind.DeliverError, 0, true); class != store.RefusedEvent {
			t.Errorf("connection %d: an event of class %d", k, class)
		}
		broken := c.Apply(onTheWay, store.ConnCode(store.OpBreak, 0, 0), true)
		if c.Lines.At(broken).Can[0]&store.CanFail == 0 {
			t.Errorf("connection %d: %+v", k, c.List.At(broken))
		}
	}
}
