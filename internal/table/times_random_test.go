package table_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// parcel contains times in several ways.
type parcel struct {
	Label int
	At    [2]macetime.Time
	List  []macetime.Time
	Named map[string]*macetime.Time
}

// courier keeps two times and sends them on. What it does is data.
type courier struct {
	Route *route `macemc:"-"`
	Kind  int
	Times [2]macetime.Time
}

// route is what couriers do when they start, and when they get something, by their kind and its label.
type route struct {
	nodes, shape int
	boot         []errand
	receive      [2][2][]errand
}

type errand struct{ what, a, b int }

const (
	readClock = iota
	compareTimes
	passTimes
	addToTime
	copyTime
	errands
)

func (c *courier) Boot(env sim.Env) { c.run(env, c.Route.boot) }

func (c *courier) Receive(env sim.Env, _ sim.NodeID, msg any) {
	p := msg.(*parcel)
	switch c.Route.shape {
	case 0:
		c.Times = p.At
	case 1:
		copy(c.Times[:], p.List)
	default:
		c.Times[p.Label], c.Times[1-p.Label] = *p.Named["a"], *p.Named["b"]
	}
	c.run(env, c.Route.receive[c.Kind][p.Label])
}

func (c *courier) Timer(sim.Env, any) {}

func (c *courier) run(env sim.Env, list []errand) {
	for _, e := range list {
		switch e.what {
		case readClock:
			c.Times[e.a] = env.Clock().Now()
		case compareTimes:
			if env.Clock().Before(c.Times[e.a], c.Times[1-e.a]) {
				c.Kind = e.b
			}
		case passTimes:
			p := &parcel{Label: e.b}
			first, second := c.Times[0], c.Times[1]
			switch c.Route.shape {
			case 0:
				p.At = c.Times
			case 1:
				p.List = []macetime.Time{first, second}
			case 2:
				p.Named = map[string]*macetime.Time{"a": &first, "b": &second}
			default:
				p.Named = map[string]*macetime.Time{"a": &first, "b": &first}
			}
			env.Send((env.Self()+1+sim.NodeID(e.a))%sim.NodeID(c.Route.nodes), p)
		case addToTime:
			c.Times[e.a] = c.Times[e.a].Add(time.Duration(e.b) * time.Second)
		case copyTime:
			c.Times[e.a] = c.Times[1-e.a]
		}
	}
}

// Systems with times in messages have the states and transitions that brute force finds, and no message is changed.
func TestTimes_InMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bit := rapid.IntRange(0, 1)
		list := func(name string, least, most int) []errand {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) errand {
				return errand{rapid.IntRange(0, errands-1).Draw(t, "what"), bit.Draw(t, "a"), bit.Draw(t, "b")}
			}), least, most).Draw(t, name)
		}
		r := &route{nodes: rapid.IntRange(2, 3).Draw(t, "nodes"), shape: rapid.IntRange(0, 3).Draw(t, "shape")}
		r.boot = append(list("boot", 0, 2), errand{readClock, bit.Draw(t, "read"), 0}, errand{passTimes, 0, bit.Draw(t, "label")})
		for kind := range r.receive {
			for label := range r.receive[kind] {
				r.receive[kind][label] = list("receive", 0, 2)
			}
		}
		sys := &sim.System{
			Name: "couriers", Nodes: r.nodes, New: func(sim.NodeID) sim.Service { return &courier{Route: r} },
			Network: netsim.Datagrams{Loss: bit.Draw(t, "losses")}, Timing: sim.AnyOrder,
		}
		x, err := table.Explore(context.Background(), sys, options.Options{MaxStates: 150}) // rehearsed
		if err != nil || x.Finding != nil {
			t.Fatalf("%v, %+v", err, x)
		}
		if !x.Complete {
			t.Skip("too many states")
		}
		g, err := bruteforce.Explore(sys)
		if err != nil {
			t.Fatal(err)
		}
		for _, frontier := range explore.Frontiers {
			visited := rapid.SampledFrom(stateset.Kinds).Draw(t, "visited")
			x, err := table.Explore(context.Background(), sys, options.Options{Frontier: frontier, Visited: visited, SkipRehearsal: true})
			if err != nil || x.Finding != nil || x.States != len(g.States) || x.Transitions != g.Transitions() {
				t.Fatalf("%s, %s: %v, %+v, brute force has %d states and %d transitions", frontier.Name, visited.Name, err, x, len(g.States), g.Transitions())
			}
		}
	})
}
