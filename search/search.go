package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/sim"
)

// Run searches. It returns when it has found something, when everything requested is explored, at a limit, or when ctx
// is done. The error is about the configuration, the system or a failed confirmation; a finding is not an error. With
// the same configuration the result is the same for any number of workers, except for times and engine statistics,
// unless Time or ctx ended the search or a handler did not return. With one worker the work done until then is the
// same, too.
func Run(ctx context.Context, cfg Config) (r *Result, err error) {
	cfg.late = new(contain.UseAfterReturn)
	leaked := detectLeaks(ctx, func() { r, err = run(ctx, cfg) })
	switch {
	case err != nil:
	case r.Verdict != Violation:
		if r.Suspect != nil { // regardless of the reason why the search ended
			r.Verdict = Inconclusive
		}
		awaitLeaked(&cfg, r, leaked)
	case r.Finding == nil:
	case r.Finding.Kind == sim.Nondeterminism:
		if f := cfg.late.Finding(); f != nil { // this is the cause
			r.Finding.Finding = *f
			r.Finding.Late, r.Finding.Difference = true, nil
		}
	}
	return r, err
}

func run(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Strategy.Can(strategy.VisitsStates) {
		return stateful(ctx, cfg)
	}
	s, err := newSearcher(cfg)
	if err != nil {
		return nil, err
	}
	if s.cfg.Time > 0 {
		limited, cancel := budget.WithDeadline(context.WithoutCancel(ctx), s.cfg.start+s.cfg.Time)
		defer cancel()
		s.limit = limited.Done()
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if s.cfg.PrefixRuns > 0 && s.stopping == "" {
		if err := s.makePrefixes(ctx, s.cfg.PrefixRuns); err != nil {
			return nil, err
		}
	}
	sources, shares := s.sources()
	if err := s.explore(ctx, sources, shares); err != nil {
		return nil, err
	}
	if err := s.walkFair(ctx, true); err != nil {
		return nil, err
	}
	r := s.result(sources)
	s.cfg.Reach.add(s.worked())
	return r, s.judgeFair(ctx, r)
}

// searcher is a search in progress. It belongs to the goroutine that runs it.
type searcher struct {
	cfg     Config
	workers []*worker
	began   time.Time
	limit   <-chan struct{}

	global   *fpset.Set
	coverage *coverage.Set
	slots    [unitsPerRound]struct {
		states   *fpset.Set
		coverage *coverage.Set
	}
	roots []choose.Path

	totals       totals
	units        int             // taken so far
	scheduled    []scheduleTally // as cfg.Schedules
	depth        int
	lastShown    time.Time
	lastProgress Progress

	fairWalks stats.FairWalks
	fairTurn  int // number of times such walks were made

	stopping string // reason for the end of the search; "" while it continues
	findings findings
}

func newSearcher(cfg Config) (*searcher, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	s := &searcher{cfg: cfg, global: cfg.Reach.visited(), began: time.Now(), roots: []choose.Path{cfg.Prefix}}
	for i := range cfg.Workers {
		w, err := newWorker(&s.cfg, i, s.global)
		if err != nil {
			return nil, err
		}
		w.setRoots(s.roots)
		s.workers = append(s.workers, w)
	}
	s.coverage = coverage.New(&s.cfg.System)
	s.totals = newTotals(&s.cfg.System)
	s.totals.sampled = sampledByServices(&s.cfg.System)
	s.scheduled = make([]scheduleTally, len(s.cfg.Schedules))
	return s, nil
}

// start executes the prefix once, to verify that it fits, and for coverage.
func (s *searcher) start(ctx context.Context) error {
	once := &walkSeries{phase: startPhase, end: 1}
	for _, w := range s.workers {
		w.loop.Keep(s.cfg.Prefix)
	}
	if err := s.rounds(ctx, once, s.take(once)); err != nil {
		if len(s.cfg.Prefix) > 0 {
			err = fmt.Errorf("prefix: %w", err)
		}
		return err
	}
	s.totals.runs, s.totals.tallies = 0, tallies{}
	var h *runloop.Home
	for _, w := range s.workers {
		h = cmp.Or(h, w.loop.Home())
	}
	for _, w := range s.workers {
		w.loop.StartFrom(h)
	}
	return nil
}

// prefixAttempts is the maximum number of runs for each requested prefix.
const prefixAttempts = 20

func (s *searcher) makePrefixes(ctx context.Context, n int) error {
	r := &walkSeries{phase: prefixPhase, end: n}
	for len(s.totals.prefixes) < n && r.number < prefixAttempts*n && s.stopping == "" {
		if r.stopped() != "" {
			r.end += n - len(s.totals.prefixes)
		}
		units := s.take(r)
		if len(units) == 0 {
			break // no more paths
		}
		if err := s.rounds(ctx, r, units); err != nil {
			return err
		}
	}
	if len(s.totals.prefixes) > n {
		s.totals.prefixes = s.totals.prefixes[:n]
	}
	if taken := len(s.totals.prefixes); taken > 0 {
		s.totals.sampled.Merge(choose.Samples{{Label: "live state to start from", Arity: choose.MaxArity, Taken: taken}})
		s.roots = s.totals.prefixes
		for _, w := range s.workers {
			w.setRoots(s.roots)
		}
	}
	return nil
}

// After lateWork, the work of deepening counts lateFactor times as much. Each depth takes several times as long as all
// before it, and nearby findings were made by then.
const (
	lateWork   = 1 << 19
	lateFactor = 3
)

// bootWork is the work of booting a program, in events: it takes that much longer than a step.
const bootWork = 4

// explore alternates between sources until one of them is exhausted. If that one took samples, and there is a limit,
// the others continue to the limit. Work is counted in events, and each run counts as one more, since there are runs
// without events. Programs make each run cost as much as their boots.
func (s *searcher) explore(ctx context.Context, sources []source, shares []int) error {
	work := make([]int, len(sources))
	boots := 0
	if declared.CarriesAny(&s.cfg.System) {
		boots = bootWork * s.cfg.System.Nodes
	}
	limited := s.cfg.Time > 0 || s.cfg.MaxPaths < math.MaxInt
	through := func(k int) {
		s.stopping = sources[k].stopped()
		if s.stopping == stats.StoppedSampled && limited && len(sources) > 1 {
			s.stopping = "" // walks draw alternatives outside the sample
			sources, shares = slices.Concat(sources[:k], sources[k+1:]), slices.Concat(shares[:k], shares[k+1:])
			work = slices.Delete(work, k, k+1)
		}
	}
	if s.stopping == "" {
		through(0) // the Reach that deepening continues from may be complete
	}
	for s.stopping == "" {
		k := 0
		for i := range sources {
			if work[i]*shares[k] < work[k]*shares[i] {
				k = i
			}
		}
		before, runs := s.worked(), s.totals.runs
		units := s.take(sources[k])
		if len(units) == 0 {
			s.stopping = stats.StoppedPaths
			break
		}
		if err := s.rounds(ctx, sources[k], units); err != nil {
			return err
		}
		if err := s.walkFair(ctx, false); err != nil {
			return err
		}
		done := s.worked() - before + boots*(s.totals.runs-runs)
		if _, deep := sources[k].(*tree); deep && before+s.cfg.Reach.worked() > lateWork {
			done *= lateFactor
		}
		work[k] += done
		if s.stopping == "" {
			through(k)
		}
	}
	return nil
}

// worked returns the amount of work done.
func (s *searcher) worked() int { return s.totals.runs + s.totals.tallies.events() }

// take takes the units of a round from src, within the limit of paths.
func (s *searcher) take(src source) []*unit {
	var units []*unit
	left := s.cfg.MaxPaths - s.totals.runs
	for len(units) < unitsPerRound && left > 0 {
		u := src.next()
		if u == nil {
			break
		}
		u.runs = min(unitRuns, left)
		if u.Items == nil {
			u.runs = min(u.runs, u.Count)
		}
		left -= u.runs
		u.events = unitEvents
		if walks := strategy.OfWalks(string(u.phase)); walks != nil && !walks.Can(strategy.Faults) {
			// They may be long, and would delay early findings of other sources.
			u.events = min(max(s.totals.tallies.events()/unitsPerRound, leastEvents), unitEvents)
		}
		u.checks.further = s.units < verifyFurther
		u.checks.collisions = s.units < collisionsFirst || s.units%collisionsEvery == 0
		u.checks.verify = s.units < verifyFirst || s.units%verifyEvery == 0
		s.units++
		units = append(units, u)
	}
	return units
}
