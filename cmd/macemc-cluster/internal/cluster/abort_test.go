package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
	"github.com/nats-io/nats.go/jetstream"
)

// An aborted search ends with an error. Nothing remains of it, or of a search that ended and was not removed.
func TestAbort(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, 1)
	nc := connected(t, url, Security{})
	left, err := create(t.Context(), nc, Manifest{ID: newID(), Parts: parts, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	_, err = search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "3"}}, func(o *options.Options) {
		o.Progress = func(states, _, _, _ int) {
			if ids == nil && states > 1000 {
				var err error
				if ids, err = Abort(t.Context(), url, Security{}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if err == nil || !strings.Contains(err.Error(), "was removed") || len(ids) != 2 || !slices.Contains(ids, left.ID) {
		t.Errorf("got %v removed, error %v, want two runs, and that one was removed", ids, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		if name != "KV_"+runsBucket {
			t.Errorf("got stream %s left, want none", name)
		}
	}
	if ids, err := Abort(t.Context(), url, Security{}); err != nil || len(ids) > 0 {
		t.Errorf("got %v removed again, error %v, want none", ids, err)
	}
	x, err := search(t, url, "paxos", spec.Config{})
	if err != nil || !x.Complete {
		t.Errorf("got %+v, error %v, want all states", x, err)
	}
}
