package cluster

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

// Dead states and the shortest path to one are found as by one process. A lack of memory is reported.
func TestDead(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, 2)
	visited, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		bugs []string
		dead bool
	}{{nil, false}, {[]string{"TP3"}, true}} {
		conf := spec.Config{Bugs: test.bugs}
		sys, err := named("twophase", conf)
		if err != nil {
			t.Fatal(err)
		}
		want, err := table.Explore(context.Background(), &sys, options.Options{Visited: visited})
		if err != nil || !want.LivenessChecked || (want.Dead > 0) != test.dead {
			t.Fatalf("bugs %v, alone: got %+v, error %v, want dead states: %v", test.bugs, want, err, test.dead)
		}
		got, err := search(t, url, "twophase", conf)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Complete || !got.LivenessChecked || got.States != want.States || got.Dead != want.Dead || got.DeadCritical != want.DeadCritical {
			t.Errorf("bugs %v: %d states, liveness judged: %v, %d dead by step %d, must be %d states, %d dead by step %d", test.bugs,
				got.States, got.LivenessChecked, got.Dead, got.DeadCritical, want.States, want.Dead, want.DeadCritical)
		}
		t.Logf("bugs %v: %d of %d states dead", test.bugs, got.Dead, got.States)
		if !test.dead {
			continue
		}
		poor, err := search(t, url, "twophase", conf, func(o *options.Options) { o.MaxBytes = 1000 })
		if err != nil || !poor.Complete || poor.LivenessChecked || poor.Dead != 0 {
			t.Errorf("bugs %v, without memory: got %+v, error %v, want all states, and liveness not judged", test.bugs, poor, err)
		}
	}
}
