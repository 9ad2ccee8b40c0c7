package critical

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
)

// Case is the outcome of the search for the critical transition, as its label in reports. See [Result.Violation].
type Case string

// C1 and C2 number the cases of a located transition and of one too close to the end of the run.
const (
	Located       Case = "C1"         // found: runs recover before it, and none did after it
	TooLateToTell Case = "C2"         // lies too late in the run to tell, even with the longest walks
	DeadFromStart Case = "C2-initial" // no walk recovers from the first state
	Unlocated     Case = "unlocated"  // no time to find it, but no walk recovers from After.Step on
	Recovered     Case = "recovered"  // the end of the run recovers, so the run is not dead
)

// Probe is a set of walks from one step.
type Probe struct {
	Step      int `json:"step"` // walks start after this step; 0 for the first state
	Walks     int `json:"walks"`
	Recovered int `json:"recovered"`
	Limit     int `json:"limit"` // length of the walks in steps
}

// Transition is the part of a [Result] that reports contain.
type Transition struct {
	Case Case `json:"case"`
	Step int  `json:"step"` // number of the critical step, from 1; 0 if unknown
	// Bound is an upper bound of the step after which the run is dead: the critical one, the first from which no
	// walk recovers, or the last step.
	Bound int `json:"bound"`
	// Proof is the kind of evidence that the run is dead; empty if it recovers. With Exact, all States successors of
	// step ProvenAt were visited (States is 0 if an earlier search proved it). Otherwise Unproven is the reason for
	// the missing proof.
	Proof    Proof  `json:"proof"`
	States   int    `json:"states,omitempty"`
	ProvenAt int    `json:"proven_at,omitempty"`
	Unproven string `json:"unproven,omitempty"`
	// Failing is, with Exact, the finding of a failing successor step, which no recovery takes, or "".
	Failing string  `json:"failing,omitempty"`
	Probes  []Probe `json:"probes"` // in order of execution
	// Before and After are the probes on both sides of the critical step ([Located]). For [Unlocated], After is the probe
	// with the evidence that the run is dead.
	Before Probe `json:"before"`
	After  Probe `json:"after"`
	// Unbound is a probe like After whose walks have unbounded delays, of a run whose delays are bounded. Without walks,
	// they were not bounded, or there was no time.
	Unbound     Probe `json:"unbound,omitzero"`
	LiveCommon  int   `json:"live_common"` // steps that dead and live run share
	Tail        Tail  `json:"tail"`
	OutOfEvents bool  `json:"out_of_events"` // no event of the recovery relation is enabled at the end of the dead run
}

// Result is the result of Find.
type Result struct {
	Transition
	// Choice is the index of the critical choice within the step, after its event. -1 means the event itself, a
	// step without choices, or that the time did not suffice.
	Choice int
	// Live is the live run with the longest common prefix with the dead run, and the shortest of those; nil if none
	// was found. A run that ends with a violated Always property is used only if no other was found.
	Live choose.Path
	// Dead is the path of the dead run, including the final walk that did not recover.
	Dead               choose.Path
	Steps              int  // of Dead
	HardlyJudged       bool // hardly any state showed whether it is live, as its nodes held the locks that their properties need
	onlySearchRecovers bool // it recovers, although no walk did
	// Engine counts the steps of walks by engine. The counts are not deterministic.
	Engine runloop.Counts
}

// Tail summarizes the steps of the dead run after the critical transition.
type Tail struct {
	From, To int      `json:"-"`
	Repeats  []Repeat `json:"repeats"` // repeating steps, the most frequent first
}

// Repeat is one kind of step that repeats in a dead tail.
type Repeat struct {
	// Event describes the step: "n0 timer resend". A number with many values is replaced by a star, so that rounds
	// and packet numbers do not make every step a kind of its own.
	Event   string `json:"event"`
	Count   int    `json:"count"`
	Changes int    `json:"changes"` // how many of them changed the node's state
}
