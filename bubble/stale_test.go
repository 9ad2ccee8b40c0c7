//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// queue is a system of a server that keeps jobs on its disk and a client that sends it two at once. Observe needs the lock that guards the
// jobs. The forgetful server answers the second job without storing it; the stuck one then never releases the lock.
func queue(mistake string) sim.System {
	server := func(ctx context.Context, h *bubble.Host) error {
		l, err := h.Listen("tcp", ":1")
		if err != nil {
			return err
		}
		var mu sync.Mutex
		kept := 0
		h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return kept })
		c, err := l.Accept()
		if err != nil {
			return err
		}
		for lines := bufio.NewScanner(c); lines.Scan(); {
			mu.Lock()
			if kept == 0 || mistake != "forgetful" {
				kept++
				h.Disk().Put(fmt.Sprint("job ", kept), lines.Bytes())
				h.Disk().Sync()
			}
			if kept == 2 && mistake == "stuck" {
				<-ctx.Done()
			}
			mu.Unlock()
			fmt.Fprintln(c, "kept")
		}
		return nil
	}
	client := func(ctx context.Context, h *bubble.Host) error {
		answers := 0
		h.Observe(func() any { return answers })
		c, err := h.Dial(ctx, "tcp", "n0:1")
		for err != nil {
			time.Sleep(time.Second)
			c, err = h.Dial(ctx, "tcp", "n0:1")
		}
		fmt.Fprint(c, "one\ntwo\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			answers++
		}
		return nil
	}
	both := func(v *sim.View) (kept, answers int) {
		kept, _ = bubble.SeenAt[int](v, 0)
		answers, _ = bubble.SeenAt[int](v, 1)
		return kept, answers
	}
	return sim.System{
		Name: "queue", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{},
		New: func(id sim.NodeID) sim.Service { return bubble.Service([]bubble.Main{server, client}[id]) },
		Properties: []sim.Property{
			{Name: "answered jobs are kept", Always: func(v *sim.View) bool { kept, answers := both(v); return answers <= kept }},
			{Name: "both are", Eventually: func(v *sim.View) bool { kept, answers := both(v); return kept == 2 && answers == 2 }},
		},
	}
}

// A value observed before a goroutine took the lock that Observe needs is not compared with later values of other nodes.
func TestObserveWaits(t *testing.T) {
	for mistake, want := range map[string]sim.FindingKind{"": "", "forgetful": sim.Safety, "stuck": sim.Deadlock} {
		for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 2} {
			s := queue(mistake)
			s.Interleave = how
			r, err := searched(t, search.Config{System: s, Workers: 1, Time: time.Minute, MaxPaths: 300, WalkSteps: 100})
			if err != nil {
				t.Fatal(err)
			}
			found := sim.FindingKind("")
			if r.Finding != nil {
				found = r.Finding.Kind
			}
			if found != want || r.Stats.Paths == 0 {
				t.Errorf("%q %v: %s after %d paths: %+v", mistake, how, r.Verdict, r.Stats.Paths, r.Finding)
			}
		}
	}
	if text := (&bubble.Program{}).Uncovered(sim.FIFO); !strings.Contains(text, "Observe") {
		t.Errorf("reports do not say what is not judged: %s", text)
	}
}
