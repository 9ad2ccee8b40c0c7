package search

import (
	"slices"
	"time"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/sim"
)

// progressEvery is the interval between progress reports.
const progressEvery = 200 * time.Millisecond

func (s *searcher) progress(p phase) {
	now := time.Now()
	if s.cfg.Progress == nil || p == startPhase || now.Sub(s.lastShown) < progressEvery {
		return
	}
	s.lastShown = now
	paths, events := s.totals.runs, s.totals.tallies.events()
	for _, w := range s.workers {
		paths += int(w.made.Load())
		events += int(w.events.Load())
	}
	s.lastProgress = Progress{
		Elapsed: now.Sub(s.began), Phase: string(p), Depth: s.depth, States: s.global.N,
		Paths: max(paths, s.lastProgress.Paths), Events: max(events, s.lastProgress.Events), // counts must not fall while units are merged
	}
	s.cfg.Progress(s.lastProgress)
}

func (s *searcher) result(sources []source) *Result {
	f := &s.findings
	r := &Result{
		Finding: f.finding, Detail: f.detail, Suspects: f.suspects, Undecided: f.undecided, Slow: f.slow, Suspect: f.suspect, Stopped: s.stopping,
		Stats: Stats{
			Work: Work{Seconds: time.Since(s.began).Seconds(), Paths: s.totals.runs, Events: s.totals.tallies.events(), States: s.global.N,
				Phases: s.totals.tallies.phases()},
			Coverage: Coverage{FaultsUsed: s.totals.used, ForeignTimes: s.totals.foreign, Sampled: s.totals.sampled},
		},
	}
	ended := 0 // number of walks
	for i := range strategy.All {
		if st := &strategy.All[i]; st.New != nil {
			ended += s.totals.tallies.of(phase(st.Phase)).Paths
		}
	}
	for _, src := range sources {
		if t, ok := src.(*tree); ok {
			r.Stats.ExhaustedDepth, r.Stats.Complete = t.Exhausted, t.Complete
			r.Stats.Omission = s.cfg.key().Omission(s.global.N)
			if t.Complete && r.Stats.Omission > stateset.MostOmission {
				r.Stats.Complete = false
				if r.Stopped == stats.StoppedComplete {
					r.Stopped = stats.StoppedFingerprints
				}
			}
		}
	}
	if f.found > 0 || s.stopping == stats.StoppedMemory { // the search did not continue from violations, or not all states were kept
		r.Stats.Complete = false
	}
	for _, w := range s.workers {
		if engine := w.engine.Load(); engine != nil {
			r.Stats.Engine.Add(*engine)
		}
	}
	for i, t := range s.scheduled {
		if t.paths > 0 {
			r.Stats.Schedules = append(r.Stats.Schedules, stats.Schedule{Name: s.cfg.Schedules[i], Paths: t.paths, Events: t.events})
		}
	}
	for i, name := range s.cfg.System.ActionNames() {
		if s.totals.usedActions[i] > 0 && len(s.workers[0].loop.Goals) > 0 {
			r.Stats.Relied = append(r.Stats.Relied, stats.Relied{Action: name, Walks: s.totals.usedActions[i]})
		}
	}
	r.Stats.cover(&s.cfg.System, s.coverage, s.totals.sometimes)
	r.Stats.noteFairRunsUnjudged(&s.cfg.System, s.cfg.Strategy)
	if s.fairTurn > 0 {
		r.Stats.Fair.Walked = s.fairWalks
	}
	undecided := f.undecided > 0 || s.stopping == stats.StoppedStuck
	conclusive := !undecided && (r.Stats.ExhaustedDepth > 0 || ended > 0) && !r.Stats.judgedNothing(&s.cfg.System)
	r.Verdict = Conclude(f.finding != nil || f.found > f.accepted, s.stopping, conclusive)
	for i := range r.Stats.Sometimes {
		r.Stats.Sometimes[i].Walks, r.Stats.Sometimes[i].Of = s.totals.walked[i], ended
	}
	for _, c := range s.totals.activity.List(s.coverage) {
		r.Stats.AfterLive = append(r.Stats.AfterLive, stats.AfterLive(c))
	}
	r.Stats.AfterLiveWalks = s.totals.activity.Runs
	return r
}

// cover fills in events that never happened, and the number of runs in which each Sometimes property held.
func (r *Stats) cover(sys *sim.System, c *coverage.Set, sometimes []int) {
	out := append(c.NeverHappened(), c.DisturbsNothing(sys)...)
	most, used := sys.Limits(), r.FaultsUsed
	for f := range sim.FaultCount {
		leftOut := r.Crashes != nil && len(r.Crashes.Implicit) > 0 && f.Event().TakesDown()
		if most[f] > 0 && used[f] == 0 && !leftOut {
			out = append(out, "fault "+f.Singular())
		}
	}
	r.BySample = c.BySample(sys)
	r.Sometimes = []stats.Sometimes{}
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Sometimes != nil {
			n := sometimes[len(r.Sometimes)]
			r.Sometimes = append(r.Sometimes, stats.Sometimes{Property: p.Name, Runs: n})
			if n == 0 {
				out = append(out, "sometimes "+p.Name)
			}
		}
	}
	slices.Sort(out)
	r.NeverHappened = out
}
