package option

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/search/strategy"
)

type values struct {
	Depth, Steps int
	Limit        time.Duration
	Kind, Seed   string
	Merge        bool
}

var rows = []Row[values]{
	{Flag: "depth", Field: "Depth", At: func(v *values) any { return &v.Depth }, Least: 1, Most: 9, Needs: strategy.BoundsDepth, Is: Fixed},
	{Flag: "steps", Field: "Steps", At: func(v *values) any { return &v.Steps }, Zero: 7, Least: 1, Is: Fixed | Usual},
	{Flag: "limit", Field: "Limit", At: func(v *values) any { return &v.Limit }, Zero: func() time.Duration { return time.Second }, Least: 1},
	{Flag: "kind", Field: "Kind", At: func(v *values) any { return &v.Kind }, Kinds: []string{"no", "some"}, Idle: []string{"no"},
		Needs: strategy.VisitsStates, Is: Omits},
	{Flag: "seed", Field: "Seed", At: func(v *values) any { return &v.Seed }, Needs: strategy.Deepens, Is: Lenient},
	{Flag: "merge", Field: "Merge", At: func(v *values) any { return &v.Merge }, Not: []string{"steps"}, With: "kind"},
}

func TestCheck(t *testing.T) {
	given := func(flags ...string) func(string) bool {
		return func(f string) bool { return slices.Contains(flags, f) }
	}
	for _, c := range []struct {
		v        values
		strategy string
		given    func(string) bool
		want     string
	}{
		{values{}, "walk", nil, ""},
		{values{Depth: -1}, "bfs", nil, "Depth is -1, must not be negative"},
		{values{Depth: 10}, "bfs", nil, "Depth is 10, must be at most 9"},
		{values{Depth: 9}, "bfs", nil, ""},
		{values{Depth: 9}, "walk", nil, "Depth needs a strategy that bounds the depth (deepening, bfs, dfs), not walk"},
		{values{Seed: "1"}, "walk", nil, ""},
		{values{Seed: "1"}, "walk", given("seed"), "--seed 1 needs a strategy that deepens iteratively (deepening), not walk"},
		{values{}, "bfs", given("depth"), "--depth is 0, must be at least 1"},
		{values{}, "bfs", given("limit"), "--limit is 0s, must be positive"},
		{values{Kind: "other"}, "bfs", given(), `--kind "other" is not available; accepted are no, some`},
		{values{}, "bfs", given("kind"), `--kind "" is not available; accepted are no, some`},
		{values{Kind: "no"}, "walk", given("kind"), ""},
		{values{Kind: "some"}, "", given("kind"), "--kind some needs a strategy that visits all states (bfs, dfs), not deepening"},
		{values{Kind: "some"}, "bfs", given("kind"), ""},
		{values{Merge: true, Steps: 2}, "bfs", given("merge", "steps"), "--merge and --steps contradict each other; give one of them"},
		{values{Merge: true}, "bfs", given(), "--merge needs --kind; give both"},
		{values{Merge: true, Kind: "no"}, "bfs", given("merge", "kind"), ""},
	} {
		err := Check(rows, &c.v, Caller{c.strategy, c.given}, c.given)
		if got := ""; err != nil && err.Error() != c.want || err == nil && got != c.want {
			t.Errorf("%+v with %q: got %v, want %q", c.v, c.strategy, err, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	v := values{Depth: 3}
	Complete(rows, &v)
	if want := (values{Depth: 3, Steps: 7, Limit: time.Second}); v != want {
		t.Errorf("got %+v, want %+v", v, want)
	}
}

func TestMarks(t *testing.T) {
	v, flags := values{Depth: 3, Kind: "some", Limit: 5}, Caller{Given: func(string) bool { return false }}
	if err := Complain(rows, &v, flags, "--log"); err == nil || err.Error() != "--log cannot be combined with --kind some, which omits states" {
		t.Errorf("got %v", err)
	}
	v.Kind = "no"
	if err := Complain(rows, &v, flags, "--log"); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if got, want := Settings(rows, &v), map[string]string{"depth": "3"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Flags(rows, Usual); !slices.Equal(got, []string{"steps"}) {
		t.Errorf("got %v, want steps", got)
	}
}
