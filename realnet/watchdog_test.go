package realnet_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
)

// sleeper does not return from its action until it is released, which services must not do.
type sleeper struct {
	sim.Nop
	release chan struct{} `macemc:"-"`
	Done    int
}

func (s *sleeper) sleep(sim.Env) {
	<-s.release
	s.Done++
}

// lines is a log that may be read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// A handler that does not return is reported with its event, and again when it has returned.
func TestWatchdog_Hang(t *testing.T) {
	release := make(chan struct{})
	var log lines
	sys := sim.System{
		Name: "sleep", Nodes: 1, New: func(sim.NodeID) sim.Service { return &sleeper{release: release} }, Network: netsim.Streams{},
		Actions: []sim.AnyAction{sim.Action[*sleeper]{Name: "sleep", Do: (*sleeper).sleep}},
	}
	n, err := realnet.New(realnet.Config{System: &sys, Peers: ports.Free(t, 1), Messages: []any{numbered{}}, HandlerLimit: 20 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		if ok, err := n.Act(ctx, "sleep"); !ok || err != nil {
			t.Errorf("Act: %v, %v", ok, err)
		}
	})
	wait := func(what string, f func() bool) {
		t.Helper()
		for limit := time.Now().Add(3 * time.Minute); !f(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%s; the log is %q", what, log.String())
			}
		}
	}
	const tells = `msg="a handler does not return and blocks the node" node=0 handles="action sleep"`
	wait("the log does not tell", func() bool { return strings.Contains(log.String(), tells) })
	if event, ran := n.Stuck(); event != "action sleep" || ran < 20*time.Millisecond {
		t.Errorf("Stuck: %q, %v", event, ran)
	}
	wait("Stuck forgets", func() bool { _, ran := n.Stuck(); return ran > 100*time.Millisecond }) // it is not reported again
	close(release)
	wait("it is not told that the handler has returned", func() bool { return strings.Contains(log.String(), "the handler has returned") })
	if event, _ := n.Stuck(); event != "" {
		t.Errorf("Stuck: %q after the handler has returned", event)
	}
	stop()
	all.Wait()
	// On a busy machine another handler, as that of the boot, may be without a processor for as long.
	if got := strings.Count(log.String(), tells); got != 1 {
		t.Errorf("it was logged %d times", got)
	}
}
