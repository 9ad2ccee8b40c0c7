package critical

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/macemc/macemc/internal/table"
)

// When the critical transition is not located, walks are made longer and all steps are probed again.
const (
	maxLengthenings = 2 // how often
	lengthenFactor  = 4 // by this factor; a probe then makes fewer walks, so that it executes about as many steps
	minWalks        = 8 // a probe makes no fewer walks, unless it was asked for fewer
)

// finder holds the evidence about one dead run.
type finder struct {
	cfg    *Config
	prober *prober
	dead   deadRun
	effort

	probes         probes
	after          Probe       // the probe of the step that verifyDead examined
	liveShared     int         // the last step that the run shares with the known live run, or -1
	lastRecovering int         // the last step known to recover, or -1
	enoughFailed   atomic.Bool // enough walks failed to recover to call the run dead
	notifying      sync.Mutex  // held while Progress is called
	critical       int         // the critical step, or 0
	nearestLive    nearestLive // the live run that shares most steps with the dead one
	equals         equals
	searches       searches
}

// effort is the number and the length of walks.
type effort struct {
	limit   int  // length of walks
	walks   int  // per probe
	enough  int  // number of walks of a probe that suffices to call the run dead, see resultAtDeadline
	reduced bool // see reduceTo
}

// probe makes walks from the state after a step, all or until one is live.
func (f *finder) probe(ctx context.Context, step int, all bool) (Probe, error) {
	if p, ok := f.probes.find(step, f.limit); ok {
		return p, nil
	}
	f.lastRecovering = f.lastRecoveringStep()
	p, err := f.prober.probe(ctx, f, f.dead.prefix(step), step, all)
	if err != nil {
		f.probes.interrupted = p.Probe
		return Probe{}, err
	}
	f.probes.add(p)
	f.enoughFailed.Store(f.mostFailed().Walks >= f.enough)
	return p.Probe, nil
}

// searches holds the results of exhaustive searches.
type searches struct {
	byStep        map[int]*table.Recovery
	unproven      string // why the run is not proven dead
	tooManyStates bool   // too many successors to search
	visited       int    // number of states in all searches
}

// searched reports whether the successors of a step were searched, and none of them is live.
func (s *searches) searched(step int) bool {
	r := s.byStep[step]
	return r != nil && r.Live == nil && exhausted(r)
}

// proven reports whether it is certain that the run is dead after a step.
func (s *searches) proven(step int) bool {
	r := s.byStep[step]
	return r != nil && r.Dead()
}
