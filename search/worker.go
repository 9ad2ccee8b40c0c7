package search

import (
	"slices"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/sim"
)

// worker executes units, one after the other. It owns all but the atomic fields meanwhile.
type worker struct {
	cfg        *Config
	loop       *runloop.Loop
	strategies map[phase]runs.Strategy
	verifier   *verify.Verifier
	novelty    novelty
	collisions verify.EncodingCollisions

	signal atomic.Uint32
	active atomic.Pointer[replay.Run]     // the run being executed
	made   atomic.Int64                   // runs in the current unit
	events atomic.Int64                   // events in the current unit
	engine atomic.Pointer[runloop.Counts] // after the last unit; nil if there was none
}

// newWorker returns a worker that starts from the given roots.
func newWorker(cfg *Config, number int, global *fpset.Set) (*worker, error) {
	loop, err := runloop.NewByEngine(&cfg.System, cfg.Engine,
		kernel.Options{UseAfterReturn: cfg.late, Settle: cfg.Calls.Settles()})
	if err != nil {
		return nil, err
	}
	if cfg.alternate {
		loop.Alternate()
	}
	w := &worker{cfg: cfg, loop: loop}
	if cfg.PathBuffers != nil {
		w.loop.Replay().Path = cfg.PathBuffers[number]
	}
	w.loop.Signal, w.loop.Guarded = &w.signal, false // units are guarded
	w.verifier = &verify.Verifier{
		Sys: &cfg.System, Late: cfg.late, First: loop.Replay(), Active: w.active.Store, Interrupted: loop.Interrupted,
		Home: func() *replay.Saved { return loop.Home().Saved },
	}
	w.loop.Observe(&w.novelty)
	w.strategies = newRuns(w, global)
	return w, nil
}

// setRoots sets the start of rows of walks.
func (w *worker) setRoots(roots []choose.Path) {
	for _, s := range w.strategies {
		if s, ok := s.(rooted); ok {
			s.SetRoots(roots)
		}
	}
}

// do executes a unit. Checked code may end the goroutine of the unit.
func (w *worker) do(u *unit) {
	if f := contain.Guard(func() { w.measured(u) }); f != nil {
		run := w.loop.Replay()
		u.suspect = &Suspect{Finding: *f, Path: run.Path.Clone(), Steps: run.Steps(), Strategy: u.phase.strategy(),
			Schedule: scheduleOf(w.strategies[u.phase])}
		u.stopped = true
		// A slower world that contains checked code can find the cause.
		if o, err := runs.Follow(&w.cfg.System, u.suspect.Path); err == nil && o.Finding != nil {
			u.suspect.Finding, u.suspect.Steps = *o.Finding, o.Steps
		}
	}
}

func (w *worker) measured(u *unit) {
	w.loop.Measure(func() { w.runs(u) })
	counts := w.loop.Counts()
	w.engine.Store(&counts)
}

// runs makes the runs of a unit.
func (w *worker) runs(u *unit) {
	l := w.loop
	l.Coverage, l.CoverTask = u.coverage, u.phase == startPhase
	s := w.strategies[u.phase]
	s.Begin(&u.Job, u.states)
	u.totals = newTotals(&w.cfg.System)
	rotated, _ := s.(rotated)
	if u.schedules = (scheduleResults{}); rotated != nil && u.Mix != nil {
		u.schedules.reset(len(w.cfg.Schedules))
	}
	w.novelty.on = false
	l.Activity.Reset()
	l.Sampled = nil
	defer func() {
		w.made.Store(0)
		w.events.Store(0)
	}()
	verify, collisions := u.checks.verify, u.checks.collisions
	if w.cfg.Calls.Settles() { // a death of this process must be in the recorded run
		verify, collisions = false, false
	}
	w.collisions.Begin(collisions)
	events := 0
	for u.totals.runs < u.runs && events < u.events {
		t, ok := s.Next()
		if !ok {
			break
		}
		sampled := verify && (u.totals.runs == 0 || u.checks.further && u.totals.runs&(u.totals.runs-1) == 0)
		if sampled || collisions {
			w.verifier.Recorded.Reset()
			l.Recording = &w.verifier.Recorded
		}
		w.active.Store(l.Replay())
		if u.Mix != nil {
			w.sample(u, u.First+u.totals.runs)
		}
		before := l.Events
		o := l.Run(s, t)
		l.Recording = nil
		n := l.Events - before
		events += n
		if o.End == runloop.Stopped {
			u.totals.tallies.of(u.phase).Events += n
			u.stopped = true
			break
		}
		u.totals.runs++
		w.made.Store(int64(u.totals.runs))
		w.events.Store(int64(events))
		u.account(s, &o, n)
		if u.Mix != nil {
			w.notice(u, rotated, n, o.End == runloop.AtGoal)
		}
		u.totals.used = u.totals.used.Max(o.Used)
		u.totals.foreign, l.Foreign = u.totals.foreign || l.Foreign, false
		u.noteHeld(l.Held)
		if o.End == runloop.Mismatch {
			u.err = o.Err
			break
		}
		if u.suspect = w.suspect(u.phase, &o); u.suspect != nil {
			break
		}
		if u.phase == prefixPhase && o.Live {
			u.totals.prefixes = append(u.totals.prefixes, l.Replay().Path.Clone())
		}
		for again := 0; sampled && u.suspect == nil && again <= w.verifier.Repeats(u.checks.further); again++ {
			u.suspect = suspectOf(w.verifier.Verify(l.Coverage.Services))
		}
		if u.suspect == nil && collisions {
			u.suspect = suspectOf(w.collisions.Look(&w.cfg.System, l.Replay(), &w.verifier.Recorded))
		}
		if u.suspect != nil {
			u.suspect.Strategy, u.suspect.Schedule = u.phase.strategy(), scheduleOf(s)
			break
		}
	}
	w.ended(u, s)
}

// sample prepares for run number k, which may be in samples.
func (w *worker) sample(u *unit, k int) {
	looked := inNoveltySample(k)
	w.novelty.begin(looked && len(w.cfg.Schedules) > 1, w.cfg.System.Nodes) // with a single schedule, no comparison is needed
	w.loop.Activity.Begin(looked)
	w.loop.Orders = u.totals.ordersOf(inOrdersSample(k), w.cfg.System.Nodes)
}

// ended records the results of the runs of a unit.
func (w *worker) ended(u *unit, s runs.Strategy) {
	u.totals.activity, u.totals.sampled = w.loop.Activity, w.loop.Sampled
	w.loop.Activity.Begin(false)
	w.loop.Orders = nil
	if d, ok := s.(*runs.Deepening); ok {
		u.bounded = d.Bounded()
	}
	if !u.stopped && u.err == nil { // otherwise nothing follows, and the strategy has not seen the run's end
		if j := s.Rest(&u.Job); j != nil {
			u.rest = &unit{phase: u.phase, Job: *j}
		}
	}
}

// noteHeld counts the Sometimes properties that held in a run.
func (u *unit) noteHeld(held []bool) {
	for i, held := range held {
		if held {
			u.totals.sometimes[i]++
			if u.Mix != nil {
				u.totals.walked[i]++
			}
		}
	}
}

// notice records the result of the run that has just ended, for its schedule.
func (w *worker) notice(u *unit, s rotated, events int, live bool) {
	if live {
		for slot, did := range s.UsedActions() {
			if did {
				u.totals.usedActions[slot]++
			}
		}
	}
	i := slices.Index(w.cfg.Schedules, s.Scheduled())
	if i < 0 {
		return
	}
	t := &u.schedules.tallies[i]
	t.paths++
	t.events += events
	if w.novelty.on {
		u.schedules.steps[i] += events
		u.schedules.pairs[i] = append(u.schedules.pairs[i], w.novelty.pairs...)
	}
}

// suspect returns the suspect of the run that has just ended, or nil.
func (w *worker) suspect(p phase, o *runloop.Outcome) *Suspect {
	s := w.strategies[p]
	sus := &Suspect{Finding: sim.Finding{Node: -1}, Path: w.loop.Replay().Path, Steps: o.Steps}
	origin, yes := s.Suspects(o)
	switch {
	case o.Finding != nil:
		sus.Finding = *o.Finding
	case yes:
		sus.Origin, sus.OutOfEvents = origin, o.End == runloop.OutOfEvents
		sus.Kind, sus.Message = sim.Liveness, "no live state was reached"
		if sus.OutOfEvents {
			sus.Kind, sus.Message = sim.Deadlock, "no event is enabled, and the state is not live"
			if declared.DisturbingOf(w.loop.Replay().World.System()) != nil {
				sus.Message = "only disturbing events are enabled, and the state is not live"
			}
		}
		for _, p := range w.loop.Goals {
			if !w.loop.Replay().World.Holds(p) {
				sus.Property = p.Name
				if text := w.loop.Replay().World.Explain(p); text != "" {
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
	if d, ok := s.(*runs.Deepening); ok {
		sus.Depth = d.Branch().Depth
	}
	return sus
}

// suspectOf converts a mismatch between executions to a suspect; nil stays nil.
func suspectOf(f *verify.Mismatch) *Suspect {
	if f == nil {
		return nil
	}
	return &Suspect{Finding: *f.Finding, Path: f.Path, Steps: f.Steps, Difference: f.Difference}
}

// rotated is a strategy with schedules that take turns.
type rotated interface {
	// Scheduled returns the schedule of the run that has just ended, or "" if it had none.
	Scheduled() string
	// UsedActions returns the actions done between the last state at which recovery began and the end of the run.
	UsedActions() runs.ActionSet
}

func scheduleOf(s runs.Strategy) string {
	if r, ok := s.(rotated); ok {
		return r.Scheduled()
	}
	return ""
}

// needsNoConfirmation reports whether a suspect needs no confirmation.
func (s *Suspect) needsNoConfirmation() bool {
	return s.Kind != sim.Liveness && s.Kind != sim.Deadlock && !s.Overdue
}
