package critical_test

import (
	"context"
	"errors"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/test/automaton"
)

// expiring is a context with a deadline that passes after so many queries.
type expiring struct {
	context.Context
	left int
}

func (e *expiring) Err() error {
	if e.left--; e.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A run is called dead when a quarter of the walks of a probe, and 8, show it before the deadline, and never before.
func TestDeadline(t *testing.T) {
	dead := chain(4, 2)
	path := append(repeat(0, 2), 1)
	path = append(path, repeat(0, 60)...)
	cases := map[critical.Case]int{}
	step := 5
	if testing.Short() {
		step = 25
	}
	for left := 0; left < 1200; left += step {
		res, err := critical.Find(&expiring{t.Context(), left}, critical.Config{
			System: dead.System(), Path: path, WalkSteps: 20, Walks: 12, Workers: 1, States: -1,
		})
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) || len(cases) > 0 {
				t.Fatalf("after %d looks, and %v: %v", left, cases, err)
			}
			continue
		}
		cases[res.Case]++
		if !res.Violation() || res.Proof != critical.Walks || res.After.Recovered != 0 || res.After.Walks < 8 || res.Unproven == "" {
			t.Fatalf("after %d looks: %+v", left, res)
		}
		if res.Case == critical.Unlocated && (res.Step != 0 || res.After.Step < 3) ||
			res.Case == critical.Located && (res.Step != 3 || res.Before.Recovered == 0) {
			t.Fatalf("after %d looks: %+v", left, res)
		}
	}
	if cases[critical.Unlocated] == 0 || cases[critical.Located] == 0 || len(cases) != 2 {
		t.Errorf("cases %v", cases)
	}
}

// A deadline makes no violation of a run that recovers, be it only from its end.
func TestDeadlineOfRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	late := automaton.Table{Live: []int{30}}
	for s := range 30 {
		late.Moves = append(late.Moves, automaton.To(s, s+1))
	}
	for name, c := range map[string]struct {
		table automaton.Table
		path  choose.Path
	}{
		"as walks do":      {flips(3, -1), wrong(50)},
		"only seldom":      {flips(8, -1), wrong(50)},
		"after more steps": {late, repeat(0, 3)},
	} {
		for left := 0; left < 500; left += 3 {
			res, err := critical.Find(&expiring{t.Context(), left}, critical.Config{
				System: c.table.System(), Path: c.path, WalkSteps: 20, Walks: 40, Workers: 1,
			})
			if err == nil && res.Violation() {
				t.Fatalf("%s: after %d looks: %+v", name, left, res)
			}
		}
	}
}

// A cancelled search returns no result.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tab := chain(4, 2)
	if res, err := critical.Find(ctx, critical.Config{System: tab.System(), Path: repeat(0, 3)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", res, err)
	}
}
