package chain

import (
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

type (
	// Ask is a command for the head.
	Ask struct{ Command smr.Request }
	// Forward passes a numbered command, from 1 on, down the chain.
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

	Down       struct{ Node machine.ID } // to the front: the last message of a replica
	BecomeHead struct{}
	// BecomeTail makes a replica the tail. It answers what is unanswered, and repeats the answers from a commit on,
	// if From is not 0.
	BecomeTail struct{ From int }
	NewPred    struct{ Pred machine.ID }
	// SuccInfo reports to a predecessor the length of a history, and the acknowledged part.
	SuccInfo struct {
		Node, Pred  machine.ID
		Last, Acked int
	}
	NewSucc struct {
		Succ        machine.ID
		Last, Acked int
	}
	Gone struct{ Node machine.ID } // to the front, about a replica lost by others
)
