package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/cases"
	"github.com/macemc/macemc/search"
	"pgregory.net/rapid"
)

// again returns the Reach of a process that has only the pieces written by others.
func again(t rapid.TB, pieces [][]byte) *search.Reach {
	r := search.NewReach()
	for _, p := range pieces {
		if err := r.Decode(p); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// A sequence of deepening searches, in which each resumes its predecessor, visits all states that brute force visits. It
// suspects a run that ends in a dead state if there are any. One process and a sequence of processes search alike.
func TestReach_Oracle(t *testing.T) {
	cases.Check(t, 40, func(t *rapid.T) {
		tab := drawTable(t)
		sys := tab.System()
		o := explore(t, &sys)
		dead := o.dead()
		suspected, alone := 0, rapid.Bool().Draw(t, "alone")
		cfg := search.Config{
			HandlerLimit: patient, System: sys, WalkSteps: 400, Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			DeepenBy: rapid.IntRange(1, 3).Draw(t, "by"), Alone: alone,
			MaxPaths: rapid.IntRange(1, 40).Draw(t, "paths"),
			Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
				// A walk from the start may be the only one that passes a dead state, if it sees the state first.
				if (!alone || s.Strategy == search.Deepening) && dead[endOf(t, o, &sys, s.Path)] {
					suspected++
				}
				return search.Confirmed{Refuted: true}, nil
			},
		}
		one := search.NewReach() // in one process
		var pieces [][]byte
		for n := uint64(1); ; n++ {
			cfg.Seed = n
			var results [2]string
			var res *search.Result
			for i, reach := range []*search.Reach{one, again(t, pieces)} {
				var err error
				cfg.Reach = reach
				if res, err = search.Run(context.Background(), cfg); err != nil {
					t.Fatal(err)
				}
				results[i] = withoutTimes(res)
				piece, err := reach.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					pieces = append(pieces, piece)
				}
			}
			if results[0] != results[1] {
				t.Fatalf("search %d in one process:\n%s\nin another one:\n%s", n, results[0], results[1])
			}
			if res.Stopped == stats.StoppedPaths {
				continue
			}
			if res.Stopped != stats.StoppedComplete || !res.Stats.Complete || res.Stats.States != len(o.paths) {
				t.Fatalf("%d states (%s), brute force finds %d", res.Stats.States, res.Stopped, len(o.paths))
			}
			break
		}
		if slices.Contains(dead, true) != (suspected > 0) {
			t.Fatalf("dead states %v, %d suspects", dead, suspected)
		}
	})
}

// An incomplete piece is rejected, and so is a search that could not continue.
func TestReach_Refused(t *testing.T) {
	tab := rapid.Custom(drawTable).Example(3)
	cfg := search.Config{HandlerLimit: patient, System: tab.System(), MaxPaths: 3, Reach: search.NewReach()}
	if _, err := cfg.Reach.Encode(); err == nil {
		t.Error("what has not begun is written")
	}
	if _, err := search.Run(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	piece, err := cfg.Reach.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range piece {
		if (len(piece)-n)%18 != 0 && search.NewReach().Decode(piece[:n]) == nil {
			t.Errorf("%d bytes of %d are taken", n, len(piece))
		}
	}
	cfg.Strategy = search.Walk
	if _, err := search.Run(context.Background(), cfg); err == nil {
		t.Error("random walks go on with deepening")
	}
}
