package por_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Bundled systems, with and without their bugs, have the same verdict with reductions, and fewer states.
func TestReduction_BundledSystems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("visits some hundred thousand states")
	}
	const most = 150_000
	compared, fewer := 0, 0
	for _, name := range []string{"paxos", "twophase", "synod", "echo", "register", "synod quorum", "echo quorum", "register quorum"} {
		name, quorum := strings.CutSuffix(name, " quorum")
		e, err := papers.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		params := map[string]string{}
		if quorum {
			params["quorum"] = "true"
		}
		for _, bugs := range append([][]string{nil}, bugsOf(&e)...) {
			sys, err := e.New(spec.Config{Bugs: bugs, Params: params})
			if err != nil {
				t.Fatal(err)
			}
			all, err := table.Explore(context.Background(), &sys, patient(most, options.ReduceNone))
			if err == nil && all.Stopped == "states" {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			for _, how := range []options.Reduction{options.ReduceDrop, options.ReduceFull} {
				some, err := table.Explore(context.Background(), &sys, patient(2*most, how))
				if err != nil {
					t.Fatal(err)
				}
				if kindOf(some.Finding) != kindOf(all.Finding) || some.LivenessChecked != all.LivenessChecked || some.Dead > 0 != (all.Dead > 0) ||
					all.Finding == nil && !slices.Equal(some.Coverage.Sometimes, all.Coverage.Sometimes) {
					t.Errorf("%s %v, %s: found %v, %d dead, sometimes %v; all states: %v, %d dead, %v", e.Name, bugs, how, some.Finding, some.Dead,
						some.Coverage.Sometimes, all.Finding, all.Dead, all.Coverage.Sometimes)
				}
				compared++
				if all.Finding == nil && some.States < all.States {
					fewer++
				}
				t.Logf("%s %v %v, %s: %d of %d states, %s", e.Name, params, bugs, how, some.States, all.States, some.Reduced.Why)
			}
		}
	}
	if compared < 40 || fewer < 10 {
		t.Errorf("%d compared, %d with fewer states", compared, fewer)
	}
}

// patient are options with which handlers that do not return are found.
func patient(most int, how options.Reduction) options.Options {
	return options.Options{MaxStates: most, Reduce: how, World: kernel.Options{Overdue: func(ticks int) bool { return ticks > 500 }}}
}

func bugsOf(e *spec.Entry) (list [][]string) {
	for _, b := range e.Bugs {
		list = append(list, []string{b.ID})
	}
	return list
}

func kindOf(err error) (k sim.FindingKind) {
	var f *sim.Finding
	if errors.As(err, &f) {
		k = f.Kind
	}
	return k
}

// Properties that look at each node for itself keep nothing from being reduced, however many states the nodes have.
func TestReduction_PropertyOfEachNode(t *testing.T) {
	t.Parallel()
	e, err := papers.Find("paxos")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	there := func(_ sim.NodeID, s sim.Service) bool { return s != nil }
	sys.Properties = append(slices.Clone(sys.Properties), sim.Property{Name: "all there", Always: sim.Each(there)}, sim.Property{Name: "one there", Always: sim.Any(there)})
	x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: options.ReduceFull})
	if err != nil || !x.Complete || x.States != 875 {
		t.Errorf("%v, complete: %v, %d states", err, x.Complete, x.States)
	}
}

// The counts of protocols that take quorums: messages that are not needed are dropped, and the choice of the majority does not matter.
func TestReduction_Quorums(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system         string
		all, dropped   int
		full, transits int
	}{{"synod", 27_662, 903, 252, 864}, {"echo", 2401, 1089, 1, 0}, {"register", 82_003, 17_601, 5228, 26_167}} {
		if testing.Short() && c.all > 50_000 {
			continue
		}
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: map[string]string{"quorum": "true"}})
		if err != nil {
			t.Fatal(err)
		}
		for how, want := range map[options.Reduction]int{options.ReduceNone: c.all, options.ReduceDrop: c.dropped, options.ReduceFull: c.full} {
			x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
			if err != nil || x.Finding != nil || !x.Complete || x.States != want || x.Reduced.Used != how || how == options.ReduceFull && x.Transitions != c.transits {
				t.Errorf("%s, %s: %v, found %v, complete: %v, %d states and %d transitions; want %d", c.system, how, err, x.Finding, x.Complete, x.States, x.Transitions, want)
			}
		}
	}
}

// The counts of the bundled Paxos.
func TestReduction_Paxos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for _, c := range []struct {
		proposers int
		how       options.Reduction
		states    int
	}{
		{2, options.ReduceNone, 98_160}, {2, options.ReduceDrop, 3853}, {2, options.ReduceFull, 875}, {3, options.ReduceFull, 29_643},
	} {
		e, err := papers.Find("paxos")
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: map[string]string{"proposers": strconv.Itoa(c.proposers)}})
		if err != nil {
			t.Fatal(err)
		}
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: c.how})
		if err != nil || x.Finding != nil || !x.Complete || x.States != c.states || x.Reduced.Used != c.how {
			t.Errorf("%d proposers, %s: %v, found %v, complete: %v, %d states; want %d", c.proposers, c.how, err, x.Finding, x.Complete, x.States, c.states)
		}
		if c.how == options.ReduceFull && (x.Depth != 0 || x.Reduced.Passed == 0 || x.Reduced.Rounds == 0) {
			t.Errorf("depth %d, %+v", x.Depth, x.Reduced)
		}
	}
}
