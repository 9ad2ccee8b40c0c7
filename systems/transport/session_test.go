package transport

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// teller sends numbers to the other node and counts those it receives, from 1 in each connection. It checks the
// contract of a carrier: the other side has received everything sent in a connection, or both sides are notified that
// it failed.
type teller struct {
	carrier     Carrier
	sent, heard int // in this connection
	disorder    bool
	again       bool // there is room again
	unchecked   bool // a defect: it never checks
}

type told struct{ Number int }

func (n *teller) Boot(env sim.Env) {
	n.carrier.Boot(env)
	env.SetTimer(checkTimer{}, 1)
}

func (n *teller) Receive(env sim.Env, from sim.NodeID, msg any) {
	if !n.carrier.Receive(env, from, msg) {
		n.Deliver(env, from, msg)
	}
}

func (n *teller) Timer(env sim.Env, t any) {
	if !n.carrier.Timer(env, t) {
		if !n.unchecked {
			n.carrier.Check(env, 1-env.Self())
		}
		env.SetTimer(checkTimer{}, 1)
	}
}

type checkTimer struct{}

func (n *teller) PeerError(env sim.Env, peer sim.NodeID, err error) { n.Failed(env, peer, err) }
func (n *teller) PeerReady(env sim.Env, peer sim.NodeID)            { n.ClearToSend(env, peer) }

func (n *teller) Deliver(_ sim.Env, _ sim.NodeID, msg any) {
	n.disorder = n.disorder || msg != told{n.heard + 1}
	n.heard++
}

func (n *teller) Failed(sim.Env, sim.NodeID, error) { n.sent, n.heard = 0, 0 }

func (n *teller) ClearToSend(sim.Env, sim.NodeID) { n.again = true }

func (n *teller) tell(env sim.Env) {
	if n.carrier.To(env, 1-env.Self()).Send(told{n.sent + 1}) == nil {
		n.sent++
	}
}

func tellers(network sim.Network, crashes int, newTeller func() *teller) sim.System {
	return sim.System{
		Name: "tellers", Nodes: 2, Timing: sim.AnyOrder, Network: network, Crashes: crashes,
		New: func(sim.NodeID) sim.Service { return newTeller() },
		Actions: []sim.AnyAction{sim.Action[*teller]{Name: "tell", Times: 3,
			When: func(n *teller) bool { return n.sent < 3 }, Do: (*teller).tell}},
		Properties: []sim.Property{
			{Name: "in order", Always: sim.Each(func(_ sim.NodeID, n *teller) bool { return !n.disorder })},
			{Name: "what was sent has been heard", Eventually: func(v *sim.View) bool {
				a, _ := v.Service(0).(*teller)
				b, _ := v.Service(1).(*teller)
				return a != nil && b != nil && a.sent == b.heard && b.sent == a.heard
			}},
			{Name: "there is room again", Sometimes: func(v *sim.View) bool {
				for _, n := range sim.Nodes[*teller](v) {
					if n.again {
						return true
					}
				}
				return false
			}},
		},
	}
}

func checkTellers(t *testing.T, sys sim.System, paths int) *search.Result {
	t.Helper()
	res, err := search.Run(context.Background(), search.Config{
		System: sys, Workers: 1, Strategy: search.Faulty, MaxPaths: paths,
		Confirm: critical.Confirm(critical.Config{System: sys, Workers: 1, Walks: 10}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Over streams and over a transport a carrier has the same contract.
func TestCarrier(t *testing.T) {
	overTransport := func(c Config) func() *teller {
		return func() *teller {
			n := &teller{}
			n.carrier = Over(n, c)
			return n
		}
	}
	for _, c := range []struct {
		name      string
		network   sim.Network
		newTeller func() *teller
	}{
		{"streams", netsim.Streams{Buffer: 1, Errors: 2, Partitions: 1}, func() *teller { return &teller{} }},
		{"transport", netsim.Datagrams{Loss: 2, Dup: 2, Partitions: 1}, overTransport(Config{Buffer: 1})},
		{"transport that gives up", netsim.Datagrams{Loss: 2, Dup: 2}, overTransport(Config{Buffer: 2, Retries: 2})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			paths := 3000
			if testing.Short() {
				paths = 500
			}
			res := checkTellers(t, tellers(c.network, 2, c.newTeller), paths)
			if f := res.Finding; f != nil {
				t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
			}
			for _, s := range res.Stats.Sometimes {
				if s.Runs == 0 {
					t.Errorf("never: %s", s.Property)
				}
			}
		})
	}
}

// careless has defects in passing events to sessions.
type careless struct {
	*sessions
	anySession bool
}

func (c careless) Deliver(env sim.Env, from sim.NodeID, msg any) {
	if m := msg.(Framed); c.anySession && m.To.Count != 0 {
		m.To = c.peers[from].own
		msg = m
	}
	c.sessions.Deliver(env, from, msg)
}

// The contract fails without sessions, with messages of another session, and without checks.
func TestCarrierMistakesAreFound(t *testing.T) {
	for i, over := range []func(n *teller){
		func(n *teller) { n.carrier.over.transport.up = bare{n} },
		func(n *teller) { n.carrier.over.transport.up = careless{sessions: n.carrier.over, anySession: true} },
		func(n *teller) { n.unchecked = true },
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			sys := tellers(netsim.Datagrams{}, 2, func() *teller {
				n := &teller{}
				n.carrier = Over(n, Config{Retries: 1})
				over(n)
				return n
			})
			if f := checkTellers(t, sys, 20_000).Finding; f == nil {
				t.Error("not found")
			}
		})
	}
}

// The effect of each message on a session of node 0 with node 1, with numbers as identifiers.
func TestSession(t *testing.T) {
	id := func(node int, count uint64) macetime.MonotoneTime {
		return macetime.MonotoneTime{Node: node, Count: count}
	}
	type told struct {
		from, to uint64
		body     any
	}
	for _, c := range []struct {
		name              string
		own, theirs       uint64
		open              bool
		from, to          uint64
		body              any
		failed            bool
		delivered         int
		opened            bool
		answer            []told // sent messages
		ownAfter, heardOf uint64
	}{
		{"the peer opens", 0, 0, false, 5, 0, nil, false, 0, false, []told{{1, 5, nil}}, 1, 5},
		{"the peer has heard", 3, 0, false, 5, 3, nil, false, 0, true, []told{{3, 5, nil}, {3, 5, "pending"}}, 3, 5},
		{"a message that tells that, too", 3, 0, false, 5, 3, "x", false, 1, true, []told{{3, 5, nil}, {3, 5, "pending"}}, 3, 5},
		{"a message", 3, 5, true, 5, 3, "x", false, 1, true, nil, 3, 5},
		{"of a session that the peer has given up", 3, 5, true, 4, 3, "x", false, 0, true, nil, 3, 5},
		{"of a session that this side has given up", 3, 5, false, 5, 2, "x", false, 0, false, []told{{3, 5, nil}}, 3, 5},
		{"the peer has failed", 3, 5, true, 6, 3, nil, true, 0, true, []told{{3, 6, nil}}, 3, 6},
		{"the peer has restarted", 3, 5, true, 6, 0, nil, true, 0, false, []told{{3, 6, nil}}, 3, 6},
		{"the peer has failed before it was open", 3, 5, false, 6, 2, "x", false, 0, false, []told{{3, 6, nil}}, 3, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			env, up := newFakeEnv(0), &fakeApplication{}
			l := Over(up, Config{}).over
			l.boot(env)
			s := &l.peers[1]
			s.own, s.theirs, s.open = id(0, c.own), id(1, c.theirs), c.open
			if c.own == 0 {
				s.own = macetime.MonotoneTime{}
			}
			if c.theirs == 0 {
				s.theirs = macetime.MonotoneTime{}
			}
			if c.open || c.opened {
				s.pending = []any{"pending"}
			}
			m := Framed{From: id(1, c.from), To: id(0, c.to), Body: c.body}
			if c.to == 0 {
				m.To = macetime.MonotoneTime{}
			}
			l.Deliver(env, 1, m)
			if (len(up.failures) == 1) != c.failed || len(up.got) != c.delivered || s.open != c.opened {
				t.Errorf("failures %v, delivered %v, open %v", up.failures, up.got, s.open)
			}
			if s.own.Count != c.ownAfter || s.theirs.Count != c.heardOf {
				t.Errorf("knows %v and %v", s.own, s.theirs)
			}
			var answer []told
			for _, p := range l.transport.peers[1].out.packets {
				f := p.body.(Framed)
				answer = append(answer, told{f.From.Count, f.To.Count, f.Body})
			}
			if !slices.Equal(answer, c.answer) {
				t.Errorf("sent %v, want %v", answer, c.answer)
			}
		})
	}
}

// A refused message in a session that is not open leads to a notification once there is room, also if everything
// pending was sent by then.
func TestRefusedBeforeOpen(t *testing.T) {
	var ups [2]fakeApplication
	var envs [2]*fakeEnv
	var sides [2]*sessions
	for i := range sides {
		envs[i] = newFakeEnv(sim.NodeID(i))
		sides[i] = Over(&ups[i], Config{Buffer: 2}).over
		sides[i].boot(envs[i])
	}
	for i, want := range []error{nil, nil, sim.ErrFull} {
		if err := sides[0].send(envs[0], 1, i); err != want {
			t.Fatalf("message %d: %v, want %v", i, err, want)
		}
	}
	for range 20 { // more rounds than needed
		for i := range sides {
			for _, m := range slices.Backward(envs[i].take()) { // acknowledgements first
				sides[1-i].transport.Receive(envs[1-i], sim.NodeID(i), m)
			}
			if timer := (clearToSend{sim.NodeID(1 - i)}); envs[i].armed[timer] {
				delete(envs[i].armed, timer)
				sides[i].transport.Timer(envs[i], timer)
			}
		}
	}
	if !slices.Equal(ups[1].got, []any{0, 1}) || ups[0].clear != 1 || ups[1].clear != 0 {
		t.Errorf("delivered %v, call-backs %d and %d; want 0 and 1, 1 and 0", ups[1].got, ups[0].clear, ups[1].clear)
	}
}

// bare passes messages and errors up unchanged.
type bare struct{ n *teller }

func (b bare) Deliver(env sim.Env, from sim.NodeID, msg any) {
	l := b.n.carrier.over
	if m := msg.(Framed); m.Body != nil {
		b.n.Deliver(env, from, m.Body)
	}
	if s := &l.peers[from]; !s.open {
		s.open = true
		l.flush(env, from)
	}
}

func (b bare) Failed(env sim.Env, peer sim.NodeID, err error) {
	b.n.carrier.over.peers[peer].pending = nil
	b.n.Failed(env, peer, err)
}

func (b bare) ClearToSend(env sim.Env, peer sim.NodeID) { b.n.carrier.over.ClearToSend(env, peer) }
