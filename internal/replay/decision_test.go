package replay_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

func TestDecision(t *testing.T) {
	for _, c := range []struct {
		answer stepinfo.Answer
		want   string
	}{
		{stepinfo.Answer{Kind: choose.Compare, Label: "is it earlier", Pick: 0, Arity: 2}, "is it earlier: no"},
		{stepinfo.Answer{Kind: choose.Compare, Label: "is it earlier", Pick: 1, Arity: 2}, "is it earlier: yes"},
		{stepinfo.Answer{Kind: choose.Outcome, Label: "unsynced writes that survive", Pick: 0, Arity: 2},
			"unsynced writes that survive: none of 1"},
		{stepinfo.Answer{Kind: choose.Outcome, Label: "unsynced writes that survive", Pick: 2, Arity: 4}, "unsynced writes that survive: 2 of 3"},
		{stepinfo.Answer{Kind: choose.Draw, Label: "leader", Pick: 0, Arity: 3}, "leader: 0 of 0..2"},
	} {
		if got := replay.Decision(c.answer); got != c.want {
			t.Errorf("%+v: %q, want %q", c.answer, got, c.want)
		}
	}
}

// scribe writes before it sends, and once more.
type scribe struct{ sim.Nop }

func (scribe) Keep(env sim.Env) {
	env.Disk().Put("term", []byte{1})
	env.Send(1, card{1})
	env.Disk().Put("vote", []byte{2})
	env.Disk().Sync()
}

// A crash inside a step names what happened, what did not, and the writes that survived, those of steps
// before included.
func TestAftermath(t *testing.T) {
	sys := &sim.System{
		Name: "keepers", Nodes: 2, New: func(sim.NodeID) sim.Service { return scribe{} },
		Network: netsim.Datagrams{}, Crashes: 1,
		Actions: []sim.AnyAction{sim.Action[scribe]{Name: "keep", Do: scribe.Keep}},
	}
	path := follow(t, sys, "action n0 keep")
	for _, c := range []struct {
		picks choose.Path // where it crashes, and how many of the writes survive
		want  []string
	}{
		{choose.Path{1}, []string{"did not happen: write term (decision_test.go:36), send card{1} to n1, write vote, sync"}},
		{choose.Path{2, 0}, []string{"happened: write term", "did not happen: send card{1} to n1 (decision_test.go:37), write vote, sync", "none of 1 unsynced write survived (lost: term)"}},
		{choose.Path{4, 1}, []string{"happened: write term, send card{1} to n1, write vote", "did not happen: sync (decision_test.go:39)", "1 of 2 unsynced writes survived (term; lost: vote)"}},
		{choose.Path{4, 2}, []string{"happened: write term, send card{1} to n1, write vote", "did not happen: sync (decision_test.go:39)", "2 of 2 unsynced writes survived (term, vote)"}},
	} {
		crashed := append(slices.Clone(path[:len(path)-1]), c.picks...)
		s := record(t, sys, crashed).Steps[0]
		if got := s.Aftermath(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.picks, got, c.want)
		}
	}
}
