package bench_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// worker has memory, timers, a disk and a stream to the other node.
type worker struct {
	sim.Nop
	Memory, Refused, Received int
}

func (s *worker) Boot(env sim.Env) { s.Memory = 10 * len(env.Disk().Keys("")) }

func (s *worker) Work(env sim.Env) {
	s.Memory += env.Choose("amount", 3)
	env.Disk().Put(fmt.Sprint(s.Memory), nil)
	for k := range s.Memory % 4 {
		if env.Stream(1-env.Self()).Send(k) != nil {
			s.Refused++
		}
	}
	env.Send(1-env.Self(), s.Memory)
	env.SetTimer("sync", 1)
}

func (s *worker) Timer(env sim.Env, t any) {
	if t == "close" {
		env.Stream(1 - env.Self()).Close()
		return
	}
	s.Memory += env.Stream(1 - env.Self()).Room()
	env.Disk().Sync()
	env.SetTimer("close", 2)
}

func (s *worker) Receive(env sim.Env, _ sim.NodeID, msg any) {
	s.Received += msg.(int)
	env.StopTimer("close")
}

// working returns a system of two workers with the action do.
func working(do func(*worker, sim.Env)) *sim.System {
	return &sim.System{
		Name: "working", Nodes: 2, New: func(sim.NodeID) sim.Service { return &worker{} }, Timing: sim.AnyOrder,
		Network: netsim.Both{Streams: netsim.Streams{Buffer: 2}}, Crashes: 3, CrashCut: sim.CutPrefix,
		Actions: []sim.AnyAction{sim.Action[*worker]{Name: "do", Times: 20, Do: do}},
	}
}

func newBench(t *testing.T, sys *sim.System, opts kernel.Options) *bench.Bench {
	t.Helper()
	b, err := bench.NewBench(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answers repeats the answers of a step.
type answers struct {
	picks []int
	room  int
}

func (a *answers) Choose(choose.Point) int {
	pick := a.picks[0]
	a.picks = a.picks[1:]
	return pick
}

func (a *answers) Room(sim.NodeID) int { return a.room }

// walk executes each step of a random run in a world and, from the local state before it, on a bench.
type walk struct {
	w       *kernel.Machine
	b       *bench.Bench
	covered map[string]int
}

// A bench and a world agree on the events, questions, effects and results of each step of random runs.
func TestBench_AgreesWithWorld(t *testing.T) {
	covered := map[string]int{}
	for seed := range uint64(40) {
		sys := working((*worker).Work)
		if seed%2 == 0 {
			sys.Timing = sim.Prompt
		}
		w, err := kernel.NewWorld(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		c := walk{w.(*kernel.Machine), newBench(t, sys, kernel.Options{}), covered}
		random := choose.NewRandom(seed+1, 0)
		for range 60 {
			events := w.Injections(slices.Clone(w.Enabled()))
			c.compareEvents(t, events)
			c.compareStep(t, events[random.IntN(len(events))], random)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	for _, what := range []string{"boot", "action", "timer", "deliver", "error", "ready", "crash", "crash inside", "refused", "close"} {
		if covered[what] == 0 {
			t.Errorf("the walks have no %s: %v", what, covered)
		}
	}
}

func (c *walk) local(t *testing.T, id sim.NodeID) *kernel.Local {
	l, err := c.b.Copy(c.w.Take(&c.w.Members[id]))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (c *walk) compareEvents(t *testing.T, events []netmodel.Event) {
	for id := range sim.NodeID(2) {
		var want []netmodel.Event
		for _, ev := range events {
			if ev.Node == id && slices.Contains([]eventkind.Kind{eventkind.Boot, eventkind.DoAction, eventkind.FireTimer}, ev.Kind) {
				want = append(want, ev)
			}
		}
		if got := c.b.Events(id, c.local(t, id), c.w.Quiet, nil); !slices.Equal(got, want) {
			t.Errorf("node %d: got the events %v, want %v", id, got, want)
		}
	}
}

func (c *walk) compareStep(t *testing.T, ev netmodel.Event, random *choose.Random) {
	id, w, b := ev.Node, c.w, c.b
	before := c.local(t, id)
	told := answers{room: w.Net.Room(id, 1-id)}
	d := declared.Handed{Delivery: netmodel.Delivery{From: ev.Peer}}
	for _, env := range w.Messages(ev, nil) {
		d.Msg.Body = env.Msg
	}
	if ev.Kind == eventkind.DeliverError {
		d.Err = sim.ErrReset
	}
	kept, outcomes := 0, 1
	err := w.Step(ev, choose.SourceFunc(func(p choose.Point) int {
		pick := random.Choose(p)
		switch p.Kind {
		case choose.Draw:
			told.picks = append(told.picks, pick)
		case choose.Outcome:
			kept, outcomes = pick, p.Arity
		case choose.CrashInside: // which is rare by itself
			pick = random.IntN(p.Arity)
		}
		return pick
	}))
	if err != nil {
		t.Fatal(err)
	}
	last := w.Last()
	c.covered[ev.Kind.String()]++
	after := before
	switch {
	case ev.Kind == eventkind.Crash:
		after = b.Crash(id, before, kept)
	case last.Handler:
		after = c.run(t, ev, before, d, &told, kept, outcomes)
	}
	if got, want := b.AppendLocal(id, after, nil), w.AppendNodeState(&w.Members[id], nil); !slices.Equal(got, want) {
		t.Errorf("%v: got the state %q, want %q", ev, got, want)
	}
}

func (c *walk) run(
	t *testing.T, ev netmodel.Event, before *kernel.Local, d declared.Handed, told *answers, kept, outcomes int,
) *kernel.Local {
	last := c.w.Last()
	out := c.b.Run(ev.Node, before, ev, d, told)
	effects := slices.Clone(out.Effects)
	if out.Err != nil || len(told.picks) > 0 {
		t.Errorf("%v: got the error %v and %d picks left, want none", ev, out.Err, len(told.picks))
	}
	if got, want := describe(effects), describe(last.Effects); !slices.Equal(got, want) {
		t.Errorf("%v: got the effects %q, want %q", ev, got, want)
	}
	if !slices.Equal(out.Observed, last.Observed) {
		t.Errorf("%v: got the observations %v, want %v", ev, out.Observed, last.Observed)
	}
	for _, f := range effects {
		c.covered[f.Kind.String()]++
	}
	if last.Crashed {
		c.covered["crash inside"]++
		after, n := c.b.CrashInside(ev.Node, out.After, effects, last.Applied, kept)
		if n != outcomes {
			t.Errorf("%v: got %d outcomes of the crash, want %d", ev, n, outcomes)
		}
		return after
	}
	after, failed, err := c.b.ApplyEffects(ev.Node, out.After, effects, len(effects))
	if failed != len(effects) || err != nil {
		t.Errorf("%v: effect %d failed with %v, want none to fail", ev, failed, err)
	}
	return after
}

func describe(effects []stepinfo.Effect) (texts []string) {
	for _, f := range effects {
		texts = append(texts, fmt.Sprint(f.Kind, f.Peer, f.Msg.Body, f.Value, f.After, f.Text, f.Disk))
	}
	return texts
}

// The room before the step is recorded for each question about a stream, with what the step had done to the stream
// before it. A Send needs only to know whether there is room.
func TestBench_Questions(t *testing.T) {
	b := newBench(t, working(func(_ *worker, env sim.Env) {
		s := env.Stream(1)
		s.Room()
		_ = s.Send(1) // effect 0
		env.Choose("amount", 3)
		_ = s.Send(2)  // 1
		_ = s.Send(3)  // 2, refused
		env.Send(1, 4) // 3
		s.Close()      // 4
		_ = s.Send(5)  // 5
		s.Room()
		env.Send(1, 6) // 6
		s.Room()
	}), kernel.Options{})
	l, err := b.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	out := b.Run(0, l, netmodel.Event{Kind: eventkind.DoAction, Peer: -1}, declared.Handed{}, &answers{picks: []int{2}, room: 2})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	want := []bench.Question{
		{Before: 0, Peer: 1, Room: 2, Exact: true},
		{Before: 0, Peer: 1, Room: 2},
		{Before: 1, Point: choose.Point{Kind: choose.Draw, Arity: 3, Label: "amount"}, Pick: 2},
		{Before: 1, Peer: 1, Room: 2, Sent: 1},
		{Before: 2, Peer: 1, Room: 2, Sent: 2},
		{Before: 5, Peer: 1, Room: 2, Fresh: true},
		{Before: 6, Peer: 1, Room: 2, Fresh: true, Sent: 1, Exact: true},
		{Before: 7, Peer: 1, Room: 2, Fresh: true, Sent: 1, Exact: true},
	}
	if !reflect.DeepEqual(out.Questions, want) {
		t.Errorf("got the questions\n%+v, want\n%+v", out.Questions, want)
	}
	var rooms []int
	for _, o := range out.Observed {
		rooms = append(rooms, o.Room)
	}
	if want := []int{2, 2, 1, 0, 2, 1, 1}; !slices.Equal(rooms, want) {
		t.Errorf("got the rooms %v, want %v", rooms, want)
	}
}

// The effects before one that fails happen.
func TestBench_ApplyEffectsFails(t *testing.T) {
	b := newBench(t, working((*worker).Work), kernel.Options{})
	l, err := b.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	effects := []stepinfo.Effect{
		{Kind: stepinfo.SendEffect, Peer: 1}, {Kind: stepinfo.SetTimerEffect, Value: "a", After: 1},
		{Kind: stepinfo.SetTimerEffect, Value: []int{1}, After: 1}, {Kind: stepinfo.SetTimerEffect, Value: "b", After: 1},
	}
	after, failed, err := b.ApplyEffects(0, l, effects, len(effects))
	if failed != 2 || err == nil || !after.TimerSet("a") || after.TimerSet("b") {
		t.Errorf("effect %d failed with %v, timer a is set: %v, timer b: %v, want only effect 2 to fail",
			failed, err, after.TimerSet("a"), after.TimerSet("b"))
	}
	if same, failed, err := b.ApplyEffects(0, l, effects, 1); same != l || failed != 1 || err != nil {
		t.Errorf("after a send: another state: %v, effect %d, error %v, want the same state", same != l, failed, err)
	}
	if l.TimerSet("a") {
		t.Error("the effects changed the state that they were applied to")
	}
}

// Properties see the states that were shown, and their values at single nodes are cached there.
func TestBench_Properties(t *testing.T) {
	sys := toys.Ticking(2, 1)
	b := newBench(t, sys, kernel.Options{})
	boot := func(id sim.NodeID) *kernel.Local {
		out := b.Run(id, b.Down(id), netmodel.Event{Kind: eventkind.Boot, Node: id, Peer: -1}, declared.Handed{}, nil)
		l, _, err := b.ApplyEffects(id, out.After, slices.Clone(out.Effects), len(out.Effects))
		if out.Err != nil || err != nil {
			t.Fatal(out.Err, err)
		}
		return l
	}
	locals := []*kernel.Local{boot(0), boot(1)}
	expect := func(violated string, morning bool, holds ...uint64) {
		t.Helper()
		for id, l := range locals {
			b.Show(sim.NodeID(id), l)
		}
		var f *sim.Finding
		if err := b.Check(); errors.As(err, &f) != (violated != "") || f != nil && f.Property != violated {
			t.Errorf("got %v, want a violation of %q", err, violated)
		}
		if got := b.Holds(&sys.Properties[1]); got != morning {
			t.Errorf("got morning %v, want %v", got, morning)
		}
		if got := locals[0].Known; len(holds) > 0 && got != 0b11 {
			t.Errorf("got cached values of the predicates %b, want 11", got)
		}
		for id, want := range holds {
			if got, n := b.Predicates(sim.NodeID(id), locals[id]); got != want || n != 2 {
				t.Errorf("node %d: got %b of %d predicates, want %b of 2", id, got, n, want)
			}
		}
	}
	expect("", true)
	b.Reads()
	expect("", true, 0b11, 0b11)
	if got, want := b.Reads(), (simhook.Reads{Nodes: 0b11}); got != want {
		t.Errorf("got the reads %+v, want %+v", got, want)
	}
	locals[0] = b.Run(0, locals[0], netmodel.Event{Kind: eventkind.FireTimer, Peer: -1}, declared.Handed{}, nil).After
	expect("", false, 0b01, 0b11)
	locals[1] = b.Run(1, locals[1], netmodel.Event{Kind: eventkind.Deliver, Node: 1}, declared.Handed{}, nil).After
	expect("no alarm", false, 0b01, 0b10)
}

// A bench calls handlers on separate goroutines, unless its caller is guarded.
func TestGuardedBench(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		b := newBench(t, working(func(*worker, sim.Env) { runtime.Goexit() }), kernel.Options{Guarded: guarded})
		var out bench.Outcome
		f := contain.Guard(func() {
			l, err := b.Load(0)
			if err != nil {
				t.Error(err)
				return
			}
			out = b.Run(0, l, netmodel.Event{Kind: eventkind.DoAction}, declared.Handed{}, nil)
		})
		var contained *sim.Finding
		if errors.As(out.Err, &contained); (contained == nil) != guarded || (f != nil) != guarded {
			t.Errorf("guarded %v: the bench says %v, the guard says %+v", guarded, out.Err, f)
		}
	}
}
