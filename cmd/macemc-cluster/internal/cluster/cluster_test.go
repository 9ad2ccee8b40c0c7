package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// job makes a system from a [spec.Config].
func job(text json.RawMessage) (*sim.System, func(int) bool, error) {
	var j struct {
		System string
		Config spec.Config
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, nil, err
	}
	sys, err := named(j.System, j.Config)
	return &sys, func(ticks int) bool { return ticks > 40 }, err
}

func named(name string, c spec.Config) (sim.System, error) {
	if slices.Contains([]string{"counters", "hangs", "exits", "panics", "dies"}, name) {
		return counters(name), nil
	}
	system, _, _ := strings.Cut(name, heldUntil)
	if system == "rings" {
		return held(rings(func(r *ring) { r.N = (r.N + 1) % 9 }), name), nil
	}
	entry, err := systems.Find(system)
	if err != nil {
		return sim.System{}, err
	}
	sys, err := entry.New(c)
	return held(sys, name), err
}

// counters is a system of nodes that count. Its name may select a property that does not return.
func counters(name string) sim.System {
	sys := sim.System{Name: name, Nodes: 4, New: func(sim.NodeID) sim.Service { return &counter{} }, Timing: sim.AnyOrder}
	if name == "counters" {
		return sys
	}
	sys.Properties = []sim.Property{{Name: name, Always: func(v *sim.View) bool {
		n := v.Service(2).(*counter).N
		if n < 4 || name == "dies" && (n < 6 || os.Getenv(markVar) == "") { // not the process of the test
			return true
		}
		switch name {
		case "hangs":
			select {}
		case "exits":
			runtime.Goexit()
		case "dies":
			os.Exit(3)
		}
		panic("it panics")
	}}}
	return sys
}

// counter counts up to a violation.
type counter struct {
	sim.Nop
	N int
}

type tick struct{}

func (c *counter) Boot(env sim.Env) { env.SetTimer(tick{}, time.Second) }

func (c *counter) Timer(env sim.Env, _ any) {
	c.N++
	env.Assert(c.N < 7 || env.Self() != 2, "it counted to %d", c.N)
	env.SetTimer(tick{}, time.Second)
}

func start(listen, dir string, s Security) (url string, stop func(), err error) {
	server := Server{Listen: listen, Dir: dir, Security: s}
	return server.Start()
}

func serve(t *testing.T) string {
	t.Helper()
	url, stop, err := start("127.0.0.1:0", t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

func connected(t *testing.T, url string, s Security) *nats.Conn {
	t.Helper()
	nc, err := connect(url, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// work starts workers, which end with the test.
func work(t *testing.T, url string, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range n {
		w := Worker{URL: url, Build: "test", Job: job, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
		all.Go(func() {
			if err := w.Work(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() { cancel(); all.Wait() })
}

func search(t *testing.T, url, system string, c spec.Config, set ...func(*options.Options)) (*table.Exploration, error) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"System": system, "Config": c})
	if err != nil {
		t.Fatal(err)
	}
	sys, overdue, err := job(text)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(system, heldUntil) { // workers are
		sys.Properties[len(sys.Properties)-1].Always = func(*sim.View) bool { return true }
	}
	visited, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	opts := options.Options{Visited: visited, World: kernel.Options{Overdue: overdue}}
	for _, set := range set {
		set(&opts)
	}
	s := Search{URL: url, Manifest: Manifest{Build: "test", Title: system, Job: text, Visited: "128", Depth: opts.MaxDepth}, Tell: func(s string) { t.Log(s) }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Cleanup(cancel)
	if opts.Progress != nil && opts.MaxStates > 0 { // as Ctrl-C would
		progress := opts.Progress
		opts.Progress = func(states, transitions, depth, waiting int) {
			if states >= opts.MaxStates {
				cancel()
			}
			progress(states, transitions, depth, waiting)
		}
	}
	return s.Explore(ctx, sys, opts)
}

// Any number of workers find the same states as one process, once each, and execute the same steps.
func TestExact(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3} {
		url := serve(t)
		work(t, url, n)
		x, err := search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "2"}})
		if err != nil {
			t.Fatal(err)
		}
		if !x.Complete || x.States != 98_160 || x.Transitions != 506_256 || x.Depth != 24 {
			t.Errorf("%d workers: got %d states, %d transitions, depth %d, stopped by %q, want all: 98160, 506256, depth 24", n, x.States,
				x.Transitions, x.Depth, x.Stopped)
		}
	}
}

// A worker that is started before the server waits for it.
func TestWorkerComesFirst(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	work(t, "nats://"+at, 1)
	time.Sleep(100 * time.Millisecond) // usually it is first; otherwise it is like any other
	url, stop, err := start(at, t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	x, err := search(t, url, "paxos", spec.Config{})
	if err != nil || !x.Complete {
		t.Errorf("got %+v, error %v, want all states", x, err)
	}
}

// Messages that are none are refused, and nothing is lost.
func TestGarbage(t *testing.T) {
	t.Parallel()
	url := serve(t)
	work(t, url, 2)
	nc := connected(t, url, Security{})
	random := rand.New(rand.NewPCG(1, 2))
	sent := 0
	x, err := search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "2"}}, func(o *options.Options) {
		o.Progress = func(int, int, int, int) {
			m, err := current(t.Context(), nc)
			if err != nil || m == nil {
				return
			}
			for _, of := range []string{"all", "m.1", "m.2"} {
				buf := make([]byte, random.IntN(100))
				for i := range buf {
					buf[i] = byte(random.IntN(256))
				}
				for _, data := range [][]byte{buf, append([]byte{0, 1, 0, 0}, buf...), []byte(`{"from":1,"go":{"Commit":{}}}`), []byte(`{"from":99,"lost":{}}`), make([]byte, largest)} {
					if err := nc.Publish(m.subject(of), data); err != nil {
						t.Error(err)
					}
					sent++
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent == 0 || !x.Complete || x.States != 98_160 || x.Transitions != 506_256 {
		t.Errorf("after %d messages: got %d states, %d transitions, stopped by %q, want all: 98160, 506256", sent, x.States,
			x.Transitions, x.Stopped)
	}
}

// The path to a finding is as short as that of a single process, and leads to the finding.
func TestFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, 2)
	for _, c := range []struct{ system, bug string }{{"paxos", "PX3"}, {"counters", ""}, {"panics", ""}, {"hangs", ""}, {"exits", ""}} {
		conf := spec.Config{}
		if c.bug != "" {
			conf.Bugs = []string{c.bug}
		}
		x, err := search(t, url, c.system, conf)
		if err != nil {
			t.Fatal(c, err)
		}
		sys, err := named(c.system, conf)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := table.Explore(t.Context(), &sys, options.Options{World: kernel.Options{Overdue: func(ticks int) bool { return ticks > 40 }}})
		if err != nil {
			t.Fatal(err)
		}
		var found, alone *sim.Finding
		if !errors.As(x.Finding, &found) || !errors.As(plain.Finding, &alone) || found.Kind != alone.Kind || found.Property != alone.Property {
			t.Errorf("%v: got finding %v, want %v as alone", c, x.Finding, plain.Finding)
			continue
		}
		if found.Kind != sim.Safety { // it would not return here, either
			if found.Kind != sim.Panic && !contain.Overdue(found) || len(x.Path) != len(plain.Path) {
				t.Errorf("%v: got finding %v by %v, want a panic or an overdue handler by a path of %d", c, found, x.Path, len(plain.Path))
			}
			continue
		}
		got, err := runs.Follow(&sys, x.Path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := runs.Follow(&sys, plain.Path)
		if err != nil {
			t.Fatal(err)
		}
		if got.Steps != want.Steps {
			t.Errorf("%v: got %d steps, want %d as alone", c, got.Steps, want.Steps)
		}
	}
}

// An interrupted search reports its coverage, and makes room for the next one.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	url := serve(t)
	work(t, url, 1)
	stop := func(o *options.Options) { o.MaxStates, o.Progress = 2_000, func(int, int, int, int) {} }
	x, err := search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "3"}}, stop)
	if err != nil {
		t.Fatal(err)
	}
	if x.Complete || x.Stopped != "interrupted" || x.States < 2_000 || x.Expanded == 0 || x.Transitions < x.Expanded {
		t.Errorf("got %+v, want an interrupted search of at least 2000 states", x)
	}
	if st, err := StatusOf(t.Context(), url, Security{}); err != nil || st.Run != "" {
		t.Errorf("got status %+v, error %v, want no search", st, err)
	}
}
