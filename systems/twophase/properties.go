package twophase

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	Atomicity = "no node commits while another aborts"
	Decided   = "the outcome is decided and nobody is in doubt"
	Commits   = "a transaction commits"
)

func properties() []sim.Property {
	return []sim.Property{
		{Name: Atomicity, Always: atomic, Explain: explain},
		{Name: Decided, Eventually: decided, Explain: explain},
		{Name: Commits, Sometimes: commits},
	}
}

func atomic(v *sim.View) bool {
	var seen [Aborted + 1]bool
	for id := range sim.NodeID(v.Len()) {
		switch s := v.Service(id).(type) {
		case *Coordinator:
			seen[s.Outcome] = true
		case *Participant:
			seen[s.Outcome] = true
		}
	}
	return !seen[Committed] || !seen[Aborted]
}

// decided reports whether the coordinator has an outcome, and all participants are up and not in doubt. A participant
// that has not voted need not learn the outcome. The state of halted nodes does not matter.
func decided(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		switch s := v.Service(id).(type) {
		case *Coordinator:
			if s.Outcome == Undecided {
				return false
			}
		case *Participant:
			if s.InDoubt {
				return false
			}
		default:
			if !v.Halted(id) {
				return false
			}
		}
	}
	return true
}

func commits(v *sim.View) bool {
	c, ok := v.Service(0).(*Coordinator)
	return ok && c.Outcome == Committed
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		text := "down"
		if v.Halted(id) {
			text = "halted"
		}
		switch s := v.Service(id).(type) {
		case *Coordinator:
			text = s.Outcome.String()
			if s.Voting {
				text = "voting"
			}
		case *Participant:
			text = s.Outcome.String()
			if s.InDoubt {
				text = "in doubt"
			}
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}
