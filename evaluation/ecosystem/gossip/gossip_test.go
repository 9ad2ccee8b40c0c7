// Package gossip has tests of services that find each other, or share one connection.
package gossip

import (
	"io"
	"log"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/hashicorp/serf/serf"
	"github.com/hashicorp/yamux"
)

// joined receives the names of members that join.
type joined chan string

func (j joined) NotifyJoin(n *memberlist.Node) { j <- n.Name }
func (j joined) NotifyLeave(*memberlist.Node)  {}
func (j joined) NotifyUpdate(*memberlist.Node) {}

func member(t *testing.T, name string, events memberlist.EventDelegate) *memberlist.Memberlist {
	config := memberlist.DefaultLocalConfig()
	config.Name, config.BindAddr, config.BindPort, config.Logger, config.Events = name, "127.0.0.1", 0, log.New(io.Discard, "", 0), events
	m, err := memberlist.Create(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Shutdown() })
	return m
}

func join(t *testing.T, m *memberlist.Memberlist, other *memberlist.Memberlist) {
	if n, err := m.Join([]string{other.LocalNode().FullAddress().Addr}); err != nil || n != 1 {
		t.Errorf("joined %d, %v", n, err)
	}
}

func TestMemberlist(t *testing.T) {
	names := make(joined, 4)
	a, b := member(t, "a", names), member(t, "b", nil)
	join(t, b, a)
	for name := range names {
		if name == "b" {
			break
		}
	}
	if a.NumMembers() != 2 || b.NumMembers() != 2 {
		t.Errorf("%d and %d members", a.NumMembers(), b.NumMembers())
	}
}

// seen lets a member join another one, which is to know it then.
func seen(t *testing.T, names joined, settle func()) {
	t.Helper()
	a, b := member(t, "a", names), member(t, "b", nil)
	join(t, b, a)
	settle()
	if n := a.NumMembers(); n != 2 {
		t.Errorf("%d members", n)
	}
}

// The call returns when b knows a. It does not wait until a knows b.
func TestMemberlistDefect(t *testing.T) {
	seen(t, make(joined, 4), func() { time.Sleep(900 * time.Microsecond) })
}

func TestMemberlistMended(t *testing.T) {
	names := make(joined, 4)
	seen(t, names, func() {
		for name := range names {
			if name == "b" {
				return
			}
		}
	})
}

func newSerf(t *testing.T) (*serf.Serf, chan serf.Event) {
	config, events := serf.DefaultConfig(), make(chan serf.Event, 16)
	config.MemberlistConfig = memberlist.DefaultLocalConfig()
	config.MemberlistConfig.BindAddr, config.MemberlistConfig.BindPort = "127.0.0.1", 0
	config.MemberlistConfig.Logger, config.Logger = log.New(io.Discard, "", 0), log.New(io.Discard, "", 0)
	config.NodeName, config.EventCh = "a", events
	s, err := serf.Create(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(); <-s.ShutdownCh() })
	return s, events
}

func TestSerf(t *testing.T) {
	s, events := newSerf(t)
	if err := s.UserEvent("deploy", []byte("v2"), false); err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e, ok := e.(serf.UserEvent); ok {
			if string(e.Payload) != "v2" {
				t.Errorf("got %q", e.Payload)
			}
			break
		}
	}
}

// deployed sends an event to a handler in another goroutine, which sets a version.
func deployed(t *testing.T, settle func(done <-chan struct{})) {
	t.Helper()
	s, events := newSerf(t)
	var mu sync.Mutex
	version, done := "v1", make(chan struct{})
	go func() {
		for e := range events {
			if e, ok := e.(serf.UserEvent); ok {
				mu.Lock()
				version = string(e.Payload)
				mu.Unlock()
				close(done)
				return
			}
		}
	}()
	if err := s.UserEvent("deploy", []byte("v2"), false); err != nil {
		t.Fatal(err)
	}
	settle(done)
	mu.Lock()
	defer mu.Unlock()
	if version != "v2" {
		t.Errorf("the version is %s", version)
	}
}

func TestSerfDefect(t *testing.T) {
	deployed(t, func(<-chan struct{}) { time.Sleep(900 * time.Microsecond) })
}

func TestSerfMended(t *testing.T) { deployed(t, func(done <-chan struct{}) { <-done }) }

// sessions returns both ends of a connection that carries many streams.
func sessions(t *testing.T) (server, client *yamux.Session) {
	config := yamux.DefaultConfig()
	config.LogOutput = io.Discard
	a, b := net.Pipe()
	server, err := yamux.Server(a, config)
	if err != nil {
		t.Fatal(err)
	}
	client, err = yamux.Client(b, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return server, client
}

func TestYamux(t *testing.T) {
	server, client := sessions(t)
	go func() {
		for {
			s, err := server.Accept()
			if err != nil {
				return
			}
			go func() { defer s.Close(); io.Copy(s, s) }()
		}
	}()
	var wg sync.WaitGroup
	for _, text := range []string{"a", "b"} {
		wg.Go(func() {
			s, err := client.Open()
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			io.WriteString(s, text)
			got := make([]byte, 1)
			if _, err := io.ReadFull(s, got); err != nil || string(got) != text {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
}

// accepts hands streams to a worker, until the server closes.
func accepts(t *testing.T, hand func(streams chan<- net.Conn, quit <-chan struct{}, s net.Conn)) {
	server, client := sessions(t)
	streams, quit := make(chan net.Conn), make(chan struct{})
	go func() {
		if s, err := server.Accept(); err == nil {
			hand(streams, quit, s)
		}
	}()
	go func() { time.Sleep(900 * time.Microsecond); close(quit) }()
	if _, err := client.Open(); err != nil {
		t.Fatal(err)
	}
	select {
	case s := <-streams:
		s.Close()
	case <-quit:
	}
}

func TestYamuxDefect(t *testing.T) {
	accepts(t, func(streams chan<- net.Conn, _ <-chan struct{}, s net.Conn) { streams <- s })
}

func TestYamuxMended(t *testing.T) {
	accepts(t, func(streams chan<- net.Conn, quit <-chan struct{}, s net.Conn) {
		select {
		case streams <- s:
		case <-quit:
			s.Close()
		}
	})
}
