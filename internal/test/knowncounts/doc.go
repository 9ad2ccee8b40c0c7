// Package published holds systems whose numbers of states other people counted with other checkers and published, so
// that ours can be held against theirs. Each says where the model and its number are from.
package knowncounts

import "github.com/macemc/macemc/sim"

// System is a model with what was published of it.
type System struct {
	Name   string
	Source string // the module or program, and where its count stands
	sim.System
	States      int // distinct states, as published, or as explained in Differs
	Transitions int // 0: none were published
	Depth       int // steps to the nearest violation; 0: there is none
	// Differs says why the count is not the published one; "": it is.
	Differs string
}

// examples names the repository of most models.
const examples = "github.com/tlaplus/examples, specifications/"

// All lists the systems.
func All() []System {
	return []System{
		dieHard(), tCommit(), twoPhase(3), twoPhase(5), peterson(), ewd840(), ewd426(), coffeeCan(), simpleAllocator(),
		syncTermination(), alternatingBit(), changRoberts(), barrier(), gameOfLife(), prisoners(), singleSwitch(), cat(),
		singleCopyRegister(), linearizableRegister(), paxos(),
	}
}
