package superstep

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is the set of defects that are switched on, by their order in knownBugs.
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
		bug("SS1", "batches are counted, and not told apart", "a batch that came twice hides one that is missing",
			"number them, and take each in its turn", "", dup),
		bug("SS2", "what was sent lately is not sent again in a new epoch", "what was lost stays lost",
			"forget it when an epoch begins", CompleteIsAll, crash),
		bug("SS3", "a member is done before what it accepted is in a log", "the commit says more than the logs hold",
			"wait for the store's answer", CommitIsLogged, sim.Limits{}),
		bug("SS4", "messages of an older epoch are taken", "numbers stand for other states, or what is missing is not missed",
			"compare epoch and superstep", "", crash),
		bug("SS5", "a member that has restarted goes on in an epoch that began before it did", "its numbers begin anew where others' go on",
			"compare incarnations", "", crash),
		bug("SS6", "what numbers stand for is not said again in a new epoch", "a number was not defined",
			"forget what was said when an epoch begins", "", crash),
		bug("SS7", "the end of a log is written to wherever it is", "a state is in a log twice",
			"write to the place that is meant, or not at all", Logged, sim.Limits{}),
		bug("SS8", "the commit is overwritten, and not swapped", "of two leaders one undoes what the other did, or waits forever",
			"compare and swap", "", sim.Limits{}),
		bug("SS9", "a member that is given a part back does not read its log again", "what another wrote in between is not there",
			"read it in each epoch", "", sim.Limits{}),
		bug("SS10", "a member that was done in an earlier superstep is taken to be done", "the superstep is committed before all have done their part",
			"compare supersteps", "", dup),
		bug("SS11", "complete is said without a look at the logs", "a log has lost what was acknowledged",
			"compare their lengths with the commit", CompleteIsAll, sim.Limits{}),
	}
	known[4].Defaults.Weights = spec.Weights{Message: 64, Consequence: 64} // what it takes follows the crash without a timer in between
	known[7].OtherKinds = []sim.FindingKind{sim.Deadlock, sim.Liveness}
	known[8].Kind, known[8].PaperKind = sim.Panic, sim.Panic
	known[8].OtherKinds = []sim.FindingKind{sim.Safety}
	known[10].Defaults.Params = map[string]string{"forgets": "1"}
	return known
}
