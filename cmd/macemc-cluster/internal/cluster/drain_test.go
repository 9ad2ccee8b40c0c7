package cluster

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

// leaver starts a worker that can be ended, and returns its end.
func leaver(t *testing.T, url string) (end context.CancelFunc, ended chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended = make(chan error, 1)
	w := Worker{URL: url, Build: "test", Job: job, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	go func() { ended <- w.Work(ctx) }()
	return cancel, ended
}

// A worker that leaves hands over its parts, whether it leads or not, and whether it is drained or interrupted. All
// states are counted, without waiting for a timeout.
func TestDrain(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	var end [3]context.CancelFunc
	var ended [3]chan error
	for i := range end {
		end[i], ended[i] = leaver(t, url)
	}
	const leads, follows, joins, ends, all = 0, 1, 2, 3, 4
	workers := [...]int{leads: 3, follows: 2, joins: 1, ends: 2, all: 1}
	at := leads
	system, letGo := hold(t, "paxos")
	x, err := search(t, url, system, spec.Config{Params: map[string]string{"proposers": "3"}}, func(o *options.Options) {
		o.MaxDepth = 16
		o.Progress = func(states, _, _, _ int) {
			st, err := StatusOf(t.Context(), url, Security{})
			if err != nil || len(st.Workers) != workers[at] || states < 1000 || at == all {
				return
			}
			switch at {
			case joins:
				if _, _, err := Drain(t.Context(), url, Security{}, st.Workers[0].Worker); err == nil || !strings.Contains(err.Error(), "the only one") {
					t.Errorf("got error %v, want one about the only worker", err)
				}
				work(t, url, 1)
			case ends:
				for _, end := range end {
					end()
				}
			default:
				i := slices.IndexFunc(st.Workers, func(w WorkerStatus) bool { return w.Leads == (at == leads) })
				w := st.Workers[i]
				if _, parts, err := Drain(t.Context(), url, Security{}, w.Worker); err != nil || parts != w.Parts {
					t.Errorf("worker %d: got %d parts, error %v, want all %d", w.Worker, parts, err, w.Parts)
				}
				if _, _, err := Drain(t.Context(), url, Security{}, w.Worker); err == nil || !strings.Contains(err.Error(), "does not take part") {
					t.Errorf("got error %v, want one about a worker that does not take part", err)
				}
			}
			if at++; at == all {
				letGo()
			}
		}
	})
	for _, ended := range ended {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if at != all || x.States != 1_074_212 || x.Transitions != 4_873_161 {
		t.Errorf("after %d of %d: got %d states, %d transitions, stopped by %q, want 1074212, 4873161", at, all, x.States,
			x.Transitions, x.Stopped)
	}
}

// More copies than there are servers are refused.
func TestReplicas(t *testing.T) {
	t.Parallel()
	s := Search{URL: serve(t), Manifest: Manifest{Build: "test", Title: "paxos", Visited: "128", Replicas: 3}}
	sys, err := named("paxos", spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	visited, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Explore(t.Context(), &sys, options.Options{Visited: visited}); err == nil || !strings.Contains(err.Error(), "--replicas 1") {
		t.Errorf("got error %v, want one about --replicas 1", err)
	}
}
