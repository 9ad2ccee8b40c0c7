package oracle

// Defect is a defect planted into the oracle, so that it disagrees with the engines. [Compare] must notice it, as
// it would notice the opposite defect in an engine.
type Defect string

// The defects.
const (
	Sound Defect = "" // none

	loseAlways          Defect = "datagrams are lost beyond the limit"
	mergeUnsynced       Defect = "states that differ in which writes are synced are one"
	dropErrors          Defect = "connection errors are not delivered"
	ignoreWeights       Defect = "answers of weight 0 count for recovery"
	forgetMonitors      Defect = "states that differ in monitors are one"
	forgetDeadlines     Defect = "states that differ in deadlines are one"
	ignoreDeadlines     Defect = "timers fire before their deadlines"
	ignorePrompt        Defect = "timers fire while messages are in flight"
	ignoreSteps         Defect = "timers fire while nodes are to take steps"
	forgetCounters      Defect = "states that differ in how often actions were done are one"
	forgetLimits        Defect = "states that differ in faults left are one"
	neverHeal           Defect = "partitions do not end"
	leakCut             Defect = "datagrams pass cut links"
	keepForDown         Defect = "datagrams wait for nodes that are down"
	tellCopiesApart     Defect = "equal datagrams are events of their own"
	keepPeerQueue       Defect = "a crash loses nothing of the peers' queues"
	overtakeErrors      Defect = "messages overtake connection errors"
	forgetReady         Defect = "ready call-backs are not made"
	crashSturdy         Defect = "nodes crash that may not"
	haltLasting         Defect = "nodes halt that may not"
	neverHaltInside     Defect = "nodes do not halt inside steps"
	insideAnyway        Defect = "nodes fail inside steps when they may fail only between steps"
	loseNone            Defect = "nodes that fail inside a step lose none of its datagrams but the last ones"
	comeBack            Defect = "nodes that have halted boot"
	keepForHalted       Defect = "what is on its way to a node that halts stays"
	keepDisk            Defect = "nodes that have halted differ in their disks"
	bootLate            Defect = "late nodes are up at first"
	neverInside         Defect = "nodes do not crash inside steps"
	allOrNothing        Defect = "a crash loses all unsynced writes or none"
	loseUnsynced        Defect = "a crash loses all unsynced writes"
	recoverByFaults     Defect = "faults count for recovery"
	recoverByCrashes    Defect = "crashes inside steps count for recovery"
	recoverByDisturbing Defect = "actions that disturb count for recovery"
	recoverByKind       Defect = "events of kinds that disturb count for recovery"
	recoverByType       Defect = "events that disturb by what they hand over count for recovery"
	anyType             Defect = "events disturb that hand over something else, too"
	firstAnswer         Defect = "questions have one answer"
	firstBoot           Defect = "questions of the first boots have one answer"
	ignoreSafety        Defect = "properties are not looked at in the first states"
	arriveAtOnce        Defect = "what is sent arrives at once where it should leave one by one"
	outgrowBound        Defect = "queues outgrow their bound"
	overtakeInQueue     Defect = "messages of a sender overtake each other in queues"
	bySender            Defect = "queues by arrival are in order for each sender only"
	keepQueues          Defect = "a crash leaves queues unchanged"
	actWhileSending     Defect = "nodes do other things before all that they sent has left"
	mergeOrders         Defect = "states that differ in the order of a queue are one"
	neverStep           Defect = "nodes take no steps of their own"
	stepAlways          Defect = "nodes take steps of their own when they are not ready"
	deliverVotes        Defect = "what quorums take is delivered, too"
	unfitVotes          Defect = "quorums take messages that do not fit"
	mixVotes            Defect = "quorums take messages of different keys"
	voteTwice           Defect = "quorums take two messages of a sender"
	ignoreGuards        Defect = "quorums have no guards"
	leaveVotes          Defect = "of a set that is taken only the first message leaves"
	forgetNever         Defect = "states that differ in promises of quorums are one"
	mateSurvives        Defect = "the other nodes of a process survive its crash"
	mateSurvivesHalt    Defect = "the other nodes of a process survive its halt"
	mateComesBack       Defect = "nodes boot that were down when their process halted"
	countEach           Defect = "a crash counts for each node of its process"
	crashEach           Defect = "each node of a process has a crash of its own"
	mateKeeps           Defect = "the other nodes of a process lose no unsynced writes"
	outgrowMost         Defect = "messages of a type outgrow their bound"
	mostOfSender        Defect = "messages of a type are bounded for each sender by itself"
	askAgain            Defect = "what was decided about times is asked again"
	ignoreStepBad       Defect = "assertions, panics and monitors find nothing"
)

// Defects returns all defects.
func Defects() []Defect {
	return []Defect{
		loseAlways, mergeUnsynced, dropErrors, ignoreWeights, forgetMonitors, forgetDeadlines, ignoreDeadlines, ignorePrompt, ignoreSteps,
		forgetCounters, forgetLimits, neverHeal, leakCut, keepForDown, tellCopiesApart, keepPeerQueue, overtakeErrors,
		forgetReady, crashSturdy, bootLate, neverInside, haltLasting, neverHaltInside, insideAnyway, loseNone, comeBack, keepForHalted,
		keepDisk, allOrNothing, loseUnsynced, recoverByFaults, recoverByCrashes, recoverByDisturbing, recoverByKind, recoverByType, anyType,
		firstAnswer, firstBoot, ignoreSafety, ignoreStepBad, askAgain,
		arriveAtOnce, outgrowBound, overtakeInQueue, bySender, keepQueues, actWhileSending, mergeOrders, neverStep, stepAlways,
		mateSurvives, mateSurvivesHalt, mateComesBack, countEach, crashEach, mateKeeps, outgrowMost, mostOfSender,
		deliverVotes, unfitVotes, mixVotes, voteTwice, ignoreGuards, leaveVotes, forgetNever,
	}
}
