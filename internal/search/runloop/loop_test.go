package runloop_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// script is a strategy that records the calls of the loop.
type script struct {
	faults bool
	steps  int
	answer func(runloop.Node, choose.Point) (int, bool)
	log    []string
	seen   map[encoding.Fingerprint]bool
}

func (s *script) Next() (runloop.Task, bool) { return runloop.Task{}, false }

func (s *script) Visit(at *runloop.Node) (seen bool) {
	f := at.Fingerprint()
	seen = s.seen[f]
	s.seen[f] = true
	return seen
}

func (s *script) Edge(from, to *runloop.Node, step *stepinfo.Step, seen bool) {
	s.log = append(s.log, fmt.Sprintf("%d-%v-%d seen %v", from.Step, step.Event.Kind, to.Step, seen))
}

func (s *script) Select(at *runloop.Node) runloop.Selection {
	if at.Step == s.steps {
		return runloop.Selection{End: runloop.AtBound}
	}
	return runloop.Selection{Faults: s.faults}
}

func (s *script) Choose(at *runloop.Node, p choose.Point) (int, bool) {
	pick, ok := s.answer(*at, p)
	s.log = append(s.log, fmt.Sprintf("%v of %d: %d", p.Kind, p.Arity, pick))
	return pick, ok
}

func (s *script) Ended(o *runloop.Outcome) {
	s.log = append(s.log, fmt.Sprintf("end %d steps %d choices %d", o.End, o.Steps, o.Choices))
}

func (s *script) OnStep(at *runloop.Node, step *stepinfo.Step) {
	s.log = append(s.log, fmt.Sprintf("observed %v after step %d", step.Event.Kind, at.Step))
}

// The first move of the table draws one of three; the task ends inside its step. A crash follows, among
// two events, and is picked; then boot is forced.
func TestLoop_Calls(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1, 2, 0), automaton.To(1, 1), automaton.To(2, 2, 0)}, Crashes: 1}
	s := &script{
		faults: true, steps: 3, seen: map[encoding.Fingerprint]bool{},
		answer: func(_ runloop.Node, p choose.Point) (int, bool) { return p.Arity - 1, true },
	}
	l := systest.Loop(t, tab.System())
	l.Observe(s)
	for _, path := range []choose.Path{{0}, {0, 0}} {
		o := l.Run(s, runloop.Task{Path: path})
		s.log = append(s.log, fmt.Sprintf("path %v used %d", l.Replay().Path, o.Used[sim.Crashes]))
	}
	want := []string{
		"draw of 3: 2", "observed action after step 1", "0-action-1 seen false", // back in state 0, the initial state
		"event of 2: 1", "observed crash after step 2", "1-crash-2 seen false",
		"event of 1: 0", "observed boot after step 3", "2-boot-3 seen false", // without the crash: another state
		"end 4 steps 3 choices 2", "path [0 2 1 0] used 1",
		// The second task ends with its step, in state 1.
		"observed action after step 1", "0-action-1 seen false",
		"event of 2: 1", "observed crash after step 2", "1-crash-2 seen true",
		"event of 1: 0", "observed boot after step 3", "2-boot-3 seen true",
		"end 4 steps 3 choices 2", "path [0 0 1 0] used 1",
	}
	if !slices.Equal(s.log, want) {
		t.Errorf("got\n%q\nwant\n%q", s.log, want)
	}
}

// A point that is not answered ends the run at the end of the step.
func TestLoop_UnansweredPoint(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1, 2), automaton.To(1, 0)}}
	s := &script{steps: 9, seen: map[encoding.Fingerprint]bool{},
		answer: func(_ runloop.Node, p choose.Point) (int, bool) { return 0, p.Kind != choose.Draw }}
	l := systest.Loop(t, tab.System())
	o := l.Run(s, runloop.Task{})
	if o.End != runloop.Unanswered || o.Steps != 1 || !slices.Equal(l.Replay().Path, choose.Path{0, 0}) {
		t.Errorf("ended %d after %d steps, path %v; want %d, 1, 0 0", o.End, o.Steps, l.Replay().Path, runloop.Unanswered)
	}
}

func TestLoop_Misfits(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1, 2), automaton.To(1, 0)}}
	for _, c := range []struct {
		path choose.Path
		want string
	}{
		{choose.Path{1}, "step 1: the path picks event 1, but only 1 can happen (counted from 0)"},
		{choose.Path{0, 2}, `step 1: the path picks alternative 2 of draw "to", which has 2 (counted from 0)`},
		{choose.Path{0, 0, 0, -1}, "step 3: the path picks event -1, but only 1 can happen (counted from 0)"},
	} {
		l := systest.Loop(t, tab.System())
		w := runs.NewWalker(search.DefaultWeights().Scale(), 1)
		w.Seed(1, 1)
		if o := l.Run(w, runloop.Task{Path: c.path}); o.End != runloop.Mismatch || o.Err == nil || o.Err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.path, o.Err, c.want)
		}
	}
}

// A signal to stop ends a run between two steps, or before the first. A probe is answered, and ends nothing.
func TestLoop_Signals(t *testing.T) {
	for _, c := range []struct {
		at     int // the step after which it is sent; 0 means before the run
		signal uint32
		end    runloop.End
		steps  int
		left   uint32
	}{
		{0, runloop.StopSignal, runloop.Stopped, 0, runloop.StopSignal},
		{3, runloop.StopSignal | runloop.ProbeSignal, runloop.Stopped, 3, runloop.StopSignal},
		{3, runloop.ProbeSignal, runloop.TooLong, 9, 0},
	} {
		l := runloop.New(newIdleWorld(4))
		l.Signal = new(atomic.Uint32)
		send := func(step int) {
			if step == c.at {
				l.Signal.Store(c.signal)
			}
		}
		send(0)
		l.Observe(onStep(send))
		o := l.Run(runs.NewWalker(search.DefaultWeights().Scale(), 9), runloop.Task{})
		if left := l.Signal.Load(); o.End != c.end || o.Steps != c.steps || left != c.left {
			t.Errorf("%+v: got end %d after %d steps, signals %b", c, o.End, o.Steps, left)
		}
	}
}

// onStep is an observer that is called with the number of steps.
type onStep func(steps int)

func (f onStep) OnStep(at *runloop.Node, _ *stepinfo.Step) { f(at.Step) }

// The end of the context is noticed within 16 steps.
func TestStoppable_EndsWithContext(t *testing.T) {
	for at, want := range map[int]int{0: 0, 1: 16, 15: 16, 16: 16, 17: 32} {
		ctx, cancel := context.WithCancel(t.Context())
		end := func(step int) {
			if step == at {
				cancel()
			}
		}
		end(0)
		l := runloop.New(newIdleWorld(4))
		l.Observe(onStep(end))
		s := &runloop.Stoppable{Strategy: runs.NewWalker(search.DefaultWeights().Scale(), 99), Ctx: ctx}
		if o := l.Run(s, runloop.Task{}); o.End != runloop.Stopped || o.Steps != want {
			t.Errorf("cancelled after step %d: got end %d after %d steps, want %d after %d", at, o.End, o.Steps, runloop.Stopped, want)
		}
		cancel()
	}
}

// idleWorld always offers the same events, and its steps do nothing.
type idleWorld struct {
	kernel.World
	sys    sim.System
	events []netmodel.Event
	last   stepinfo.Step
}

func newIdleWorld(events int) *idleWorld {
	w := &idleWorld{}
	w.sys.Properties = []sim.Property{{Name: "never", Eventually: func(*sim.View) bool { return false }}}
	for i := range events {
		w.events = append(w.events, netmodel.Event{Kind: []eventkind.Kind{eventkind.Deliver, eventkind.FireTimer, eventkind.DoAction, eventkind.Boot}[i%4], Peer: -1})
	}
	return w
}

func (w *idleWorld) System() *sim.System                      { return &w.sys }
func (w *idleWorld) Start(choose.Source) error                { return nil }
func (w *idleWorld) Enabled() []netmodel.Event                { return w.events }
func (w *idleWorld) Step(netmodel.Event, choose.Source) error { return nil }
func (w *idleWorld) Last() *stepinfo.Step                     { return &w.last }
func (w *idleWorld) Check() error                             { return nil }
func (w *idleWorld) Live() bool                               { return false }

// BenchmarkLoop measures the cost of a step of a walk without that of the world.
func BenchmarkLoop(b *testing.B) {
	for _, events := range []int{4, 12, 40} {
		b.Run(fmt.Sprintf("%devents", events), func(b *testing.B) {
			const steps = 1000
			l := runloop.New(newIdleWorld(events))
			walker := runs.NewWalker(search.DefaultWeights().Scale(), steps)
			b.ReportAllocs()
			for b.Loop() {
				walker.Seed(1, 1)
				if o := l.Run(walker, runloop.Task{}); o.Steps != steps || o.End != runloop.TooLong {
					b.Fatalf("got %+v, want a run that is too long after %d steps", o, steps)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}

// A walk allocates nothing per step.
func TestWalk_AllocatesNothing(t *testing.T) {
	l := runloop.New(newIdleWorld(12))
	walker := runs.NewWalker(search.DefaultWeights().Scale(), 1000)
	walk := func() {
		walker.Seed(1, 1)
		l.Run(walker, runloop.Task{})
	}
	walk()
	if n := testing.AllocsPerRun(10, walk); n > 0 {
		t.Errorf("%v allocations in a walk of 1,000 steps", n)
	}
}
