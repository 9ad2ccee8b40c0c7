package machine_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/machine"
)

type params struct {
	Clients, Servers int
	Lossy            bool
	Left             string
}

func TestGrid(t *testing.T) {
	got := slices.Collect(machine.Grid[params](struct {
		Clients []int
		Lossy   []bool
	}{[]int{1, 2}, []bool{false, true}}))
	want := []params{{Clients: 1}, {Clients: 1, Lossy: true}, {Clients: 2}, {Clients: 2, Lossy: true}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for p := range machine.Grid[params](struct{}{}) {
		if p != (params{}) {
			t.Errorf("got %+v, want zero", p)
		}
	}
}

type four struct{ A, B, C, D int }

// All pairs of values occur, in few combinations, each at most once.
func TestPairwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var values [4][]int
		for i := range values {
			for v := range rapid.IntRange(1, 4).Draw(t, "values") {
				values[i] = append(values[i], v)
			}
		}
		axes := struct{ A, B, C, D []int }{values[0], values[1], values[2], values[3]}
		seen := map[string]int{}
		n := 0
		for p := range machine.Pairwise[four](axes) {
			n++
			f := []int{p.A, p.B, p.C, p.D}
			for i := range f {
				for j := range i {
					seen[fmt.Sprint(j, f[j], i, f[i])]++
				}
			}
		}
		pairs, grid := 0, 1
		for i := range values {
			grid *= len(values[i])
			for j := range i {
				pairs += len(values[i]) * len(values[j])
			}
		}
		if len(seen) != pairs || n > grid || n > 24 {
			t.Fatalf("%d combinations have %d of %d pairs; the grid has %d", n, len(seen), pairs, grid)
		}
	})
}

func TestAxesThatDoNotFit(t *testing.T) {
	for name, axes := range map[string]any{
		"no struct": 1, "no such field": struct{ X []int }{[]int{1}}, "another type": struct{ Clients []string }{[]string{"a"}},
		"no values": struct{ Clients []int }{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			machine.Grid[params](axes)
		}()
	}
}
