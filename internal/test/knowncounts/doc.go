// Package knowncounts has systems with numbers of states that others published for other checkers, for comparison
// with ours. Each names the source of its model and number.
package knowncounts

import "github.com/macemc/macemc/sim"

// System is a model with its published counts.
type System struct {
	Name   string
	Source string // module or program, and the place of its count
	sim.System
	States      int // distinct states, as published, or as explained in Differs
	Transitions int // 0 if not published
	Depth       int // steps to the nearest violation; 0 for none
	// Differs explains a count other than the published one, or is "".
	Differs string
}

// examples is the repository of most models.
const examples = "github.com/tlaplus/examples, specifications/"

// All lists the systems.
func All() []System {
	return []System{
		dieHard(), tCommit(), twoPhase(3), twoPhase(5), peterson(), ewd840(), ewd426(), coffeeCan(), simpleAllocator(),
		syncTermination(), alternatingBit(), changRoberts(), barrier(), gameOfLife(), prisoners(), singleSwitch(), cat(),
		singleCopyRegister(), linearizableRegister(), paxos(),
	}
}
