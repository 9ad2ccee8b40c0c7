package multicast

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// build makes a system of the members that newMember makes for the parameters given as name, value, ...;
// nil: the correct ones.
func build(t testing.TB, nodes int, l sim.Limits, newMember func(randtree.Config) *Member, params ...string) sim.System {
	t.Helper()
	e := Entry()
	c := spec.Config{Nodes: nodes, Params: map[string]string{}}
	for i := 0; i < len(params); i += 2 {
		c.Params[params[i]] = params[i+1]
	}
	c, err := e.Configure(c)
	if err != nil {
		t.Fatal(err)
	}
	if newMember == nil {
		newMember = NewMember
	}
	sys, err := system(c, func() *Member { return newMember(randtree.ConfigOf(c)) }).WithLimits(l)
	if err != nil {
		t.Fatal(err)
	}
	sys.Name = "multicast"
	return sys
}

// explore searches with one worker, so that the same paths are taken in every run.
func explore(t *testing.T, sys sim.System, strategy search.Name, paths int) *search.Result {
	t.Helper()
	res, err := search.Run(context.Background(), search.Config{
		System: sys, Workers: 1, Strategy: strategy, MaxPaths: paths,
		Confirm: critical.Confirm(critical.Config{System: sys, Workers: 1, Walks: 10}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Nothing is found, over streams and over the transport, at several sizes and with failures, and
// everything that can happen does.
func TestCorrect(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		nodes    int
		over     string
		buffer   string
		limits   sim.Limits
		strategy search.Name
		paths    int
	}{
		{1, "streams", "20", sim.Limits{sim.Crashes: 1}, search.Faulty, 50},
		{2, "streams", "1", sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, search.Deepening, 1000},
		{3, "streams", "1", sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}, search.Faulty, 1000},
		{5, "streams", "20", sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, 300},
		{2, "transport", "1", sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}, search.Deepening, 500},
		{3, "transport", "2", sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, search.Faulty, 300},
		{4, "transport", "20", sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}, search.Faulty, 100},
	} {
		t.Run(fmt.Sprintf("%d nodes over %s", c.nodes, c.over), func(t *testing.T) {
			t.Parallel()
			sys := build(t, c.nodes, c.limits, nil, "over", c.over, "buffer", c.buffer, "publications", "2")
			res := explore(t, sys, c.strategy, c.paths)
			if f := res.Finding; f != nil {
				t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
			}
			if res.Verdict != search.OK {
				t.Errorf("verdict %s", res.Verdict)
			}
			if c.nodes == 3 && len(res.Stats.NeverHappened) > 0 {
				t.Errorf("never happened: %v", res.Stats.NeverHappened)
			}
		})
	}
}

// mistaken is an application of the tree that makes mistakes.
type mistaken struct {
	*Member
	repeats, noCatchUp, forgets bool
}

func (m mistaken) Deliver(env sim.Env, from sim.NodeID, msg any) {
	if m.repeats {
		m.take(env, from, msg.(Batch).Publications)
		return
	}
	m.Member.Deliver(env, from, msg)
}

func (m mistaken) Linked(env sim.Env, peer sim.NodeID) {
	if !m.noCatchUp {
		m.Member.Linked(env, peer)
	}
}

func (m mistaken) Ready(env sim.Env, peer sim.NodeID) {
	if !m.forgets {
		m.Member.Ready(env, peer)
	}
}

// Mistakes that are planted into the application are found, over streams and over the transport.
func TestMistakesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		name     string
		mistake  mistaken
		nodes    int
		buffer   string
		kind     sim.FindingKind
		property string
	}{
		{"delivers again", mistaken{repeats: true}, 3, "20", sim.Safety, OnceDelivered},
		{"does not catch up", mistaken{noCatchUp: true}, 2, "20", sim.Liveness, SameDelivered},
		{"forgets what is refused", mistaken{forgets: true}, 3, "1", sim.Liveness, SameDelivered},
	} {
		for over, limits := range map[string]sim.Limits{"streams": {sim.Crashes: 1, sim.NetErrors: 1}, "transport": {sim.Crashes: 1}} {
			t.Run(c.name+" over "+over, func(t *testing.T) {
				t.Parallel()
				newMember := func(config randtree.Config) *Member {
					m, mistake := NewMember(config), c.mistake
					mistake.Member = m
					m.tree = randtree.New(mistake, config)
					return m
				}
				sys := build(t, c.nodes, limits, newMember, "over", over, "buffer", c.buffer, "publications", "2")
				f := explore(t, sys, search.Faulty, 5000).Finding
				if f == nil {
					t.Fatal("not found")
				}
				if f.Kind != c.kind || !strings.Contains(f.Property, c.property) {
					t.Errorf("found as %s: %s: %s", f.Kind, f.Property, f.Message)
				}
			})
		}
	}
}

func TestOwnDelivered(t *testing.T) {
	by := func(node int, counts ...uint64) (list []Publication) {
		for _, c := range counts {
			list = append(list, Publication{macetime.MonotoneTime{Node: node, Count: c}})
		}
		return list
	}
	for _, c := range []struct {
		published int
		delivered []Publication
		want      bool
	}{
		{0, nil, true},
		{0, by(1, 2), true}, // from before a crash, by way of others
		{1, nil, false},
		{1, by(0, 3), false},
		{1, by(1, 3), true},
		{2, append(by(0, 1), by(1, 3)...), false},
	} {
		if got := ownDelivered(1, &Member{published: c.published, Delivered: c.delivered}); got != c.want {
			t.Errorf("%d published, delivered %v: %v", c.published, c.delivered, got)
		}
	}
}

// The trace of a run shows the calls of the whole stack, down and up.
func TestCallsOfTheStack(t *testing.T) {
	for _, c := range []struct {
		over  string
		calls []string // of the step in which node 0 hears of what node 1 has published
	}{
		{"streams", []string{
			"member>randtree.Receive(n1, Payload{Batch{Publications:[{ID:{Node:1 Count:",
			".randtree>multicast.Deliver(n1, Batch{[{ID:{Node:1 Count:",
		}},
		{"transport", []string{
			"member>randtree.Receive",
			".randtree>transport.Receive",
			"..transport>session.Deliver",
			"...session>randtree.Deliver",
			"....randtree>multicast.Deliver",
		}},
	} {
		sys := build(t, 2, sim.Limits{}, nil, "over", c.over, "sheds", "0")
		trace := walkUntil(t, &sys, func(w kernel.World) bool {
			m := w.Service(0).(*Member)
			return len(m.Delivered) == 1 && m.published == 0
		})
		var got []string
		for _, e := range trace.Steps[len(trace.Steps)-1].Effects {
			if e.IsCall() {
				got = append(got, strings.Repeat(".", e.Depth)+e.Call.Caller+">"+e.Text)
			}
		}
		if len(got) < len(c.calls) {
			t.Fatalf("over %s: %q", c.over, got)
		}
		for i, want := range c.calls {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("over %s, call %d:\n got  %s\n want %s", c.over, i, got[i], want)
			}
		}
	}
}

// walkUntil walks at random until done, and returns the trace of that run.
func walkUntil(t *testing.T, sys *sim.System, done func(kernel.World) bool) *replay.Trace {
	t.Helper()
	for seed := range uint64(1000) {
		w, err := kernel.NewWorld(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, rng := replay.NewRun(w), choose.NewRandom(seed, 0)
		src := choose.SourceFunc(func(p choose.Point) int {
			for {
				if pick := rng.IntN(p.Arity); len(p.Weights) == 0 || p.Weights[pick] > 0 {
					return pick
				}
			}
		})
		if err := r.Start(src); err != nil {
			t.Fatal(err)
		}
		for range 500 {
			events := w.Enabled()
			if len(events) == 0 {
				break
			}
			if err := r.Step(rng.IntN(len(events)), src); err != nil {
				t.Fatal(err)
			}
			if done(w) {
				trace, err := replay.Record(sys, r.Path, kernel.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return trace
			}
		}
	}
	t.Fatal("no run gets there")
	return nil
}
