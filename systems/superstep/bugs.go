package superstep

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint16

const (
	counted bugs = 1 << iota
	recent
	unsynced
	oldEpoch
	noIncarnation
	oldNumbers
	blind
	noSwap
	oldLog
	oldDone
	unverified
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	bug := func(id, summary, shows, fix, property string, l sim.Limits) spec.Bug {
		return spec.Bug{
			ID: id, Summary: summary, Shows: shows, Fix: fix, Kind: sim.Safety, PaperKind: sim.Safety, PaperProperty: property,
			Defaults: spec.Defaults{Limits: l},
		}
	}
	crash, dup := sim.Limits{sim.Crashes: 1}, sim.Limits{sim.Dup: 1}
	known := []spec.Bug{
		bug("SS1", "batches are counted, not identified", "a duplicate batch hides a missing one",
			"number them, and take each in order", "", dup),
		bug("SS2", "recently sent states are not sent again in a new epoch", "what was lost stays lost",
			"forget them when an epoch begins", CompleteIsAll, crash),
		bug("SS3", "a member is done before its accepted states are in a log", "the commit claims more than the logs hold",
			"wait for the store's answer", CommitIsLogged, sim.Limits{}),
		bug("SS4", "messages of an older epoch are taken", "numbers stand for other states, or a loss goes unnoticed",
			"compare epoch and superstep", "", crash),
		bug("SS5", "a restarted member continues in an epoch that began before its restart", "its numbers start again where others' continue",
			"compare incarnations", "", crash),
		bug("SS6", "numbers are not defined again in a new epoch", "a number is undefined",
			"forget the definitions when an epoch begins", "", crash),
		bug("SS7", "states are appended wherever the log ends", "a state is in a log twice",
			"append only at the expected position", Logged, sim.Limits{}),
		bug("SS8", "the commit is overwritten without comparison", "one of two leaders undoes what the other did, or waits forever",
			"compare and swap", "", sim.Limits{}),
		bug("SS9", "a member that gets a part back does not read its log again", "it misses what another wrote in between",
			"read it in each epoch", "", sim.Limits{}),
		bug("SS10", "a member that was done in an earlier superstep counts as done", "the superstep is committed before all have done their part",
			"compare supersteps", "", dup),
		bug("SS11", "completion is reported without checking the logs", "a log has lost acknowledged states",
			"compare their lengths with the commit", CompleteIsAll, sim.Limits{}),
	}
	known[4].Defaults.Weights = spec.Weights{Message: 64, Consequence: 64} // the consequences of a crash follow without a timer in between
	known[7].OtherKinds = []sim.FindingKind{sim.Deadlock, sim.Liveness}
	known[8].Kind, known[8].PaperKind = sim.Panic, sim.Panic
	known[8].OtherKinds = []sim.FindingKind{sim.Safety}
	known[10].Defaults.Params = map[string]string{"forgets": "1"}
	return known
}
