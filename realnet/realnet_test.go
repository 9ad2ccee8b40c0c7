package realnet_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// cluster runs all nodes of a system in this process.
type cluster struct {
	t     testing.TB
	sys   sim.System
	base  realnet.Config
	nodes []*running
}

type running struct {
	*realnet.Node
	stop context.CancelFunc
	done chan struct{}
	err  error
}

func newCluster(t testing.TB, name string, c spec.Config, record bool) *cluster {
	t.Helper()
	e, err := papers.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	full, err := e.Configure(c)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(full)
	if err != nil {
		t.Fatal(err)
	}
	x := &cluster{t: t, sys: sys}
	x.base = realnet.Config{System: &x.sys, Peers: ports.Free(t, sys.Nodes), Messages: e.Messages, Await: time.Minute, Speed: 10,
		Params: full.Params, Bugs: full.Bugs}
	if record {
		x.base.Record = &recording.Options{Dir: t.TempDir()}
	}
	if os.Getenv("MACEMC_LIVE_LOG") != "" {
		x.base.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	dir := t.TempDir()
	x.base.Dir = dir
	x.nodes = make([]*running, sys.Nodes)
	for id := range x.nodes {
		x.start(sim.NodeID(id))
	}
	for _, r := range x.nodes {
		if err := r.Look(context.Background(), func(*runner.Runner) {}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(x.stop)
	return x
}

func (x *cluster) start(id sim.NodeID) {
	x.t.Helper()
	cfg := x.base
	cfg.Node = id
	cfg.Dir = fmt.Sprintf("%s/n%d", x.base.Dir, id)
	n, err := realnet.New(cfg)
	if err != nil {
		x.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Node: n, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = n.Run(ctx)
	}()
	x.nodes[id] = r
}

func (r *running) end() error {
	r.stop()
	<-r.done
	return r.err
}

// kill ends nodes at the same time for all others, after what they have sent has arrived: in the model their crash would lose it.
func (x *cluster) kill(ids ...sim.NodeID) {
	x.t.Helper()
	for _, id := range ids {
		if err := x.nodes[id].Freeze(context.Background()); err != nil {
			x.t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	for _, id := range ids {
		if err := x.nodes[id].end(); err != nil {
			x.t.Fatal(err)
		}
		x.nodes[id] = nil
	}
}

func (x *cluster) stop() {
	for _, r := range x.nodes {
		if r != nil {
			_ = r.Freeze(context.Background())
		}
	}
	for _, r := range x.nodes {
		if r != nil {
			if err := r.end(); err != nil {
				x.t.Errorf("a node ended with: %v", err)
			}
		}
	}
	clear(x.nodes)
}

// act lets every node do what actions it can, each once.
func (x *cluster) act(names ...string) {
	for _, r := range x.nodes {
		if r == nil {
			continue
		}
		for _, name := range names {
			if _, err := r.Act(context.Background(), name); err != nil {
				x.t.Error(err)
			}
		}
	}
}

// until waits until f holds for all nodes that are up; f runs while all of their loops are stopped.
func (x *cluster) until(what string, f func(services []sim.Service) bool) {
	x.t.Helper()
	for limit := time.Now().Add(3 * time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if x.all(f) {
			return
		}
	}
	for id, r := range x.nodes {
		if r != nil {
			_ = r.Look(context.Background(), func(run *runner.Runner) { x.t.Logf("n%d: %v", id, run.NodeFields(sim.NodeID(id))) })
		}
	}
	x.t.Fatalf("not reached: %s", what)
}

// all calls f while all loops are stopped.
func (x *cluster) all(f func([]sim.Service) bool) bool {
	services := make([]sim.Service, len(x.nodes))
	release := make(chan struct{})
	var there, gone sync.WaitGroup
	for id, r := range x.nodes {
		if r == nil {
			continue
		}
		there.Add(1)
		gone.Go(func() {
			err := r.Look(context.Background(), func(run *runner.Runner) {
				services[id] = run.Service(sim.NodeID(id))
				there.Done()
				<-release
			})
			if err != nil {
				there.Done()
			}
		})
	}
	there.Wait()
	ok := f(services)
	close(release)
	gone.Wait()
	return ok
}

// merged stops the cluster and merges its recordings.
func (x *cluster) merged() *recording.Merged {
	x.t.Helper()
	x.stop()
	return merge(x.t, x.sys, x.base)
}

func merge(t testing.TB, sys sim.System, cfg realnet.Config) *recording.Merged {
	t.Helper()
	set, err := recording.ReadDir(cfg.Record.Dir)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := wire.NewTypes(cfg.Messages...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := recording.Merge(sys, set, codec, pathfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fileOf(t testing.TB, m *recording.Merged) *pathfile.File {
	t.Helper()
	f, err := m.File()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// agrees fails unless all that was recorded was found again.
func agrees(t testing.TB, m *recording.Merged) {
	t.Helper()
	if m.Disagreement != nil {
		t.Errorf("the model disagrees: %v", m.Disagreement)
	}
	for node, left := range m.Left {
		if left > 0 {
			t.Errorf("%d events of n%d are left out", left, node)
		}
	}
	for _, note := range m.Notes {
		t.Log(note)
	}
	t.Logf("%d steps, %d states compared, limits %+v", len(m.Origins), m.Compared, m.System.Limits())
}

// live reports whether all liveness properties hold in the state that the recordings lead to.
func (x *cluster) live() bool {
	set, err := recording.ReadDir(x.base.Record.Dir)
	if err != nil {
		return false
	}
	codec, err := wire.NewTypes(x.base.Messages...)
	if err != nil {
		x.t.Fatal(err)
	}
	r, err := recording.Reach(x.sys, set, codec)
	if err != nil {
		x.t.Fatal(err)
	}
	return r.Disagreement == nil && r.World.Live()
}
