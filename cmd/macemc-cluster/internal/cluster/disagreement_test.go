package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// broken makes a system that is another one than the job's: one that counts wrongly, or begins with other states.
func broken(text json.RawMessage) (*sim.System, func(int) bool, error) {
	sys, overdue, err := job(text)
	if err != nil || sys.Name != "rings" {
		c := spec.Config{Params: map[string]string{"proposers": "3"}, Bugs: []string{"PX1"}}
		wrong, err := named("paxos", c)
		wrong.Properties = nil
		return &wrong, overdue, err
	}
	var j struct{ System string }
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, nil, err
	}
	wrong := held(rings(func(r *ring) {
		if r.N = (r.N + 1) % 9; r.N == 0 {
			r.N = 1 // as in other workers, so only a worker that executes the same step notices
		}
	}), j.System)
	return &wrong, overdue, err
}

// rings is a system of nodes that count round.
func rings(turn func(*ring)) sim.System {
	return sim.System{
		Name: "rings", Nodes: 7, New: func(sim.NodeID) sim.Service { return &ring{} },
		Actions: []sim.AnyAction{sim.Action[*ring]{Name: "turn", Do: func(r *ring, _ sim.Env) { turn(r) }}},
	}
}

type ring struct {
	sim.Nop
	N int
}

// A worker with wrong but plausible results is detected and named.
func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		conf   spec.Config
	}{{"rings", spec.Config{}}, {"paxos", spec.Config{Params: map[string]string{"proposers": "3"}}}} {
		t.Run(c.system, func(t *testing.T) {
			t.Parallel()
			url := serve(t)
			names := make(chan int, 1) // of the broken one
			w := Worker{URL: url, Build: "test", Job: broken, Log: slog.New(listener{slog.NewTextHandler(t.Output(), nil), names})}
			ctx, cancel := context.WithCancel(context.Background())
			var all sync.WaitGroup
			all.Go(func() { _ = w.Work(ctx) })
			t.Cleanup(func() { cancel(); all.Wait() })
			work(t, url, 2)
			system, letGo := hold(t, c.system)
			x, err := search(t, url, system, c.conf, func(o *options.Options) {
				o.MaxDepth = 19
				o.Progress = func(int, int, int, int) { // none can be noticed if it searches alone
					if st, err := StatusOf(t.Context(), url, Security{}); err == nil && len(st.Workers) == 3 {
						letGo()
					}
				}
			})
			if err == nil {
				t.Fatalf("got %+v, want an error", x)
			}
			name := fmt.Sprintf("worker %d", <-names)
			if strings.Contains(err.Error(), "in a log") && !strings.HasPrefix(err.Error(), name) {
				return // it was the only worker for a while, and others read its log
			}
			if !strings.HasPrefix(err.Error(), name) {
				t.Errorf("got error %v, want one of the broken %s", err, name)
			}
			var differs *DiffersError
			if c.system == "rings" && (!errors.As(err, &differs) || len(differs.Keys) == 0) {
				t.Errorf("got error %v, want one with the steps to a state that differs", err)
			}
		})
	}
}

// listener passes on the output of a worker, and extracts its number.
type listener struct {
	slog.Handler
	names chan int
}

func (l listener) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if r.Message == "searching" && a.Key == "worker" {
			l.names <- int(a.Value.Int64())
		}
		return true
	})
	return l.Handler.Handle(ctx, r)
}
