//go:build macemc_overlay

package bubble_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// interleavings are the modes that the tests below check.
var interleavings = []sim.Interleave{sim.FIFO, sim.Random, 2}

// services returns a service that is a process, and one that is not.
func services(run bubble.Main) map[string]func() sim.Service {
	return map[string]func() sim.Service{
		"command": func() sim.Service {
			return bubble.Command((func(context.Context, *bubble.Host) error)(run), []string{"x"}, nil)
		},
		"service": func() sim.Service { return bubble.Service(run) },
	}
}

// searched is search.Run with a limit that no handler of these tests exceeds, however busy the machine is: without
// [search.Config].Confirm, a handler that exceeds it is a violation.
func searched(t *testing.T, cfg search.Config) (*search.Result, error) {
	cfg.HandlerLimit = time.Minute
	return search.Run(t.Context(), cfg)
}

// runBoth checks run as a process and as a service, in two nodes. Property done holds when both nodes show true.
func runBoth(t *testing.T, clocks *sim.Clocks, run bubble.Main, judge func(name string, r *search.Result)) {
	for name, service := range services(run) {
		for _, how := range interleavings {
			r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 30, WalkSteps: 60, System: sim.System{
				Name: "ends", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Interleave: how, Clocks: clocks,
				New: func(sim.NodeID) sim.Service { return service() },
				Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool {
					a, _ := bubble.SeenAt[bool](v, 0)
					b, _ := bubble.SeenAt[bool](v, 1)
					return a && b
				}}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			judge(fmt.Sprint(name, " ", how), r)
		}
	}
}

func noFinding(t *testing.T) func(name string, r *search.Result) {
	return func(name string, r *search.Result) {
		if r.Finding != nil || r.Stats.Paths == 0 {
			t.Errorf("%s: %s after %d paths: %+v", name, r.Verdict, r.Stats.Paths, r.Finding)
		}
	}
}

// Addresses and numbers of goroutines in output do not count as differences.
func TestOutput_Addresses(t *testing.T) {
	runBoth(t, nil, func(ctx context.Context, h *bubble.Host) error {
		done := false
		h.Observe(func() any { return done })
		for range 5 {
			p := new([100]int)
			h.Log().Info(fmt.Sprintf("at %p", p), "pointer", p)
			for line := range strings.Lines(string(debug.Stack())) {
				h.Log().Info(line)
			}
			time.Sleep(time.Second)
		}
		done = true
		<-ctx.Done()
		return fmt.Errorf("at %p", new(int))
	}, noFinding(t))
}

// A reading of the clock by Observe is a finding if time passes between the steps of a node.
func TestObserve_Clock(t *testing.T) {
	run := func(ctx context.Context, h *bubble.Host) error {
		h.Observe(func() any { return time.Now().Year() > 0 })
		<-ctx.Done()
		return nil
	}
	runBoth(t, nil, run, noFinding(t))
	runBoth(t, &sim.Clocks{}, run, func(name string, r *search.Result) {
		if r.Finding == nil || !strings.Contains(r.Finding.Message, "Observe of node 0 reads the clock") {
			t.Errorf("%s: %s, %+v", name, r.Verdict, r.Finding)
		}
	})
}

// The value that a program changes last is observed, even if the program ends in the same step. Its timers end with it.
func TestEnd_Observed(t *testing.T) {
	runBoth(t, nil, func(ctx context.Context, h *bubble.Host) error {
		done := false
		h.Observe(func() any { return done })
		time.AfterFunc(time.Hour, func() { panic("a timer of a program that has ended") })
		go func() {
			time.Sleep(time.Second + 1)
			done = false // the program has ended
		}()
		time.Sleep(time.Second)
		done = true
		return nil
	}, noFinding(t))
}
