package gossip_test

import (
	"maps"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/simtest"
	"github.com/macemc/macemc/systems/gossip"
	"github.com/macemc/macemc/systems/spec"
)

// boot returns node 0 of three, booted.
func boot(t *testing.T, c spec.Config) *simtest.Node[*gossip.Node] {
	t.Helper()
	e := gossip.Entry()
	sys, err := e.New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := simtest.New[*gossip.Node](t, sys, 0)
	h.Boot()
	return h
}

func params(kv ...string) spec.Config {
	c := spec.Config{Params: map[string]string{}}
	for i := 0; i < len(kv); i += 2 {
		c.Params[kv[i]] = kv[i+1]
	}
	return c
}

func news(incarnation int, updates ...gossip.Update) gossip.News {
	return gossip.News{Incarnation: incarnation, Updates: updates}
}

func ping(n gossip.News) gossip.Ping { return gossip.Ping{For: gossip.None, News: n} }
func ack(n gossip.News) gossip.Ack   { return gossip.Ack{For: gossip.None, News: n} }

// wantMember checks node 0's belief about another node.
func wantMember(t *testing.T, h *simtest.Node[*gossip.Node], id sim.NodeID, status gossip.Status, incarnation int) {
	t.Helper()
	if m := h.Service().Members[id]; m.Status != status || m.Incarnation != incarnation {
		t.Errorf("n%d is believed to be %v, want %v(%d)", id, m, status, incarnation)
	}
}

// The probe of node 1 has no answer, neither directly nor through node 2. Node 1 is suspected, learns of it in every
// period, and is dead at the end of the suspicion. Afterwards it is only pinged so that it may come back.
func TestSilentNodeDies(t *testing.T) {
	h := boot(t, params())
	h.Answer("whom to probe", 0, 1, 0, 0)
	h.Fire(gossip.PeriodTimer)
	h.WantSent(simtest.Datagram(1, ping(news(0))))
	h.Fire(gossip.AckTimer)
	h.WantSent(simtest.Datagram(2, gossip.PingReq{Target: 1, News: news(0)}))
	wantMember(t, h, 1, gossip.Alive, 0)

	suspect := gossip.Update{Node: 1, Status: gossip.Suspect}
	h.Fire(gossip.PeriodTimer)
	h.WantSent(
		simtest.Datagram(2, ping(news(0, suspect))),
		simtest.Datagram(1, ping(news(0, suspect))))
	wantMember(t, h, 1, gossip.Suspect, 0)
	h.Receive(2, ack(news(0)))
	if h.Armed(gossip.AckTimer) {
		t.Error("node 2 has answered, and the timer is armed")
	}
	// Periods are seconds. The third one since the suspicion would be later than its end.
	want := []simtest.Timer{
		{Value: gossip.SuspicionOf(1), After: 2500 * time.Millisecond},
		{Value: gossip.PeriodTimer, After: time.Second},
	}
	if got := h.Timers(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("timers %v, want %v", got, want)
	}
	h.Fire(gossip.PeriodTimer) // the suspect itself is probed
	h.WantSent(simtest.Datagram(1, ping(news(0, suspect))))
	h.Fire(gossip.SuspicionOf(1))
	wantMember(t, h, 1, gossip.Dead, 0)
	h.Fire(gossip.PeriodTimer)
	h.WantSent(simtest.Datagram(1, ping(news(0, gossip.Update{Node: 1, Status: gossip.Dead}))))
	if h.Armed(gossip.AckTimer) {
		t.Error("the answer of a dead node is waited for")
	}
	h.Receive(1, ack(news(1)))
	wantMember(t, h, 1, gossip.Alive, 1)
}

// Only a later incarnation ends a suspicion and its timer. With GS2 the timer continues.
func TestRefutationStopsTimer(t *testing.T) {
	for _, bug := range []string{"", "GS2"} {
		c := params()
		if bug != "" {
			c.Bugs = spec.BugSet{bug}
		}
		h := boot(t, c)
		h.Receive(2, ping(news(0, gossip.Update{Node: 1, Status: gossip.Suspect})))
		h.Receive(1, ping(news(0)))
		wantMember(t, h, 1, gossip.Suspect, 0)
		h.Receive(1, ping(news(1)))
		wantMember(t, h, 1, gossip.Alive, 1)
		if got, want := h.Armed(gossip.SuspicionOf(1)), bug == "GS2"; got != want {
			t.Errorf("bug %q: timer armed: %t", bug, got)
		}
	}
}

// An update about the node itself is refuted by the next incarnation, which is on disk before it is sent, and in which
// the node does not boot. With GS1 and GS4 this fails.
func TestRefutation(t *testing.T) {
	for _, tc := range []struct {
		bug             string
		refuted, booted int
		disk            string
	}{
		{"", 1, 2, "\x02"},
		{"GS1", 0, 1, "\x01"},
		{"GS4", 1, 1, "\x01"},
	} {
		c := params()
		if tc.bug != "" {
			c.Bugs = spec.BugSet{tc.bug}
		}
		h := boot(t, c)
		for range 2 { // the second time it is old
			h.Receive(1, ping(news(0, gossip.Update{Node: 0, Status: gossip.Suspect})))
			h.WantSent(simtest.Datagram(1, ack(news(tc.refuted))))
		}
		if want := map[string]string{"next incarnation": tc.disk}; !maps.Equal(h.Synced(), want) {
			t.Errorf("bug %q: on disk %q, want %q", tc.bug, h.Synced(), want)
		}
		h.Crash()
		h.Boot()
		if got := h.Service().Born; got != tc.booted {
			t.Errorf("bug %q: boots in incarnation %d, want %d", tc.bug, got, tc.booted)
		}
	}
	h := boot(t, params())
	h.Receive(1, ping(news(0, gossip.Update{Node: 0, Status: gossip.Dead, Incarnation: 3})))
	h.WantSent(simtest.Datagram(1, ack(news(4))))
}

// A node pings another for a third one and passes the answer on, without keeping state; with GS3 it does not. News
// received on the way is passed on to both.
func TestRelay(t *testing.T) {
	for _, bug := range []string{"", "GS3"} {
		c := params()
		if bug != "" {
			c.Bugs = spec.BugSet{bug}
		}
		h := boot(t, c)
		h.Receive(1, gossip.PingReq{Target: 2, News: news(7)})
		h.WantSent(simtest.Datagram(2, gossip.Ping{For: 1, News: news(0, gossip.Update{Node: 1, Incarnation: 7})}))
		h.Receive(2, gossip.Ack{For: 1, News: news(5)})
		if bug != "" {
			h.WantSent()
			continue
		}
		h.WantSent(simtest.Datagram(1, gossip.Relayed{Target: 2, Incarnation: 5,
			News: news(0, gossip.Update{Node: 2, Incarnation: 5})}))
	}
	h := boot(t, params())
	h.Answer("whom to probe", 0)
	h.Fire(gossip.PeriodTimer)
	h.Receive(2, gossip.Relayed{Target: 1, Incarnation: 0, News: news(0)})
	if n := h.Service(); n.Probed != gossip.None || h.Armed(gossip.AckTimer) {
		t.Errorf("the probe goes on: %+v", n)
	}
	h.Receive(2, gossip.Relayed{Target: 1, Incarnation: 3, News: news(0)})
	wantMember(t, h, 1, gossip.Alive, 3)
}

// A node that boots, or has a later incarnation, while it is probed is not suspected.
func TestProbeOfEarlierIncarnation(t *testing.T) {
	h := boot(t, params())
	h.Answer("whom to probe", 0, 1)
	h.Fire(gossip.PeriodTimer)
	h.Receive(2, ping(news(0, gossip.Update{Node: 1, Incarnation: 1})))
	if h.Service().Probed != gossip.None || h.Armed(gossip.AckTimer) {
		t.Errorf("the probe goes on: %+v", h.Service())
	}
	h.Fire(gossip.PeriodTimer)
	wantMember(t, h, 1, gossip.Alive, 1)
}

// A message carries a bounded number of updates, those sent least often first, and each is sent as often as specified:
// with five nodes three times.
func TestCarry(t *testing.T) {
	c := params("carry", "2")
	c.Nodes = 5
	h := boot(t, c)
	h.Receive(4, ack(news(0,
		gossip.Update{Node: 1, Incarnation: 1},
		gossip.Update{Node: 2, Incarnation: 2},
		gossip.Update{Node: 3, Incarnation: 3})))
	n1, n2, n3 := gossip.Update{Node: 1, Incarnation: 1}, gossip.Update{Node: 2, Incarnation: 2}, gossip.Update{Node: 3, Incarnation: 3}
	for _, want := range [][]gossip.Update{{n1, n2}, {n3, n1}, {n2, n3}, {n1, n2}, {n3}, {}} {
		h.Receive(4, ping(news(0)))
		h.WantSent(simtest.Datagram(4, ack(news(0, want...))))
	}
}

// If dead nodes do not come back, a node that learns of its death leaves, and so does one that boots again. It is then
// silent, and no timer is armed.
func TestOut(t *testing.T) {
	silent := func(h *simtest.Node[*gossip.Node]) {
		t.Helper()
		h.Sent()
		h.Receive(1, ping(news(0)))
		h.WantSent()
		if len(h.Timers()) > 0 || !h.Service().Out {
			t.Errorf("out %t, timers %v", h.Service().Out, h.Timers())
		}
	}
	h := boot(t, params("rejoin", "false"))
	h.Answer("whom to probe", 0)
	h.Fire(gossip.PeriodTimer)
	h.Receive(2, ping(news(0, gossip.Update{Node: 1, Status: gossip.Suspect})))
	h.Receive(2, ping(news(0, gossip.Update{Node: 0, Status: gossip.Dead})))
	silent(h)

	h = boot(t, params("rejoin", "false"))
	h.Crash()
	h.Boot()
	silent(h)
}
