package chain

import (
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

type (
	// Ask is a command for the head.
	Ask struct{ Command smr.Request }
	// Forward passes the command of a number, from 1 on, down the chain.
	Forward struct {
		From    machine.ID
		Seq     int
		Command smr.Request
	}
	// Ack goes up the chain: the tail has executed all commands up to a number.
	Ack struct{ Seq int }
	// Done is the tail's answer to the front.
	Done struct {
		Client   machine.ID
		Response smr.Response
	}

	Down       struct{ Node machine.ID } // to the front: the last that a replica does
	BecomeHead struct{}
	// BecomeTail has the new tail answer what it has not, and what it has from a commit on, if that is not 0.
	BecomeTail struct{ From int }
	NewPred    struct{ Pred machine.ID }
	// SuccInfo says to a predecessor how long a history is, and how far it was acknowledged.
	SuccInfo struct {
		Node, Pred  machine.ID
		Last, Acked int
	}
	NewSucc struct {
		Succ        machine.ID
		Last, Acked int
	}
	Gone struct{ Node machine.ID } // to the front, of one that others have lost
)
