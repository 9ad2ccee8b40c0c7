package refine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table/refinement"
)

// toy is a system given by a table. Label 0 is unobservable.
type toy struct {
	roots []refinement.Transition
	rows  [][]refinement.Transition
	quiet []bool // states in which it may stay without observations
}

func (s *toy) Len() int                                        { return len(s.rows) }
func (s *toy) Roots() ([]refinement.Transition, error)         { return s.roots, nil }
func (s *toy) From(id uint32) ([]refinement.Transition, error) { return s.rows[id], nil }
func (s *toy) silence(_ context.Context) (silence, error)      { return s, nil }
func (s *toy) Run(id uint32) (steps []uint32, round int)       { return nil, 0 }
func (s *toy) May(id uint32) bool {
	return slices.ContainsFunc(s.silently(id), func(at uint32) bool { return s.quiet[at] })
}

// silently returns the states reachable by unobservable steps.
func (s *toy) silently(id uint32) []uint32 {
	met := []uint32{id}
	for k := 0; k < len(met); k++ {
		for _, step := range s.rows[met[k]] {
			if step.Label == 0 && !slices.Contains(met, step.To) {
				met = append(met, step.To)
			}
		}
	}
	return met
}

func randomToy(r *rand.Rand, states, steps int) *toy {
	s := &toy{rows: make([][]refinement.Transition, states), quiet: make([]bool, states)}
	for range 1 + r.IntN(2) {
		s.roots = append(s.roots, refinement.Transition{To: uint32(r.IntN(states)), Label: uint32(1 + r.IntN(2)*r.IntN(2))})
	}
	for range steps {
		at := r.IntN(states)
		s.rows[at] = append(s.rows[at], refinement.Transition{To: uint32(r.IntN(states)), Label: uint32(r.IntN(4))})
	}
	for at := range s.quiet {
		s.quiet[at] = r.IntN(4) == 0
	}
	return s
}

// byDefinition explores all observations of the implementation, breadth first, with all states that the abstraction may
// be in, without omitting sets. It returns the difference, and the number of steps to it.
func byDefinition(impl, abs *toy) (k kind, why string, steps int) {
	type place struct {
		state uint32
		set   string
	}
	sets := map[string][]uint32{}
	closed := func(states []uint32) string {
		var all []uint32
		for _, s := range states {
			all = append(all, abs.silently(s)...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		sets[fmt.Sprint(all)] = all
		return fmt.Sprint(all)
	}
	depth := map[place]int{}
	var queue []place
	meet := func(p place, d int) {
		if _, met := depth[p]; !met {
			depth[p] = d
			queue = append(queue, p)
		}
	}
	for _, r := range impl.roots {
		var start []uint32
		for _, s := range abs.roots {
			if s.Label == r.Label {
				start = append(start, s.To)
			}
		}
		if start == nil {
			return differs, OtherStart, 0
		}
		meet(place{r.To, closed(start)}, 0)
	}
	for n := 0; n < len(queue); n++ {
		p := queue[n]
		for _, step := range impl.rows[p.state] {
			next := place{step.To, p.set}
			if step.Label != 0 {
				var to []uint32
				for _, a := range sets[p.set] {
					for _, other := range abs.rows[a] {
						if other.Label == step.Label {
							to = append(to, other.To)
						}
					}
				}
				if to == nil {
					return differs, NeverDone, depth[p] + 1
				}
				next.set = closed(to)
			}
			meet(next, depth[p]+1)
		}
	}
	for _, p := range queue {
		if impl.May(p.state) && !slices.ContainsFunc(sets[p.set], abs.May) {
			return differs, MustGoOn, depth[p]
		}
	}
	return same, "", 0
}

// disagrees compares one pair of random systems with the definition.
func disagrees(seed uint64, plant func(*comparison)) (how string, want kind, covered int) {
	r := rand.New(rand.NewPCG(seed, 7))
	impl, abs := randomToy(r, 1+r.IntN(5), r.IntN(9)), randomToy(r, 1+r.IntN(5), 3+r.IntN(14))
	want, why, steps := byDefinition(impl, abs)
	c := newComparison(impl, abs, 1000)
	if plant != nil {
		plant(c)
	}
	f, err := c.run(context.Background())
	switch {
	case err != nil:
		return err.Error(), want, c.covered
	case f.kind != want || f.why != why:
		return fmt.Sprintf("%q, by definition %q", f.why, why), want, c.covered
	case f.kind == differs && len(f.steps) != steps:
		return fmt.Sprintf("%d steps, by definition %d", len(f.steps), steps), want, c.covered
	}
	if f.kind == differs && why != OtherStart {
		at, seen := impl.roots[f.root].To, []uint32(nil)
		for _, k := range f.steps {
			step := impl.rows[at][k]
			if at = step.To; step.Label != 0 {
				seen = append(seen, step.Label)
			}
		}
		if !slices.Equal(seen, f.trace) {
			return "the way does not show what is said to be seen", want, c.covered
		}
	}
	return "", want, c.covered
}

func TestDefinition_Agrees(t *testing.T) {
	var of [3]int
	covered := 0
	const systems = 20000
	for seed := range uint64(systems) {
		how, want, n := disagrees(seed, nil)
		if how != "" {
			t.Fatalf("systems %d: %s", seed, how)
		}
		of[want]++
		if n > 0 {
			covered++
		}
	}
	if t.Logf("%d alike, %d differ; pairs were covered in %d", of[same], of[differs], covered); of[same] < systems/10 || of[differs] < systems/10 || covered < systems/50 {
		t.Error("the random systems are not worth much")
	}
}

// defects are comparisons that omit something.
var defects = map[string]func(*comparison){
	"larger sets cover smaller ones": func(c *comparison) { c.covers = func(small, large []uint32) bool { return contains(large, small) } },
	"every set covers":               func(c *comparison) { c.covers = func(_, _ []uint32) bool { return true } },
	"sets of one size cover":         func(c *comparison) { c.covers = func(a, b []uint32) bool { return len(a) == len(b) } },
	"silence is not looked at":       func(c *comparison) { c.impl = loud{c.impl} },
	"the abstraction may always stay silent": func(c *comparison) {
		a := *c.abs.(*toy)
		a.quiet = make([]bool, len(a.quiet))
		for i := range a.quiet {
			a.quiet[i] = true
		}
		c.abs = &a
	},
	"what is not seen is not followed in the abstraction": func(c *comparison) { c.abs = seen{c.abs.(*toy)} },
	"only one root is looked at":                          func(c *comparison) { c.impl = one{c.impl} },
}

type loud struct{ system }

func (l loud) silence(ctx context.Context) (silence, error) { return l, nil }
func (loud) May(uint32) bool                                { return false }
func (loud) Run(uint32) ([]uint32, int)                     { return nil, 0 }

type seen struct{ *toy }

func (s seen) From(id uint32) ([]refinement.Transition, error) {
	return slices.DeleteFunc(slices.Clone(s.rows[id]), func(t refinement.Transition) bool { return t.Label == 0 }), nil
}

type one struct{ system }

func (o one) Roots() ([]refinement.Transition, error) {
	roots, err := o.system.Roots()
	return roots[:1], err
}

func TestDefinition_DefectsFound(t *testing.T) {
	for name, plant := range defects {
		noticed := false
		for seed := uint64(0); seed < 3000 && !noticed; seed++ {
			how, _, _ := disagrees(seed, plant)
			noticed = how != ""
		}
		if !noticed {
			t.Errorf("not noticed: %s", name)
		}
	}
}
