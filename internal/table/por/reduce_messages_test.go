package por_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// sender sends a message that its receiver ignores, and is done then.
type sender struct {
	sim.Nop
	Done bool
}

func (s *sender) send(env sim.Env) {
	env.Send(1, word{})
	s.Done = true
}

// Properties that turn to the messages in flight only in some states are about the states of the system, not about those in which messages were
// dropped before that was known: others that quorums take never leave.
func TestReduction_PropertySometimesReadsMessages(t *testing.T) {
	t.Parallel()
	done := func(v *sim.View) bool { return v.Service(0).(*sender).Done }
	gone := func(v *sim.View) bool {
		for range v.InFlight() {
			return false
		}
		return true
	}
	for _, quorum := range []bool{false, true} {
		for _, p := range []sim.Property{
			{Name: "always", Always: func(v *sim.View) bool { return !done(v) || !gone(v) }},
			{Name: "sometimes", Sometimes: func(v *sim.View) bool { return done(v) && gone(v) }},
		} {
			sys := sim.System{
				Name: "sender", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(sender) },
				Actions: []sim.AnyAction{sim.Action[*sender]{Name: "send", Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, Do: (*sender).send}},

				Properties: []sim.Property{p},
			}
			if quorum {
				sys.Quorums = []sim.AnyQuorum{sim.Quorum[*sender, word]{Name: "two", Need: func(*sender) int { return 2 }, Do: func(*sender, sim.Env, []sim.From[word]) {}}}
			}
			for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull, options.ReduceAuto} {
				x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
				if err != nil {
					t.Fatal(err)
				}
				if (x.Finding != nil) != (p.Always != nil && !quorum) || p.Sometimes != nil && (x.Coverage.Sometimes[0] == quorum || !x.Complete) {
					t.Errorf("%s, %s, quorum %v: %v, held %v, %+v", p.Name, how, quorum, x.Finding, x.Coverage.Sometimes, x.Reduced)
				}
				if x.Finding != nil && !violates(t, &sys, x.Path) {
					t.Errorf("%s, %s: %v at the end of %v, where it holds", p.Name, how, x.Finding, x.Path)
				}
			}
		}
	}
}

// violates reports whether a property does not hold at the end of a path.
func violates(t *testing.T, sys *sim.System, path choose.Path) bool {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := &choose.Prefix{Path: path}
	err = w.Start(src)
	for err == nil && !src.Done() {
		index, _ := src.Take()
		err = w.Step(w.Injections(slices.Clone(w.Enabled()))[index], src)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.Check() != nil
}
