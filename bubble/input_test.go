package bubble

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

// A reset removes its connection's messages from the backlog. Otherwise a program that keeps dialling would wait for dials that it has
// given up.
func TestReset_DoesNotWait(t *testing.T) {
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

// Messages of known protocols are decoded. Long ones have a hash, which distinguishes what the decoder leaves out.
func TestMessage_String(t *testing.T) {
	get := func(host string) string { return "GET /k HTTP/1.1\r\nHost: " + host + "\r\n\r\n" }
	for _, c := range []struct{ data, want string }{
		{"", "data c1.0.2 back"},
		{"*1\r\n$4\r\nPING\r\n", "data c1.0.2 back PING"},
		{"PING\r\n", `data c1.0.2 back "PING\r\n"`},
		{get("n0"), "data c1.0.2 back GET /k 29 bytes #14d89fd0267684cd"},
		{get("n1"), "data c1.0.2 back GET /k 29 bytes #f945ebb02386184b"},
		{strings.Repeat("a", 25), `data c1.0.2 back "aaaaaaaaaaaaaaaaaaaaaaaa".. 25 bytes #11a98dddcdefc0c8`},
	} {
		if got := (Message{Kind: Data, Conn: ConnID{1, 0, 2}, Back: true, Data: c.data}).String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
