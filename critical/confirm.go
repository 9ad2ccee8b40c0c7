package critical

import (
	"context"
	"errors"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Confirm returns a function for [search.Config.Confirm] that applies Find to suspects of liveness and deadlock;
// the path is the suspect's. Other suspects are accepted as violations. If checked code did not return in time, the
// suspect is undecided, and Instead is the new suspect. If the run, continued, ends with a finding, Instead is that
// violation. The Detail is a [*Result].
func Confirm(cfg Config) func(context.Context, search.Suspect) (search.Confirmed, error) {
	rescued := false // a suspect recovered although no walk did
	return func(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
		if s.Kind != sim.Liveness && s.Kind != sim.Deadlock {
			return search.Confirmed{Violation: true}, nil
		}
		c := cfg
		c.Path, c.searchFirst = s.Path, rescued
		res, err := Find(ctx, c)
		if ended := (*Ended)(nil); errors.As(err, &ended) {
			s.Finding, s.Path, s.Steps, s.Overdue = *ended.Finding, ended.Path, ended.Steps, ended.Overdue
			return search.Confirmed{Violation: !ended.Overdue, Instead: &s}, nil
		}
		if err != nil {
			return search.Confirmed{}, err
		}
		if res.onlySearchRecovers {
			rescued = true
		}
		if s.Proven && res.Case != Recovered {
			res.Proof, res.Unproven = Exact, ""
		}
		if cfg.RequireProof && res.Proof != Exact && res.Case != Recovered {
			return search.Confirmed{Detail: res}, nil
		}
		return search.Confirmed{Violation: res.Violation(), Refuted: res.Case == Recovered, Detail: res}, nil
	}
}

// Violation reports whether the run is confirmed to violate liveness. What becomes of a suspect in all cases:
//
//	Recovered                          refuted
//	Located, DeadFromStart, Unlocated  violation: runs recover before some step, or not even from the first one, and none after it
//	TooLateToTell (too near the end)   violation if no event is enabled at the end, or it is proven dead, else undecided
//	all but Recovered                  undecided if HardlyJudged: too few states could be judged, as nodes held locks
//	all but Recovered                  undecided without a proof, if [Config].RequireProof
//	no result at the deadline          undecided: fewer walks failed than newEffort demands (50 by default)
//
// An undecided suspect makes the search inconclusive, with exit status 3.
func (r *Result) Violation() bool {
	return !r.HardlyJudged && (r.Case == Located || r.Case == DeadFromStart || r.Case == Unlocated ||
		r.Case == TooLateToTell && (r.OutOfEvents || r.Proof == Exact))
}
