//go:build macemc_overlay

package bubble_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type tally struct{ n int }

func (c *tally) increment(context.Context) error { c.n++; return nil }

// An action calls a method by its expression, and is located where the method is.
func TestCall_Method(t *testing.T) {
	sys := sim.System{
		Name: "tally", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{}, Interleave: sim.FIFO,
		Actions: []sim.AnyAction{bubble.Call("increment", (*tally).increment), bubble.Signal(os.Interrupt)},
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				c := &tally{}
				h.Expose(c)
				h.Observe(func() any { return c.n })
				<-ctx.Done()
				return nil
			})
		},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"action_test.go:", ""} {
		if err := w.Step(w.Enabled()[i], choose.First); err != nil {
			t.Fatal(err)
		}
		if got := w.Last().Source; want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%v is located at %q, want %q", w.Last().Event, got, want)
		}
	}
	if n := w.Service(0).(*bubble.Program).Seen; n != 1 {
		t.Errorf("%v calls, want 1", n)
	}
}

// The boot of a program is located where its main function is.
func TestProgram_BootSource(t *testing.T) {
	for name, service := range map[string]func() sim.Service{
		"Service": func() sim.Service {
			return bubble.Service(func(ctx context.Context, _ *bubble.Host) error { <-ctx.Done(); return nil })
		},
		"Command": func() sim.Service {
			return bubble.Command(func(ctx context.Context) error { <-ctx.Done(); return nil }, []string{"x"}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := sim.System{Name: "down", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{}, Interleave: sim.FIFO, Crashes: 1,
				New: func(sim.NodeID) sim.Service { return service() }}
			w, err := kernel.NewWorld(&sys, kernel.Options{Trace: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Start(choose.First); err != nil {
				t.Fatal(err)
			}
			if err := w.Step(w.Injections(nil)[0], choose.First); err != nil {
				t.Fatal(err)
			}
			if err := w.Step(w.Enabled()[0], choose.First); err != nil {
				t.Fatal(err)
			}
			if last := w.Last(); last.Event.Kind != eventkind.Boot || !strings.Contains(last.Source, "action_test.go:") {
				t.Errorf("%v is located at %q, want a line of action_test.go", last.Event, last.Source)
			}
		})
	}
}
