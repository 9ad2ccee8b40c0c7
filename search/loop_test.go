package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// script is a strategy that records the calls of the loop.
type script struct {
	tasks  []runloop.Task
	faults bool
	steps  int
	answer func(runloop.Node, choose.Point) (int, bool)
	log    []string
	seen   map[encoding.Fingerprint]bool
}

func (s *script) Next() (runloop.Task, bool) {
	if len(s.tasks) == 0 {
		return runloop.Task{}, false
	}
	t := s.tasks[0]
	s.tasks = s.tasks[1:]
	return t, true
}

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

func newLoop(t *testing.T, sys sim.System) *runloop.Loop {
	t.Helper()
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return runloop.New(w)
}

// The first move of the table draws one of three; the task ends inside its step. A crash follows, among
// two events, and is picked; then boot is forced.
func TestLoop_Calls(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1, 2, 0), automaton.To(1, 1), automaton.To(2, 2, 0)}, Crashes: 1}
	s := &script{
		tasks:  []runloop.Task{{Path: choose.Path{0}}, {Path: choose.Path{0, 0}}},
		faults: true, steps: 3, seen: map[encoding.Fingerprint]bool{},
		answer: func(_ runloop.Node, p choose.Point) (int, bool) { return p.Arity - 1, true },
	}
	l := newLoop(t, tab.System())
	l.Observe(s)
	makeRuns(l, s, func(o *runloop.Outcome) bool {
		s.log = append(s.log, fmt.Sprintf("path %v used %d", l.Replay().Path, o.Used[sim.Crashes]))
		return true
	})
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
	s := &script{tasks: []runloop.Task{{}}, steps: 9, seen: map[encoding.Fingerprint]bool{},
		answer: func(_ runloop.Node, p choose.Point) (int, bool) { return 0, p.Kind != choose.Draw }}
	l := newLoop(t, tab.System())
	makeRuns(l, s, func(o *runloop.Outcome) bool {
		if o.End != runloop.Unanswered || o.Steps != 1 || !slices.Equal(l.Replay().Path, choose.Path{0, 0}) {
			t.Errorf("ended %d after %d steps, path %v", o.End, o.Steps, l.Replay().Path)
		}
		return true
	})
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
		l := newLoop(t, tab.System())
		w := runs.NewWalker(search.DefaultWeights().Scale(), 1)
		w.Seed(1, 1)
		if o := l.Run(w, runloop.Task{Path: c.path}); o.End != runloop.Mismatch || o.Err == nil || o.Err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.path, o.Err, c.want)
		}
	}
}

// writer writes a value to its disk, and then sends it to its peer.
type writer struct {
	sim.Nop
	Wrote, Told bool
	Found       bool // the value, at boot
}

func (w *writer) Boot(env sim.Env) { _, w.Found = env.Disk().Get("a") }

func (w *writer) Receive(sim.Env, sim.NodeID, any) { w.Told = true }

// Only a crash inside the step, between sync and send, leaves a value on disk that is never sent. Faulty walks and
// deepening reach that; plain walks do not.
func TestCrashes_InsideStep(t *testing.T) {
	sys := sim.System{
		Name: "writer", Nodes: 2, Crashes: 1, Network: netsim.Datagrams{}, MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(sim.NodeID) sim.Service { return &writer{} },
		Actions: []sim.AnyAction{sim.Action[*writer]{
			Name: "write", At: func(id sim.NodeID) bool { return id == 0 }, When: func(w *writer) bool { return !w.Wrote && !w.Found },
			Do: func(w *writer, env sim.Env) {
				w.Wrote = true
				env.Disk().Put("a", nil)
				env.Disk().Sync()
				env.Send(1, list{})
			},
		}},
		Properties: []sim.Property{{Name: "untold", Sometimes: func(v *sim.View) bool {
			a, _ := v.Service(0).(*writer)
			b, _ := v.Service(1).(*writer)
			for range v.InFlight() {
				return false
			}
			return a != nil && a.Found && !b.Told
		}}},
	}
	for _, name := range runStrategies {
		res := run(t, search.Config{System: sys, Strategy: name, MaxPaths: 2000, Workers: 1})
		if n := res.Stats.Sometimes[0].Runs; (n > 0) != name.Can(strategy.Faults) {
			t.Errorf("%s: %d runs", name, n)
		}
	}
}

// makeRuns makes the runs of s, until there are no more, or visit, which is called after each, returns false.
func makeRuns(l *runloop.Loop, s runloop.Strategy, visit func(*runloop.Outcome) bool) {
	for {
		t, ok := s.Next()
		if !ok {
			return
		}
		if o := l.Run(s, t); !visit(&o) {
			return
		}
	}
}
