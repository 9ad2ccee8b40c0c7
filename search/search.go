package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Run searches. It returns when something was found, when all that was asked for is explored, at a
// limit, or when ctx is done. The error is about the configuration, the system or a confirmation that failed; a finding
// is none. With the same configuration the result is the same, times apart, for any number of
// workers, unless Time or ctx ended the search or a worker was stuck; with one worker also what
// was done until then is the same.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	s, err := newSearcher(cfg)
	if err != nil {
		return nil, err
	}
	if s.cfg.Time > 0 {
		timer := time.NewTimer(s.cfg.Time)
		defer timer.Stop()
		s.limit = timer.C
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if s.cfg.PrefixRuns > 0 && s.stopping == "" {
		if err := s.makePrefixes(ctx, s.cfg.PrefixRuns); err != nil {
			return nil, err
		}
	}
	sources, shares := s.plan()
	if err := s.explore(ctx, sources, shares); err != nil {
		return nil, err
	}
	return s.result(sources), nil
}

// MakePrefixes makes runs without injections from cfg.Prefix on, each until a live state follows one that is
// not, and returns the paths of the first n. Runs that do not come to that are left out; when no run comes
// to it the error says so.
func MakePrefixes(ctx context.Context, cfg Config, n int) ([]choose.Path, error) {
	cfg.Confirm = func(context.Context, Suspect) (Confirmed, error) { return Confirmed{Refuted: true}, nil }
	cfg.PrefixRuns = n
	s, err := newSearcher(cfg)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if err := s.makePrefixes(ctx, n); err != nil {
		return nil, err
	}
	switch {
	case s.finding != nil:
		return nil, fmt.Errorf("a run that should have become a prefix ended with a finding: %s: %s", s.finding.Kind, s.finding.Message)
	case s.stopping == StoppedInterrupted:
		return nil, ctx.Err()
	case len(s.prefixes) == 0:
		return nil, errors.New("no run without faults became live, so there is no prefix")
	}
	return s.prefixes, nil
}

// searcher is a search in progress. It belongs to the goroutine that runs it.
type searcher struct {
	cfg     Config
	workers []*worker
	began   time.Time
	limit   <-chan time.Time

	global   *visited
	coverage *coverage
	slots    [unitsPerRound]struct {
		states   *visited
		coverage *coverage
	}
	roots    []choose.Path
	prefixes []choose.Path

	tallies   tallies
	runs      int
	sometimes []int
	used      sim.Limits
	depth     int
	shown     time.Time
	told      Progress

	stopping  string // why the search ends; "" as long as it does not
	finding   *Suspect
	detail    any
	suspects  int
	undecided int
}

func newSearcher(cfg Config) (*searcher, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	s := &searcher{cfg: cfg, global: newVisited(), began: time.Now(), roots: []choose.Path{cfg.Prefix}}
	for i := range cfg.Workers {
		w, err := newWorker(&s.cfg, i, s.global)
		if err != nil {
			return nil, err
		}
		w.setRoots(s.roots)
		s.workers = append(s.workers, w)
	}
	s.coverage = newCoverage(&s.cfg.System)
	for i := range s.slots {
		s.slots[i].states, s.slots[i].coverage = newVisited(), newCoverage(&s.cfg.System)
	}
	s.sometimes = make([]int, len(s.workers[0].loop.sometimes))
	return s, nil
}

// start executes the prefix once, to see that it fits, and for coverage.
func (s *searcher) start(ctx context.Context) error {
	once := &row{phase: startPhase, end: 1}
	if err := s.rounds(ctx, once, s.take(once)); err != nil {
		return fmt.Errorf("prefix: %w", err)
	}
	s.runs, s.tallies = 0, tallies{}
	return nil
}

// prefixAttempts is how many runs are made for each prefix that is wanted, at most.
const prefixAttempts = 20

func (s *searcher) makePrefixes(ctx context.Context, n int) error {
	r := &row{phase: prefixPhase, end: n}
	for len(s.prefixes) < n && r.number < prefixAttempts*n && s.stopping == "" {
		if r.stopped() != "" {
			r.end += n - len(s.prefixes)
		}
		units := s.take(r)
		if len(units) == 0 {
			break // no more paths
		}
		if err := s.rounds(ctx, r, units); err != nil {
			return err
		}
	}
	if len(s.prefixes) > n {
		s.prefixes = s.prefixes[:n]
	}
	if len(s.prefixes) > 0 {
		s.roots = s.prefixes
		for _, w := range s.workers {
			w.setRoots(s.roots)
		}
	}
	return nil
}

// plan returns the sources of units that the strategy alternates between, and the share of the work
// that each is to have.
func (s *searcher) plan() ([]source, []int) {
	walks, faults := &row{phase: walkPhase}, &row{phase: faultyPhase}
	switch s.cfg.Strategy {
	case Walk:
		return []source{walks}, []int{1}
	case Faulty:
		return []source{faults}, []int{1}
	}
	deep := &tree{roots: s.roots, most: s.cfg.MaxDepth}
	if s.cfg.System.Limits() == (sim.Limits{}) {
		return []source{deep, walks}, []int{4, 1}
	}
	return []source{deep, faults, walks}, []int{4, 4, 1}
}

// explore alternates between sources until one of them is through. Work is counted in events, and a run is
// one more, as there are runs without events.
func (s *searcher) explore(ctx context.Context, sources []source, shares []int) error {
	work := make([]int, len(sources))
	for s.stopping == "" {
		k := 0
		for i := range sources {
			if work[i]*shares[k] < work[k]*shares[i] {
				k = i
			}
		}
		before := s.runs + s.tallies.events()
		units := s.take(sources[k])
		if len(units) == 0 {
			s.stopping = StoppedPaths
			break
		}
		if err := s.rounds(ctx, sources[k], units); err != nil {
			return err
		}
		work[k] += s.runs + s.tallies.events() - before
		if s.stopping == "" {
			s.stopping = sources[k].stopped()
		}
	}
	return nil
}

// take takes the units of a round from src, within the limit of paths.
func (s *searcher) take(src source) []*unit {
	var units []*unit
	left := s.cfg.MaxPaths - s.runs
	for len(units) < unitsPerRound && left > 0 {
		u := src.next()
		if u == nil {
			break
		}
		u.runs = min(unitRuns, left)
		if u.items == nil {
			u.runs = min(u.runs, u.count)
		}
		left -= u.runs
		units = append(units, u)
	}
	return units
}

// rounds does units and merges what came of them.
func (s *searcher) rounds(ctx context.Context, src source, units []*unit) error {
	for i, u := range units {
		slot := &s.slots[i]
		slot.states.reset()
		slot.coverage.merge(s.coverage)
		u.states, u.coverage = slot.states, slot.coverage
	}
	s.depth = max(s.depth, units[0].bound)
	began := time.Now()
	r := s.begin(units)
	merged := 0
	for merged < len(units) {
		late := r.wait(ctx)
		s.share(units[0].phase, time.Since(began), units[merged:r.first])
		began = time.Now()
		for merged < r.first {
			u := units[merged]
			merged++
			if err := s.merge(ctx, u); err != nil {
				return err
			}
			if s.stopping == StoppedFound {
				s.drain(r)
				return nil
			}
		}
		if late == nil {
			continue
		}
		confirmed, err := s.late(ctx, late, units[merged].phase)
		if err != nil {
			return err
		}
		if !confirmed && !late.again && s.stopping == "" {
			r.excuse(late)
			continue
		}
		if s.stopping == "" || s.finding == nil {
			s.stopping = StoppedStuck
		}
		s.drain(r)
		return nil
	}
	src.merged(units)
	s.progress(units[0].phase)
	return nil
}

// drain has the workers end what does not matter any more. It does not wait for those that are stuck.
func (s *searcher) drain(r *round) {
	for _, w := range s.workers {
		w.signal.Or(stopSignal)
	}
	timeout := time.After(s.cfg.HandlerLimit)
	for r.first < len(r.units) {
		select {
		case k := <-r.finished:
			r.ended[k] = true
			for r.first < len(r.units) && r.ended[r.first] {
				r.first++
			}
		case <-timeout:
			return
		}
	}
}

// late judges a worker that does not answer.
func (s *searcher) late(ctx context.Context, o *overdue, p phase) (confirmed bool, err error) {
	sus := &Suspect{
		Kind: sim.Divergence, Node: -1, Path: o.path, Steps: o.steps, Overdue: true,
		Message:  fmt.Sprintf("the handler did not return within %v", s.cfg.HandlerLimit),
		Strategy: map[phase]Name{deepeningPhase: Deepening, faultyPhase: Faulty, walkPhase: Walk, prefixPhase: Walk}[p],
	}
	if err := s.judge(ctx, sus); err != nil {
		return false, err
	}
	return s.finding != nil, nil
}

// share divides the time of a round among the phases of its units, by events.
func (s *searcher) share(p phase, took time.Duration, units []*unit) {
	var events [phases]int
	all := 0
	for _, u := range units {
		for q := range u.tallies {
			events[q] += u.tallies[q].events
			all += u.tallies[q].events
		}
	}
	if all == 0 {
		s.tallies[p].seconds += took.Seconds()
		return
	}
	for q, n := range events {
		s.tallies[q].seconds += took.Seconds() * float64(n) / float64(all)
	}
}

// merge adds what came of a unit. Units are merged in their order.
func (s *searcher) merge(ctx context.Context, u *unit) error {
	s.runs += u.made
	s.tallies.add(&u.tallies)
	s.tallies[u.phase].states += s.global.addAll(u.states)
	s.coverage.merge(u.coverage)
	for i, n := range u.sometimes {
		s.sometimes[i] += n
	}
	s.used = most(s.used, u.used)
	s.prefixes = append(s.prefixes, u.prefixes...)
	if u.err != nil {
		return u.err
	}
	if u.suspect != nil {
		return s.judge(ctx, u.suspect)
	}
	return nil
}

// judge decides on a suspect. The search ends when it is a violation.
func (s *searcher) judge(ctx context.Context, sus *Suspect) error {
	if sus.certain() || s.cfg.Confirm == nil {
		s.finding, s.stopping = sus, StoppedFound
		return nil
	}
	began := time.Now()
	c, err := s.cfg.Confirm(ctx, *sus)
	s.tallies[criticalPhase].seconds += time.Since(began).Seconds()
	switch {
	case err != nil && ctx.Err() != nil:
		s.suspects++
		s.undecided++
		s.stop(StoppedInterrupted)
		return nil
	case err != nil:
		return err
	case c.Violation:
		s.finding, s.detail, s.stopping = sus, c.Detail, StoppedFound
	default:
		s.suspects++
		if !c.Refuted {
			s.undecided++
		}
	}
	return nil
}

// stop has all workers end their runs.
func (s *searcher) stop(why string) {
	if s.stopping == "" {
		s.stopping = why
	}
	for _, w := range s.workers {
		w.signal.Or(stopSignal)
	}
}

// progressEvery is how often progress is told.
const progressEvery = 200 * time.Millisecond

func (s *searcher) progress(p phase) {
	now := time.Now()
	if s.cfg.Progress == nil || now.Sub(s.shown) < progressEvery {
		return
	}
	s.shown = now
	paths, events := s.runs, s.tallies.events()
	for _, w := range s.workers {
		paths += int(w.runs.Load())
		events += int(w.events.Load())
	}
	s.told = Progress{
		Elapsed: now.Sub(s.began), Phase: p.String(), Depth: s.depth, States: s.global.n,
		Paths: max(paths, s.told.Paths), Events: max(events, s.told.Events), // what is being merged counts still
	}
	s.cfg.Progress(s.told)
}

func (s *searcher) result(sources []source) *Result {
	r := &Result{
		Verdict: OK, Finding: s.finding, Detail: s.detail, Suspects: s.suspects, Undecided: s.undecided, Stopped: s.stopping,
		Stats: Stats{
			Seconds: time.Since(s.began).Seconds(), Paths: s.runs, Events: s.tallies.events(), States: s.global.n,
			Phases: s.tallies.phases(), FaultsUsed: s.used,
		},
	}
	r.Stats.Sometimes = []Sometimes{}
	ended := 0 // walks
	for _, p := range []phase{walkPhase, faultyPhase} {
		ended += s.tallies[p].paths
	}
	for _, src := range sources {
		if t, ok := src.(*tree); ok {
			r.Stats.ExhaustedDepth, r.Stats.Complete = t.exhausted, t.complete
		}
	}
	switch {
	case s.finding != nil:
		r.Verdict = Violation
	case s.undecided > 0, s.stopping == StoppedStuck, r.Stats.ExhaustedDepth == 0 && ended == 0:
		r.Verdict = Inconclusive
	}
	r.Stats.NeverHappened = s.neverHappened()
	for i, p := range s.workers[0].loop.sometimes {
		r.Stats.Sometimes = append(r.Stats.Sometimes, Sometimes{p.Name, s.sometimes[i]})
	}
	return r
}

// neverHappened adds faults and Sometimes properties to what coverage knows.
func (s *searcher) neverHappened() []string {
	out := s.coverage.neverHappened()
	most := s.cfg.System.Limits()
	for _, f := range []struct {
		name      string
		most, had int
	}{
		{"crash", most.Crashes, s.used.Crashes}, {"connection error", most.NetErrors, s.used.NetErrors},
		{"loss", most.Loss, s.used.Loss}, {"duplication", most.Dup, s.used.Dup},
		{"partition", most.Partitions, s.used.Partitions},
	} {
		if f.most > 0 && f.had == 0 {
			out = append(out, "fault "+f.name)
		}
	}
	for i, p := range s.workers[0].loop.sometimes {
		if s.sometimes[i] == 0 {
			out = append(out, "sometimes "+p.Name)
		}
	}
	slices.Sort(out)
	return out
}
