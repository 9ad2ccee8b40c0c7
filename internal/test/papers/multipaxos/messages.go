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
	// Leads reports a leader to the front.
	Leads struct {
		Node   machine.ID
		Ballot int
	}
	// Lead makes a replica the leader.
	Lead struct{ Ballot int }

	Prepare struct {
		From   machine.ID
		Ballot int
	}
	// Promise has the accepted commands of a replica, by slot.
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
	// Learn reports a chosen command.
	Learn struct {
		Slot    int
		Command smr.Request
	}
)

// Slot is the accepted command of a slot; Ballot 0 means none.
type Slot struct {
	Ballot  int
	Command smr.Request
}
