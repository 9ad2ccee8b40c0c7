package realnet_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// proxy forwards connections, until it cuts them all.
type proxy struct {
	mu    sync.Mutex
	conns []net.Conn
}

func startProxy(t *testing.T, to string) (*proxy, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d, err := net.Dial("tcp", to)
			if err != nil {
				c.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, c, d)
			p.mu.Unlock()
			go func() { _, _ = io.Copy(c, d); c.Close() }()
			go func() { _, _ = io.Copy(d, c); d.Close() }()
		}
	}()
	return p, l.Addr().String()
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// answerer answers messages to n1.
type answerer struct {
	sim.Nop
	Got, Errors int
}

func (a *answerer) Receive(env sim.Env, from sim.NodeID, _ any) {
	if a.Got++; env.Self() == 1 {
		_ = env.Stream(from).Send(numbered{a.Got})
	}
}

func (a *answerer) PeerError(sim.Env, sim.NodeID, error) { a.Errors++ }

// The break of a connection between two nodes that are up is a socket error of the model: both are notified.
func TestBrokenConnection(t *testing.T) {
	sys := sim.System{
		Name: "answer", Nodes: 2, New: func(sim.NodeID) sim.Service { return &answerer{} }, Network: netsim.Streams{},
		Actions: []sim.AnyAction{sim.Action[*answerer]{Name: "one", Do: func(_ *answerer, env sim.Env) { _ = env.Stream(1).Send(numbered{}) }}},
	}
	x := custom(t, sys, numbered{})
	if err := x.nodes[0].end(); err != nil {
		t.Fatal(err)
	}
	x.nodes[0] = nil
	p, addr := startProxy(t, x.base.Peers[1])
	own := x.base.Peers
	x.base.Peers = []string{own[0], addr}
	x.start(0)
	x.base.Peers = own
	one := func(nth int) {
		t.Helper()
		if _, err := x.nodes[0].Act(context.Background(), "one"); err != nil {
			t.Fatal(err)
		}
		// The answer follows the acknowledgement; before that the sender does not know of a connection that could
		// break.
		x.until("it is answered", func(s []sim.Service) bool { return s[0].(*answerer).Got == nth })
	}
	one(1)
	p.cut()
	x.until("both are told", func(s []sim.Service) bool { return s[0].(*answerer).Errors == 1 && s[1].(*answerer).Errors == 1 })
	one(2)
	m := x.merged()
	agrees(t, m)
	if l := m.System.Limits(); l[sim.NetErrors] != 1 || l[sim.Crashes] != 1 {
		t.Errorf("the run has limits %+v, want a socket error and a crash", l)
	}
}
