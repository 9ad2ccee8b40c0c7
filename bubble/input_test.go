package bubble

import (
	"testing"

	"github.com/macemc/macemc/sim"
)

// A reset removes its connection's messages from the backlog. Otherwise a program that keeps dialling would wait for dials that it has
// given up.
func TestResetWaitsForNothing(t *testing.T) {
	n := &node{host: newHost(boot{nodes: 2}), backlog: make([][]Message, 2)}
	full := func(sim.NodeID, Message) bool { return false }
	ask := func(kind Kind, number int) {
		n.stream(&effect{kind: streamEffect, peer: 1, msg: Message{Kind: kind, Conn: ConnID{Number: number}}}, full)
	}
	ask(Data, 1)
	for number := 2; number < 5; number++ {
		ask(Dial, number)
		ask(Reset, number)
	}
	if left := n.backlog[1]; len(left) != 1 || !n.host.full[1] {
		t.Errorf("%v wait, full %v; want the data of the first connection", left, n.host.full[1])
	}
	ask(Reset, 1)
	if left := n.backlog[1]; len(left) != 1 || left[0].Kind != Reset {
		t.Errorf("%v wait, want the reset of the first connection, which was dialled before", left)
	}
}
