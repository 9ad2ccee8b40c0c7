package search

import (
	"slices"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/sim"
)

// worker executes units, one after the other. It owns all but the atomic fields meanwhile.
type worker struct {
	cfg        *Config
	loop       *Loop
	strategies map[phase]unitStrategy
	verifier   *verify.Verifier
	novelty    novelty
	twins      verify.Twins

	signal atomic.Uint32
	active atomic.Pointer[replay.Run]  // the run being executed
	made   atomic.Int64                // runs in the current unit
	events atomic.Int64                // events in the current unit
	engine atomic.Pointer[EngineStats] // after the last unit; nil if there was none
}

// newWorker returns a worker that starts from the given roots.
func newWorker(cfg *Config, number int, global *fpset.Set) (*worker, error) {
	loop, err := newEngineLoop(&cfg.System, cfg.Engine, cfg.late, cfg.Calls.Settles())
	if err != nil {
		return nil, err
	}
	loop.engines.alternate = cfg.alternate
	w := &worker{cfg: cfg, loop: loop}
	if cfg.PathBuffer != nil {
		w.loop.run.Path = cfg.PathBuffer(number)
	}
	w.loop.signal, w.loop.guarded = &w.signal, false // units are guarded
	w.verifier = &verify.Verifier{
		Sys: &cfg.System, Late: cfg.late, First: loop.run, Active: w.active.Store, Interrupted: loop.interrupted,
		Home: func() *replay.Saved { return loop.home.Saved },
	}
	w.loop.Observe(&w.novelty)
	w.strategies = newRuns(w, global)
	return w, nil
}

// setRoots sets the start of rows of walks.
func (w *worker) setRoots(roots []choose.Path) {
	for _, s := range w.strategies {
		if s, ok := s.(rooted); ok {
			s.setRoots(roots)
		}
	}
}

// do executes a unit. Checked code may end the goroutine of the unit.
func (w *worker) do(u *unit) {
	if f := contain.Guard(func() { w.measured(u) }); f != nil {
		run := w.loop.run
		u.suspect = &Suspect{Path: run.Path.Clone(), Steps: run.Steps(), Node: -1, Strategy: u.phase.strategy(), Schedule: scheduleOf(w.strategies[u.phase])}
		u.stopped = true
		u.suspect.Find(f)
		// A slower world that contains checked code can find the cause.
		if o, err := Follow(&w.cfg.System, u.suspect.Path); err == nil && o.Finding != nil {
			u.suspect.Find(o.Finding)
			u.suspect.Steps = o.Steps
		}
	}
}

func (w *worker) measured(u *unit) {
	w.loop.Measure(func() { w.runs(u) })
	engine := w.loop.Engines()
	w.engine.Store(&engine)
}

// runs makes the runs of a unit.
func (w *worker) runs(u *unit) {
	l := w.loop
	l.coverage, l.coverTask = u.coverage, u.phase == startPhase
	s := w.strategies[u.phase]
	s.begin(u)
	u.sometimes, u.walked = make([]int, len(l.sometimes)), make([]int, len(l.sometimes))
	rotated, _ := s.(rotated)
	if u.noticed = (noticed{}); rotated != nil && u.mix != nil {
		u.noticed.reset(len(w.cfg.Schedules))
		u.relied = make([]int, len(w.cfg.System.Actions))
	}
	w.novelty.on = false
	l.activity.Reset()
	l.sampled = nil
	defer func() {
		w.made.Store(0)
		w.events.Store(0)
	}()
	w.twins.Begin(u.twins)
	events := 0
	for u.made < u.runs && events < u.events {
		t, ok := s.Next()
		if !ok {
			break
		}
		sampled := u.verify && (u.made == 0 || u.closely && u.made&(u.made-1) == 0)
		if sampled || u.twins {
			w.verifier.Recorded.Reset()
			l.record = &w.verifier.Recorded
		}
		w.active.Store(l.run)
		if u.mix != nil {
			looked := lookedAt(u.first + u.made)
			w.novelty.begin(looked && len(w.cfg.Schedules) > 1, w.cfg.System.Nodes) // with a single schedule, no comparison is needed
			l.activity.Begin(looked)
		}
		before := l.events
		o := l.Run(s, t)
		l.record = nil
		n := l.events - before
		events += n
		if o.End == Stopped {
			u.tallies.of(u.phase).events += n
			u.stopped = true
			break
		}
		u.made++
		w.made.Store(int64(u.made))
		w.events.Store(int64(events))
		s.account(&o, n, &u.tallies)
		if u.mix != nil {
			w.notice(u, rotated, n, o.End == AtGoal)
		}
		u.used = u.used.Max(o.Used)
		u.foreign, l.foreign = u.foreign || l.foreign, false
		u.noteHeld(l.held)
		if o.End == Misfit {
			u.err = o.Err
			break
		}
		if u.suspect = w.suspect(u.phase, &o); u.suspect != nil {
			break
		}
		if u.phase == prefixPhase && o.Live {
			u.prefixes = append(u.prefixes, l.run.Path.Clone())
		}
		for again := 0; sampled && u.suspect == nil && again <= w.verifier.Repeats(u.closely); again++ {
			u.suspect = suspectOf(w.verifier.Verify(l.coverage.Services))
		}
		if u.suspect == nil && u.twins {
			u.suspect = suspectOf(w.twins.Look(&w.cfg.System, l.run, &w.verifier.Recorded))
		}
		if u.suspect != nil {
			u.suspect.Strategy, u.suspect.Schedule = u.phase.strategy(), scheduleOf(s)
			break
		}
	}
	w.ended(u, s)
}

// ended records the results of the runs of a unit.
func (w *worker) ended(u *unit, s unitStrategy) {
	u.activity, u.sampled = w.loop.activity, w.loop.sampled
	w.loop.activity.Begin(false)
	if d, ok := s.(*deepening); ok {
		u.bounded = d.bounded
	}
	if !u.stopped && u.err == nil { // otherwise nothing follows, and the strategy has not seen the run's end
		u.left = s.rest(u)
	}
}

// noteHeld counts the Sometimes properties that held in a run.
func (u *unit) noteHeld(held []bool) {
	for i, held := range held {
		if held {
			u.sometimes[i]++
			if u.mix != nil {
				u.walked[i]++
			}
		}
	}
}

// notice records the result of the run that has just ended, for its schedule.
func (w *worker) notice(u *unit, s rotated, events int, live bool) {
	if live {
		for slot, did := range s.reliedOn() {
			if did {
				u.relied[slot]++
			}
		}
	}
	i := slices.Index(w.cfg.Schedules, s.scheduled())
	if i < 0 {
		return
	}
	t := &u.noticed.schedules[i]
	t.paths++
	t.events += events
	if w.novelty.on {
		u.noticed.steps[i] += events
		u.noticed.pairs[i] = append(u.noticed.pairs[i], w.novelty.pairs...)
	}
}

// suspect returns the suspect of the run that has just ended, or nil.
func (w *worker) suspect(p phase, o *Outcome) *Suspect {
	s := w.strategies[p]
	sus := &Suspect{Path: w.loop.run.Path, Steps: o.Steps, Node: -1}
	origin, yes := s.suspects(o)
	switch {
	case o.Finding != nil:
		sus.Find(o.Finding)
	case yes:
		sus.Origin, sus.OutOfEvents = origin, o.End == OutOfEvents
		sus.Kind, sus.Message = sim.Liveness, "no live state was reached"
		if sus.OutOfEvents {
			sus.Kind, sus.Message = sim.Deadlock, "no event is enabled, and the state is not live"
			if declared.DisturbingOf(w.loop.world.System()) != nil {
				sus.Message = "only disturbing events are enabled, and the state is not live"
			}
		}
		for _, p := range w.loop.goals {
			if !w.loop.world.Holds(p) {
				sus.Property = p.Name
				if text := w.loop.world.Explain(p); text != "" {
					sus.Message = text
				}
				break
			}
		}
	default:
		return nil
	}
	sus.Path = sus.Path.Clone()
	sus.Strategy, sus.Schedule = p.strategy(), scheduleOf(s)
	if d, ok := s.(*deepening); ok {
		sus.Depth = int(d.depth)
	}
	return sus
}

// suspectOf converts a mismatch between executions to a suspect; nil stays nil.
func suspectOf(f *verify.Mismatch) *Suspect {
	if f == nil {
		return nil
	}
	s := &Suspect{Path: f.Path, Steps: f.Steps, Difference: (*Difference)(f.Difference)}
	s.Find(f.Finding)
	return s
}

// rotated is a strategy with schedules that take turns.
type rotated interface {
	// scheduled returns the schedule of the run that has just ended, or "" if it had none.
	scheduled() Schedule
	// reliedOn returns the actions done between the last state at which recovery began and the end of the run.
	reliedOn() relied
}

func scheduleOf(s unitStrategy) Schedule {
	if r, ok := s.(rotated); ok {
		return r.scheduled()
	}
	return ""
}

// certain reports whether a suspect needs no confirmation.
func (s *Suspect) certain() bool {
	return s.Kind != sim.Liveness && s.Kind != sim.Deadlock && !s.Overdue
}

// Find sets s to the content of f.
func (s *Suspect) Find(f *sim.Finding) {
	s.Kind, s.Property, s.Message, s.Stack, s.Node = f.Kind, f.Property, f.Message, f.Stack, f.Node
	s.Cause = f.Cause
}
