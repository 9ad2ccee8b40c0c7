package runs

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"pgregory.net/rapid"
)

// Splitting keeps all alternatives, in order, in at most n parts of about the same size.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := &Job{Bound: 7}
		for i := range rapid.IntRange(1, 10).Draw(t, "items") {
			it := Item{Path: choose.Path{int32(i)}}
			if rapid.Bool().Draw(t, "choice") {
				it.Next = int32(rapid.IntRange(0, 3).Draw(t, "next"))
				it.Arity = it.Next + int32(rapid.IntRange(1, 9).Draw(t, "left"))
			}
			u.Items = append(u.Items, it)
		}
		list := func(items []Item) (out [][2]int32) {
			for _, it := range items {
				if it.Arity == 0 {
					out = append(out, [2]int32{it.Path[0], -1})
				}
				for k := it.Next; k < it.Arity; k++ {
					out = append(out, [2]int32{it.Path[0], k})
				}
			}
			return out
		}
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var got [][2]int32
		parts := u.Split(n)
		all := list(u.Items)
		for i, p := range parts {
			part := list(p.Items)
			if p.Bound != 7 || len(part) == 0 || i < len(parts)-1 && len(part) != (len(all)+n-1)/n {
				t.Fatalf("part %d of %d has %d of %d alternatives", i, n, len(part), len(all))
			}
			got = append(got, part...)
		}
		if len(parts) > n || !slices.Equal(got, all) {
			t.Fatalf("%v became %v", all, got)
		}
	})
}

// Events are drawn by weight: of 49 draws, 40 actions, 8 messages, 1 timer; never an injection if its weight is 0.
func TestDraws(t *testing.T) {
	d := draws{scale: schedules.NewScale(map[string]int{"action": 40, "message": 8, "timer": 1, "consequence": 8})}
	d.random.Seed(1, 1)
	events := []netmodel.Event{{Kind: eventkind.FireTimer}, {Kind: eventkind.Crash}, {Kind: eventkind.Deliver}, {Kind: eventkind.DoAction}}
	var n [4]int
	for range 49_000 {
		n[d.event(events)]++
	}
	for i, want := range []int{1000, 0, 8000, 40_000} {
		if tolerance := want / 10; n[i] < want-tolerance || n[i] > want+tolerance {
			t.Errorf("%v was drawn %d times, want about %d", events[i].Kind, n[i], want)
		}
	}
	if k := d.event(events[1:2]); k != -1 {
		t.Errorf("drew %d where nothing has weight", k)
	}
}

// In the first runs faults strike after a few steps, later ones after up to 23.
func TestGapsBetweenFaults(t *testing.T) {
	for _, c := range []struct{ number, least, most int }{{0, 6, 11}, {127, 6, 11}, {128, 18, 23}} {
		var f faultTimes
		var r choose.Random
		r.Seed(1, 1)
		longest := 0
		for range 500 {
			f.drawGap(0, c.number, &r)
			longest = max(longest, f.gap)
		}
		if longest < c.least || longest > c.most {
			t.Errorf("run %d: the longest of 500 gaps is %d steps, want %d to %d", c.number, longest, c.least, c.most)
		}
	}
}

// A store may crash at once after every second crash, with better odds than else, for two steps.
func TestFaultTimes_Recovery(t *testing.T) {
	var r choose.Random
	r.Seed(1, 1)
	recoveries := 0
	for range 1000 {
		f := faultTimes{storing: true}
		f.step(1, 0, &r)
		if f.crashOdds() != recoveryOdds {
			continue
		}
		recoveries++
		f.step(1, 0, &r)
		second := f.crashOdds()
		if f.step(1, 0, &r); f.gap != 0 || second != recoveryOdds || f.crashOdds() != storingOdds {
			t.Fatalf("gap %d, odds %d in the second step and %d in the third", f.gap, second, f.crashOdds())
		}
	}
	if recoveries < 400 || recoveries > 600 {
		t.Errorf("%d of 1000 crashes of a store have another in its recovery, want half of them", recoveries)
	}
	if f := (faultTimes{}); f.crashOdds() != insideOdds {
		t.Errorf("odds %d without a store", f.crashOdds())
	}
}

// beacon is a service with a timer that sends two messages again and again.
type beacon struct {
	sim.Nop
	Heard bool
}

func (b *beacon) Boot(env sim.Env) { env.SetTimer("beat", 1) }

func (b *beacon) Timer(env sim.Env, _ any) {
	env.Send(1-env.Self(), "a")
	env.Send(1-env.Self(), "b")
	b.Boot(env)
}

func (b *beacon) Receive(sim.Env, sim.NodeID, any) { b.Heard = true }

// Only the faults of its subset strike in a swarm run, be it between steps or inside them. About half of the runs allow each fault.
func TestSwarm(t *testing.T) {
	sys := sim.System{
		Name: "beacons", Nodes: 2, Crashes: 1, Halts: 1, Network: netsim.Datagrams{Loss: 1, Dup: 1},
		New:        func(sim.NodeID) sim.Service { return &beacon{} },
		Properties: []sim.Property{{Name: "heard", Eventually: func(v *sim.View) bool { return v.Len() == 2 }}},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 400
	scale := schedules.NewScale(map[string]int{"message": 1, "timer": 1, "consequence": 1, "fault": 1})
	s := NewSwarm(Settings{Scale: scale, Seed: 1, Steps: 100, Schedules: []string{schedules.Weighted}, Limits: sys.Limits()})
	s.Begin(&Job{Count: runs, Mix: []uint8{0}}, nil)
	s.SetRoots([]choose.Path{nil})
	loop := runloop.New(w)
	var allowed, struck sim.Limits
	for {
		task, ok := s.Next()
		if !ok {
			break
		}
		o := loop.Run(s, task)
		if o.Err != nil || o.Used.Max(s.limits) != s.limits {
			t.Fatalf("run %d: faults %v with limits %v, %v", s.number, o.Used, s.limits, o.Err)
		}
		for f := range allowed {
			allowed[f] += s.limits[f]
			struck[f] += o.Used[f]
		}
	}
	for _, f := range []sim.Fault{sim.Crashes, sim.Halts, sim.Loss, sim.Dup} {
		if n := allowed[f]; n < runs*2/5 || n > runs*3/5 || struck[f] < n/10 {
			t.Errorf("%v is allowed in %d of %d runs, and struck in %d", f, n, runs, struck[f])
		}
	}
}
