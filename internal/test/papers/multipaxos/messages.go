package multipaxos

import (
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

type (
	// Ask is a command for the leader.
	Ask struct{ Command smr.Request }
	// Done is the leader's answer to the front.
	Done struct {
		Client   machine.ID
		Response smr.Response
	}
	// Leads tells the front of a leader.
	Leads struct {
		Node   machine.ID
		Ballot int
	}
	// Lead has a replica become the leader.
	Lead struct{ Ballot int }

	Prepare struct {
		From   machine.ID
		Ballot int
	}
	// Promise says what a replica has accepted, by slot.
	Promise struct {
		From   machine.ID
		Ballot int
		Log    []Slot
	}
	Accept struct {
		From         machine.ID
		Ballot, Slot int
		Command      smr.Request
	}
	Accepted struct {
		From         machine.ID
		Ballot, Slot int
	}
	// Learn says what was chosen.
	Learn struct {
		Slot    int
		Command smr.Request
	}
)

// Slot is what was accepted for a slot; Ballot 0: nothing.
type Slot struct {
	Ballot  int
	Command smr.Request
}
