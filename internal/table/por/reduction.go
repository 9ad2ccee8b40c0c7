package por

import (
	"strings"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

// What is reduced is decided in this order:
//
//  1. Irreducible lists the features of a system with which nothing is reduced, and unlogged adds stored searches.
//  2. reducible decides by the options: nothing, only dead messages (ReduceDrop), or events that commute, too (ReduceFull).
//  3. [New] adds symmetry (Permuter), unless 1 refuses it, too, or package symmetry does.
//  4. ReduceAuto tries ReduceFull with half of the limits, see [ReducedGraph.Trial]. If that takes too long, the next exploration
//     uses ReduceDrop.
//  5. [ReducedGraph.Again] explores once more if an assumption was refuted, and disables the reduction after mostRounds explorations.

// Reduced is the summary of a reduction.
type Reduced struct {
	Used   options.Reduction `json:"used"`
	Why    string            `json:"why,omitempty"`    // why it is weaker than the one asked for, or ""
	Rounds int               `json:"rounds,omitempty"` // number of explorations; each drops the assumptions that earlier ones refuted
	Passed int               `json:"passed,omitempty"` // intermediate states of chains: checked, not stored
	Chains int               `json:"chains,omitempty"` // edges of several steps
	Single int               `json:"single,omitempty"` // stored states whose ample set is one event
	Dead   int               `json:"dead,omitempty"`   // local states with a dropped datagram

	Permutations int    `json:"permutations,omitempty"` // permutations of nodes by which states were merged; 0: none
	Asymmetry    string `json:"asymmetry,omitempty"`    // why requested symmetry was not used
}

// RulesOf returns the rules of a reduction.
func RulesOf(used options.Reduction) options.Rules {
	return options.Rules{DeadMessages: used == options.ReduceDrop || used == options.ReduceFull,
		SingletonAmple: used == options.ReduceFull, Chains: used == options.ReduceFull}
}

// NotReduced ends the reason why nothing is reduced.
const NotReduced = ": not reduced"

// tooLongToTell is the reason for the weaker reduction after a trial exploration.
const tooLongToTell = "the time did not suffice to find which events commute: only dead messages are dropped"

// unlogged returns the reason why a graph is not reduced, such as the log of a stored search, or an empty string.
func unlogged(g *statespace.Graph, opts *options.Options) string {
	if opts.Log != nil {
		return "a stored search is not reduced"
	}
	return Irreducible(g.World.Engine)
}

// reducible returns the reduction that can be made of the one asked for, and why it is weaker.
func reducible(g *statespace.Graph, opts *options.Options) (summary Reduced) {
	summary.Used = options.ReduceNone
	switch opts.Reduce {
	case options.ReduceNone, "":
		return summary
	case options.ReduceAuto:
		if opts.MaxDepth > 0 {
			summary.Why = "with a bound on depth nothing is reduced unless requested"
			return summary
		}
	}
	if summary.Why = unlogged(g, opts); summary.Why != "" {
		return summary
	}
	if summary.Used = opts.Reduce; summary.Used == options.ReduceAuto {
		summary.Used = options.ReduceFull
	}
	if summary.Used == options.ReduceFull {
		var why []string
		if opts.MaxDepth > 0 {
			why = append(why, "with a bound on depth only dead messages are dropped")
		}
		if opts.Known != nil {
			why = append(why, "states behind a violation are not visited, so only dead messages are dropped")
		}
		if summary.Why = strings.Join(why, "; "); summary.Why != "" {
			summary.Used = options.ReduceDrop
		}
	}
	if opts.TrialGaveUp { // opts.Reduce is ReduceDrop then
		summary.Why = tooLongToTell
	}
	return summary
}

// reducibleFaults are the faults of networks under which a reduction is sound: the effect of Loss and Dup on a datagram is independent of
// other datagrams. NetErrors occur only with streams, which Irreducible reports.
var reducibleFaults = [sim.FaultCount]bool{sim.Loss: true, sim.Dup: true, sim.NetErrors: true}

// Irreducible lists the features of a system that prevent a reduction.
func Irreducible(e *steptree.Engine) string {
	var why []string
	add := func(is bool, what string) {
		if is {
			why = append(why, what)
		}
	}
	ordered, _ := e.Net.(interface{ Ordered() bool })
	add(e.Layout.PairCount > 0, "streams")
	add(ordered != nil && ordered.Ordered(), "queues")
	add(e.Sys.Timing == sim.Prompt, "timing Prompt")
	for f, limit := range e.Sys.Limits() {
		f := sim.Fault(f)
		add(limit > 0 && f.Event().OfNetwork() && !reducibleFaults[f], f.String())
	}
	add(e.Failures.Groups != nil, "containers")
	add(e.Boots.Early != 1<<e.Nodes-1, "nodes that start late")
	add(len(e.Sys.Obligations()) > 0, "fair infinite runs are judged")
	if len(why) == 0 {
		return ""
	}
	return strings.Join(why, ", ") + NotReduced
}
