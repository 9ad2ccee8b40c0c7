package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

// Two workers that join a searching worker at the same time take part, and all states are counted.
func TestSpares(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, 1)
	joined, most := false, 0
	system, letGo := hold(t, "paxos")
	x, err := search(t, url, system, spec.Config{Params: map[string]string{"proposers": "3"}}, func(o *options.Options) {
		o.MaxDepth = 16
		o.Progress = func(states, _, _, _ int) {
			if !joined && states > 1000 {
				joined = true
				work(t, url, 2)
			}
			if st, err := StatusOf(t.Context(), url, Security{}); err == nil && len(st.Workers) > most {
				if most = len(st.Workers); most == 3 {
					letGo()
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if most != 3 || x.States != 1_074_212 || x.Transitions != 4_873_161 {
		t.Errorf("got %d workers, %d states, %d transitions, stopped by %q, want 3, 1074212, 4873161", most, x.States, x.Transitions, x.Stopped)
	}
}

// With more workers than parts some are idle, and do no harm.
func TestMoreWorkersThanParts(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, parts+1)
	most, idle := 0, false
	system, letGo := hold(t, "paxos")
	x, err := search(t, url, system, spec.Config{Params: map[string]string{"proposers": "2"}}, func(o *options.Options) {
		o.Progress = func(int, int, int, int) {
			st, err := StatusOf(t.Context(), url, Security{})
			if err != nil || len(st.Workers) < most || idle {
				return
			}
			most = len(st.Workers)
			for _, w := range st.Workers {
				idle = idle || most == parts+1 && w.Parts == 0
			}
			if idle {
				letGo()
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if most != parts+1 || !idle || !x.Complete || x.States != 98_160 || x.Transitions != 506_256 {
		t.Errorf("got %d workers, an idle one %v, %d states, %d transitions, stopped by %q, want %d, true, all: 98160, 506256", most,
			idle, x.States, x.Transitions, x.Stopped, parts+1)
	}
}

// A search rejects workers above the maximum number, with an error. It does not wait for a removed worker.
func TestEnlist(t *testing.T) {
	t.Parallel()
	nc := connected(t, serve(t), Security{})
	r, err := create(t.Context(), nc, Manifest{ID: newID(), Parts: parts, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range members {
		if self, err := r.enlist(t.Context()); err != nil || int(self) != i+1 {
			t.Fatalf("got worker %d, error %v, want %d", self, err, i+1)
		}
	}
	if _, err := r.enlist(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has had %d workers", members)) {
		t.Errorf("got error %v, want that the run has had %d workers", err, members)
	}
	if err := r.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.enlist(t.Context()); !gone(err) {
		t.Errorf("got error %v, want that the run is gone", err)
	}
	if err := (&member{run: r, self: 1}).watch(t.Context()); !gone(err) {
		t.Errorf("got error %v, want that the run is gone", err)
	}
}
