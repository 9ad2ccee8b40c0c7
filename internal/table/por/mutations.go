package por

import "github.com/macemc/macemc/internal/table/options"

// The conditions of the reductions, by the effect of leaving one out. Only tests set [options.Rules].Mutation to one of them: they
// check that each condition is needed. Otherwise Mutation is empty.
const (
	NoVisibility     options.Mutation = "visibility is not checked"
	NoRecheck        options.Mutation = "nothing is decided again"
	NoFixpoint       options.Mutation = "claims are decided again only once"
	NoLoss           options.Mutation = "messages that may be lost are alone"
	NoCrashes        options.Mutation = "nodes that may crash are alone"
	NoHalts          options.Mutation = "nodes that may halt are alone"
	NoReceivers      options.Mutation = "receivers may be down"
	NoCommuting      options.Mutation = "the order of events may matter"
	NoClosure        options.Mutation = "only the current local state is checked"
	NoProviso        options.Mutation = "fully expanded states need not be reached"
	NoDeliveries     options.Mutation = "deliveries of dropped datagrams are not known"
	NoSets           options.Mutation = "only known sets are considered"
	NoLeftovers      options.Mutation = "messages that a set leaves may matter"
	NoMonitors       options.Mutation = "monitors are ignored"
	NoRivals         options.Mutation = "overlapping sets may have different effects"
	NoRestart        options.Mutation = "dropped datagrams may matter after a crash"
	NoQuorumContract options.Mutation = "quorums may break their contract in states that are left out"

	NoSurvivors  options.Mutation = "synced writes may be lost"
	NoQuietBoot  options.Mutation = "nodes may send when they boot"
	NoBad        options.Mutation = "properties may be violated after a crash only"
	NoReads      options.Mutation = "properties may read messages in flight"
	NoLikeness   options.Mutation = "steps may differ after a crash"
	NoSecond     options.Mutation = "nodes crash once"
	NoCrashCuts  options.Mutation = "nodes crash between steps only"
	NoOthersDown options.Mutation = "one node crashes"
	NoSameNews   options.Mutation = "announcements may differ after a crash"

	NoSameStart   options.Mutation = "initial states may differ"
	NoSameEvents  options.Mutation = "enabled events may differ"
	NoSameSteps   options.Mutation = "steps may differ"
	NoSameCrashes options.Mutation = "crashes may differ"
	NoSameCuts    options.Mutation = "crashes inside steps may differ"
	NoSameSets    options.Mutation = "quorums may take other sets"
	NoSameHearing options.Mutation = "monitors may depend on the announcing node"
	NoSameView    options.Mutation = "properties may distinguish nodes"
	NoSameClaims  options.Mutation = "claims need not hold for other nodes"
	NoHidden      options.Mutation = "hidden state may differ"
	NoSameCover   options.Mutation = "coverage ignores permuted nodes"
)
