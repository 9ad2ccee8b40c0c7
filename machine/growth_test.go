package machine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
)

type (
	request  struct{}
	reminder struct{ N int }
	slotted  struct{ Slots []int }
)

// A search that stops at a limit names the growing queue, inbox or connection, and its elements. It does not name a
// list of constant length, and a complete search names nothing.
func TestGrowth_StoppedSearch(t *testing.T) {
	boot := machine.Entry(func(s *slotted, x *machine.Ctx) {
		s.Slots = make([]int, 64)
		x.SetTimer(loop{}, time.Second)
	})
	takes := machine.On(func(*slotted, *machine.Ctx, request) {})
	remembers := machine.On(func(*slotted, *machine.Ctx, reminder) {})
	taker := machine.Define[slotted]("taker", machine.In("taking", takes, remembers))
	sender := machine.Define[slotted]("sender", machine.In("sending", boot, machine.On(func(s *slotted, x *machine.Ctx, _ loop) {
		if x.SetTimer(loop{}, time.Second); s.Slots[0] == 0 {
			x.Send(0, reminder{1})
		}
		s.Slots[0] = 1
		x.Send(0, request{})
	})))
	doubler := machine.Define[slotted]("doubler", machine.In("doubling", remembers,
		machine.Entry(func(s *slotted, x *machine.Ctx) {
			s.Slots = make([]int, 64)
			x.Send(x.Self(), request{})
			x.Send(x.Self(), reminder{1})
		}),
		machine.On(func(_ *slotted, x *machine.Ctx, _ request) {
			x.Send(x.Self(), request{})
			x.Send(x.Self(), request{})
		})))
	counter := machine.Define[slotted]("counter", machine.In("counting", boot, machine.On(func(s *slotted, x *machine.Ctx, _ loop) {
		s.Slots[0]++
		x.SetTimer(loop{}, time.Second)
	})))
	once := machine.Define[slotted]("once", machine.In("filling",
		machine.Entry(func(_ *slotted, x *machine.Ctx) { x.SetTimer(loop{}, time.Second) }),
		machine.On(func(s *slotted, _ *machine.Ctx, _ loop) { s.Slots = make([]int, 64) })))
	for _, c := range []struct {
		name    string
		streams *netsim.Streams
		kinds   []*machine.Kind
		want    []stats.Growth
	}{
		{"queue", nil, []*machine.Kind{doubler}, []stats.Growth{{Node: 0, What: "Queue", Elements: 60, Type: "request", OfType: 60}}},
		{"inbox", nil, []*machine.Kind{taker, sender}, []stats.Growth{{Node: 0, What: "inbox", Elements: 61, Type: "request", OfType: 60}}},
		{"connection", &netsim.Streams{Buffer: 100}, []*machine.Kind{taker, sender},
			[]stats.Growth{{Node: -1, What: "a connection", Elements: 61, Type: "request", OfType: 60}}},
		{"list that keeps its length", nil, []*machine.Kind{counter}, nil},
		{"complete", nil, []*machine.Kind{once}, nil},
	} {
		for _, strategy := range []search.Name{search.BFS, search.DFS} {
			ms := machine.System{Streams: c.streams}
			for _, k := range c.kinds {
				ms.Add(k, slotted{})
			}
			r, err := search.Run(t.Context(), search.Config{
				System: ms.Sim("grows"), Strategy: strategy, Reduce: options.ReduceNone, Workers: 1, MaxDepth: 60, Time: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			stopped := stats.StoppedDepth
			if c.name == "complete" {
				stopped = stats.StoppedComplete
			}
			if r.Stopped != stopped {
				t.Errorf("%s, %s: stopped by %q, want %q", c.name, strategy, r.Stopped, stopped)
			}
			if !slices.Equal(r.Stats.Grows, c.want) {
				t.Errorf("%s, %s: got %+v, want %+v", c.name, strategy, r.Stats.Grows, c.want)
			}
		}
	}
}
