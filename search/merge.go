package search

import (
	"cmp"
	"context"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/sim"
)

// rounds executes units and merges their results.
func (s *searcher) rounds(ctx context.Context, src source, units []*unit) error {
	for i, u := range units {
		slot := &s.slots[i]
		if slot.states == nil {
			slot.states, slot.coverage = fpset.New(), s.coverage.Another()
		}
		slot.states.Reset()
		slot.coverage.Merge(s.coverage)
		u.states, u.coverage = slot.states, slot.coverage
	}
	s.depth = max(s.depth, units[0].Bound)
	began := time.Now()
	r := s.begin(units)
	merged := 0
	for merged < len(units) {
		unresponsive := r.wait(ctx)
		s.share(units[0].phase, time.Since(began), units[merged:r.first])
		began = time.Now()
		for merged < r.first {
			u := units[merged]
			merged++
			if err := s.merge(ctx, u); err != nil {
				s.drain(r)
				return err
			}
			if s.stopping == stats.StoppedFound {
				s.drain(r)
				return nil
			}
		}
		if unresponsive == nil {
			continue
		}
		refuted, err := s.suspectOverdue(ctx, unresponsive, units[merged].phase)
		if err != nil {
			s.drain(r)
			return err
		}
		if refuted && !unresponsive.final {
			r.extendLimit(unresponsive)
			continue
		}
		if s.stopping != stats.StoppedFound {
			s.stopping = stats.StoppedStuck
		}
		s.drain(r)
		return nil
	}
	src.merged(units)
	s.progress(units[0].phase)
	return nil
}

// drain stops the workers with units that do not matter any more. It does not wait for stuck workers.
func (s *searcher) drain(r *round) {
	for _, w := range s.workers {
		w.signal.Or(runloop.StopSignal)
	}
	timeout := time.After(s.cfg.HandlerLimit)
	for r.first < len(r.units) {
		select {
		case k := <-r.finished:
			r.mark(k)
		case <-timeout:
			return
		}
	}
}

// suspectOverdue makes the run of an unresponsive worker a suspect and has it decided. refuted means that the worker is
// only slow.
func (s *searcher) suspectOverdue(ctx context.Context, o *overdue, p phase) (refuted bool, err error) {
	sus := s.cfg.divergence(o.path, p.strategy())
	sus.Steps = o.steps
	undecided := s.findings.undecided
	err = s.settle(ctx, sus, "a handler did not return")
	return s.stopping != stats.StoppedFound && s.findings.undecided == undecided, err
}

// share divides the time of a round among the phases of its units, by events.
func (s *searcher) share(p phase, took time.Duration, units []*unit) {
	events, all := map[phase]int{}, 0
	for _, u := range units {
		for q, t := range u.totals.tallies {
			events[q] += t.Events
			all += t.Events
		}
	}
	if all == 0 {
		s.totals.tallies.of(p).Seconds += took.Seconds()
		return
	}
	for q, n := range events {
		s.totals.tallies.of(q).Seconds += took.Seconds() * float64(n) / float64(all)
	}
}

// merge adds the results of a unit. Units are merged in their order.
func (s *searcher) merge(ctx context.Context, u *unit) error {
	s.totals.add(&u.totals)
	if s.cfg.MaxBytes > 0 && s.global.Need(u.states.N)+s.cfg.Reach.need(u.states.N) > s.cfg.MaxBytes {
		s.stop(stats.StoppedMemory)
	} else {
		s.totals.tallies.of(u.phase).States += s.global.AddAll(u.states)
		s.cfg.Reach.saw(u.states)
	}
	s.coverage.Merge(u.coverage)
	for i := range u.schedules.tallies {
		s.scheduled[i].add(&u.schedules.tallies[i])
	}
	if u.err != nil {
		return u.err
	}
	if u.suspect == nil {
		return nil
	}
	last := ""
	switch {
	case u.phase == startPhase:
		last = "every run starts with it"
	case u.stopped:
		last = "it terminated the search goroutine"
	}
	return s.settle(ctx, u.suspect, last)
}

// settle confirms a suspect, unless it needs no confirmation. If it is a violation, the search ends unless the caller wants more; last
// is the reason why it cannot continue, or "".
func (s *searcher) settle(ctx context.Context, sus *Suspect, last string) error {
	if !sus.needsNoConfirmation() || s.cfg.Found == nil {
		s.cfg.suspect(sus)
	}
	if sus.needsNoConfirmation() || s.cfg.Confirm == nil {
		return s.violation(ctx, sus, nil, last)
	}
	s.lastShown = time.Time{} // show progress at once, because confirming may take long
	s.progress(criticalPhase)
	began := time.Now()
	limited, cancel := s.cfg.confirming(ctx, sus, s.findings.found > 0)
	defer cancel()
	var c Confirmed
	err := limited.Err() // no time is left for the second suspect of a round
	if err == nil {
		c, err = s.cfg.Confirm(limited, *sus)
	}
	s.totals.tallies.of(criticalPhase).Seconds += time.Since(began).Seconds()
	switch {
	case undecided(limited, err):
		s.findings.undecide(sus)
		switch {
		case ctx.Err() != nil:
			s.stop(stats.StoppedInterrupted)
		case budget.Now() >= s.cfg.start+s.cfg.Time:
			s.stop(stats.StoppedTime)
		}
		return nil
	case err != nil:
		return err
	case c.Known:
	case c.Violation:
		if c.Instead != nil && c.Instead.Overdue {
			last = "a handler did not return"
		}
		return s.violation(ctx, cmp.Or(c.Instead, sus), c.Detail, last)
	case c.Refuted:
		s.findings.refute(sus)
	default:
		s.findings.undecide(sus)
	}
	return nil
}

// violation records a violation. The search ends if the caller wants no more, or if it cannot continue.
func (s *searcher) violation(ctx context.Context, sus *Suspect, detail any, last string) error {
	if sus.Kind == sim.Nondeterminism {
		if f := s.cfg.late.Finding(); f != nil { // this is the cause
			sus.Finding, sus.Late, sus.Difference = *f, true, nil
		}
		last = "further findings are unreliable if the system is nondeterministic"
	}
	if s.cfg.Found == nil || last != "" {
		s.findings.finding, s.findings.detail, s.stopping = sus, detail, stats.StoppedFound
	}
	if s.cfg.Found == nil {
		return nil
	}
	s.findings.found++
	reported := s.result(nil)
	reported.Verdict, reported.Finding, reported.Detail, reported.Stopped, reported.Last = Violation, sus, detail, stats.StoppedFound, last
	err := s.cfg.Found(ctx, reported)
	switch {
	case reported.Accepted:
		s.findings.accepted++
		s.findings.finding, s.findings.detail = nil, nil
	case reported.Last != "" && last == "":
		s.findings.finding, s.findings.detail, s.stopping = reported.Finding, reported.Detail, stats.StoppedFound
	}
	if ctx.Err() != nil {
		s.stop(stats.StoppedInterrupted)
		return nil
	}
	return err
}

// stop makes all workers end their runs.
func (s *searcher) stop(why string) {
	if s.stopping == "" {
		s.stopping = why
	}
	for _, w := range s.workers {
		w.signal.Or(runloop.StopSignal)
	}
}
