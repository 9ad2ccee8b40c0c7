// Package critical finds the critical transition of a dead run: the step after which no live state
// can be reached any more (MaceMC, NSDI 2007, section 3.3, with its algorithm 2 corrected).
package critical

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/search"
)

// Case says how the search for the critical transition ended.
type Case string

const (
	C1        Case = "C1"         // found: before it runs recover, after it none did
	C2        Case = "C2"         // lies too late in the run to tell, after the last raise of the walk limit
	C2Initial Case = "C2-initial" // dead from the first indeterminate step on: the cause is in the prefix
	Unlocated Case = "unlocated"  // the time did not do to find it, but to see that no walk recovers from After.Step on
	Recovered Case = "recovered"  // the end of the run recovers: it was not dead
)

// Probe is what the walks from one step did.
type Probe struct {
	Step      int `json:"step"` // walks start after this step; 0: the first state
	Walks     int `json:"walks"`
	Recovered int `json:"recovered"`
	Limit     int `json:"limit"` // length of the walks in steps
}

// Result names the critical transition.
type Result struct {
	Case Case `json:"case"`
	Step int  `json:"step"` // number of the critical step, counted from 1; 0 when unknown
	// Choice is the index, within the step's choices after its event, of the critical choice; -1: the
	// event itself, the step drew nothing, or the time did not do to tell.
	Choice int     `json:"choice"`
	Probes []Probe `json:"probes"` // in the order in which they were made
	// Before and After are the probes on both sides of the critical step (C1). After is also that which shows that the run is dead
	// (Unlocated).
	Before, After Probe
	// Live is, of the live runs that were met, that with the longest common prefix with the dead run,
	// and the shortest of those; nil when none was met. One that ends with the violation of an Always property stands behind all others.
	Live       choose.Path
	LiveCommon int // steps that both runs share
	// Dead is the path of the dead run, ending with the walk that did not recover.
	Dead  choose.Path
	Steps int // of Dead
	// Bound is the step since which the run is dead, at the latest: the critical one, or the first from which no walk recovers. It is
	// the last step when no earlier one is known.
	Bound       int
	OutOfEvents bool // nothing of the recovery relation can happen at its end
	// Proof says how it is known that the run is dead; "" when it recovers. With Exact, all States that follow step
	// ProvenAt are known (States is 0 when that was found out before); else Unproven says why it was not proven.
	Proof    Proof
	States   int
	ProvenAt int
	Unproven string
	Unjudged bool // hardly any state showed whether it is live, so nothing is decided
	// Failing is, with Exact, the finding of a step that follows and fails, which no recovery takes; "": there is none.
	Failing string
	Tail    Tail
	rescued bool // it recovers, though walks did not
	// Engine tells how walks were executed; it differs from time to time.
	Engine search.EngineStats `json:"-"`
}

// Tail summarises the steps of the dead run after the critical transition.
type Tail struct {
	From, To int      `json:"-"`
	Repeats  []Repeat `json:"repeats"` // what goes on for ever, most frequent first
}

// Repeat is one kind of step that goes on in a dead tail.
type Repeat struct {
	// Event is for people: "n0 timer resend". A number that takes many values is a star, so that rounds
	// and packet numbers do not make every step another kind.
	Event   string `json:"event"`
	Count   int    `json:"count"`
	Changes int    `json:"changes"` // how many of them changed the node's state
}
