package choose_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
)

// A draw is fair by its weights, also after they were cloned. Random draws it like one without weights.
func TestFair(t *testing.T) {
	fair := choose.Point{Kind: choose.Draw, Arity: 3, Weights: choose.Fairly()}
	cloned := fair
	cloned.Weights = slices.Clone(fair.Weights)
	plain := choose.Point{Kind: choose.Draw, Arity: 3}
	if !fair.Fair() || !cloned.Fair() || plain.Fair() || (choose.Point{Kind: choose.Draw, Arity: 1, Weights: []int{1}}).Fair() {
		t.Error("fair, cloned and plain:", fair.Fair(), cloned.Fair(), plain.Fair())
	}
	a, b := choose.NewRandom(1, 1), choose.NewRandom(1, 1)
	for range 100 {
		if x, y := a.Choose(fair), b.Choose(plain); x != y || fair.Weight(x) != 1 {
			t.Fatalf("drawn %d and %d, weight %d", x, y, fair.Weight(x))
		}
	}
}
