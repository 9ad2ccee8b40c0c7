package cluster

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/systems/spec"
)

var long = flag.Bool("long", false, "tests that take a minute, too")

// servers are three that keep the same.
type servers struct {
	t    *testing.T
	dir  string
	all  []Server
	stop []func() // nil: it is down
	mu   sync.Mutex
}

func newServers(t *testing.T, sec Security) *servers {
	t.Helper()
	s := &servers{t: t, dir: t.TempDir(), all: make([]Server, 3), stop: make([]func(), 3)}
	at := ports.Free(t, 6)
	peers := at[3:]
	for i := range s.all {
		s.all[i] = Server{Listen: at[i], PeerListen: peers[i], Dir: filepath.Join(s.dir, string(rune('a'+i))), Security: sec}
	}
	for i := range s.all {
		s.all[i].Peers = peers
		s.start(i)
	}
	t.Cleanup(func() {
		for i := range s.all {
			s.kill(i)
		}
	})
	return s
}

func (s *servers) start(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stop, err := s.all[i].Start()
	if err != nil {
		s.t.Error(err)
		return
	}
	s.stop[i] = stop
}

func (s *servers) kill(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop[i] != nil {
		s.stop[i]()
		s.stop[i] = nil
	}
}

func (s *servers) wipe(i int) {
	s.kill(i)
	if err := os.RemoveAll(s.all[i].Dir); err != nil {
		s.t.Error(err)
	}
}

func (s *servers) url() string {
	var urls []string
	for i := range s.all {
		urls = append(urls, "nats://"+s.all[i].Listen)
	}
	return strings.Join(urls, ",")
}

// whole reports whether all three are there and have all.
func (s *servers) whole() bool {
	st, err := StatusOf(s.t.Context(), s.url(), Security{})
	n := 0
	for _, one := range st.Servers {
		if one.Current && !one.Offline {
			n++
		}
	}
	return err == nil && n == 3
}

// event is something that happens to servers.
type event struct {
	what  string
	do    func()
	whole bool // all servers are to have all before
}

// If one of three servers is lost, with or without its data, a search soon continues with the same results. A
// server that returns without data gets it from the others.
func TestServerLost(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	s := newServers(t, Security{})
	work(t, s.url(), 2)
	events := []event{{"one is killed", func() { s.kill(0) }, true}}
	proposers, depth, states, transitions := "2", 0, 98_160, 506_256
	if *long {
		events = append(events, event{"it comes back", func() { s.start(0) }, false}, event{"one loses all", func() { s.wipe(1) }, true},
			event{"it comes back", func() { s.start(1) }, false}, event{"the third one is killed", func() { s.kill(2) }, true})
		proposers, depth, states, transitions = "3", 21, 9_596_363, 52_806_312
	}
	next, struck := 0, time.Time{}
	system, letGo := hold(t, "paxos")
	x, err := search(t, s.url(), system, spec.Config{Params: map[string]string{"proposers": proposers}}, func(o *options.Options) {
		o.MaxDepth = depth
		last := 0
		o.Progress = func(states, _, _, _ int) {
			if states > last && !struck.IsZero() {
				t.Logf("after %v a superstep has ended: %d states", time.Since(struck).Round(time.Millisecond), states)
				struck = time.Time{}
			}
			last = states
			if struck.IsZero() && next < len(events) && states >= 1_000 && (!events[next].whole || s.whole()) {
				t.Log(events[next].what)
				events[next].do()
				if next, struck = next+1, time.Now(); next == len(events) {
					letGo()
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if next < len(events) || x.States != states || x.Transitions != transitions || (depth == 0) != x.Complete {
		t.Errorf("after %d of %d events: got %d states, %d transitions, stopped by %q, want %d, %d", next, len(events), x.States, x.Transitions,
			x.Stopped, states, transitions)
	}
}

// A search ends if the server has no room, and continues when there is room.
func TestNoRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	s := Server{Listen: ports.Free(t, 1)[0], Dir: t.TempDir(), room: 300_000}
	url, stop, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	work(t, url, 2)
	conf := spec.Config{Params: map[string]string{"proposers": "2"}}
	x, err := search(t, url, "paxos", conf)
	stop()
	if err != nil || x.Complete || x.Stopped != "disk" || x.States == 0 {
		t.Fatalf("got %+v, error %v, want some states and a full disk", x, err)
	}
	s.room = 0
	if url, stop, err = s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	if x, err = search(t, url, "paxos", conf); err != nil || !x.Complete || x.States != 98_160 || x.Transitions != 506_256 {
		t.Errorf("got %+v, error %v, want all: 98160 states, 506256 transitions", x, err)
	}
}

// If two of three servers are lost the search ends and reports it. When they are back it continues with their data.
func TestTwoServersLost(t *testing.T) {
	if !*long {
		t.Skip("more than a minute")
	}
	t.Parallel()
	s := newServers(t, Security{})
	work(t, s.url(), 2)
	conf, lost := spec.Config{Params: map[string]string{"proposers": "3"}}, false
	x, err := search(t, s.url(), "paxos", conf, func(o *options.Options) {
		o.MaxDepth = 17
		o.Progress = func(states, _, _, _ int) {
			if !lost && states >= 1_000 && s.whole() {
				lost = true
				s.kill(1)
				s.kill(2)
			}
		}
	})
	if !lost || err == nil || !strings.Contains(err.Error(), "a majority of the servers") {
		t.Fatalf("lost: %v: got %v, error %v, want one about a majority of the servers", lost, x, err)
	}
	s.start(1)
	s.start(2)
	x, err = search(t, s.url(), "paxos", conf, func(o *options.Options) { o.MaxDepth = 17 })
	if err != nil || x.States != 1_761_502 || x.Transitions != 8_223_144 {
		t.Errorf("got %+v, error %v, want 1761502 states, 8223144 transitions", x, err)
	}
}
