package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers/register"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Paths with sets of messages survive a file, and going back to any step.
func TestQuorumFile(t *testing.T) {
	sys := systest.Build(t, register.Entry(), spec.Config{Params: map[string]string{"quorum": "true"}}, sim.Limits{sim.Crashes: 1, sim.Dup: 2})
	taken := 0
	for seed := range uint64(20) {
		path := systest.RandomPath(t, &sys, seed, 60)
		f := rewritten(t, &sys, path)
		for i := range f.Steps {
			if f.Steps[i].Index = 99; strings.HasPrefix(f.Steps[i].Key, "quorum ") {
				taken++
			}
		}
		r, err := replay.ReadFile(&sys, f)
		if err != nil || !slices.Equal(r.Path, path) {
			t.Fatalf("seed %d: path %v, want %v; %v", seed, r.Path, path, err)
		}
		goneBackTo(t, &sys, path)
	}
	if taken < 20 {
		t.Errorf("%d sets were taken", taken)
	}
}

// The senders of a set are named, for any content of its messages.
func TestQuorumSentence(t *testing.T) {
	l := stepinfo.Label{Event: netmodel.Event{Kind: eventkind.TakeQuorum, Node: 0, Peer: -1}, Content: "a majority",
		Set: []sim.From[string]{{From: 2, Msg: `Reply{Text:"} <-n7 "}`}, {From: 11, Msg: `Reply{Inner:{A:" <-n8 "}}`}}}
	if got, want := replay.Describe(&l), "n0 receives a majority from n2, n11"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
