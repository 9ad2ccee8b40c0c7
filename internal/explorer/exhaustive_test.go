package explorer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// exploreToy describes the errors of the exhaustive exploration of a toy program; an empty string means none.
func exploreToy(p toyProgram, mutation string, preemptions int, together bool) string {
	r := &toyRuntime{p: p, mutation: mutation, ends: map[string]bool{}}
	config := Config{Seed: 1, Exhaustive: true, Preemptions: preemptions}
	if together {
		config.Agents = inTurn(r.run)
	}
	result := Explore(config, r.run)
	want := map[string]bool{}
	runs := p.bruteForce(toyState{seed: testsched.Mix(1)}, -1, preemptions, want)
	c := result.Complete
	switch {
	case c == nil || result.Missing != "":
		return "not complete: " + result.Missing
	case c.Preemptions < preemptions:
		return fmt.Sprintf("complete with %d preemptions only", c.Preemptions)
	case !maps.Equal(r.ends, want):
		return fmt.Sprintf("ends %v, want %v", slices.Sorted(maps.Keys(r.ends)), slices.Sorted(maps.Keys(want)))
	case !c.Reduced && c.Schedules != runs || c.Schedules > runs:
		return fmt.Sprintf("%d schedules (reduced: %v), and %d by brute force", c.Schedules, c.Reduced, runs)
	}
	return ""
}

// together executes schedules in one process.
type together func([]*testsched.Schedule) []*testsched.Outcome

func (f together) Batch(list []*testsched.Schedule) []*testsched.Outcome { return f(list) }
func (together) Count(uint64) int                                        { return 1 }
func (together) Deal(int, []*testsched.Schedule) func() []*testsched.Outcome {
	panic("there is one process")
}
func (together) Weigh() {}

// inTurn executes schedules together: three at most, as if the others took too long, or up to one that does not pass.
func inTurn(run execute) together {
	return func(list []*testsched.Schedule) (outcomes []*testsched.Outcome) {
		for _, s := range list[:min(3, len(list))] {
			if outcomes = append(outcomes, run(s)); outcomes[len(outcomes)-1].Kind != testsched.Passed {
				break
			}
		}
		return outcomes
	}
}

// The exhaustive exploration reaches exactly the ends that brute force reaches, with each bound and with sleep sets.
func TestExplore_ExhaustiveAsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawToy(t)
		for _, preemptions := range []int{0, 1, 2, systematic.Unbounded} {
			for _, together := range []bool{false, true} {
				if wrong := exploreToy(p, "", preemptions, together); wrong != "" {
					t.Fatalf("%v with %d preemptions, several for a request %v: %s", p, preemptions, together, wrong)
				}
			}
		}
	})
}

// The comparison with brute force notices a missing scheduling point, sleep sets that are too large, uncounted preemptions, and a goroutine that
// continues after it has yielded.
func TestExplore_ExhaustiveMutations(t *testing.T) {
	p := toyProgram{{{'?', 0}, {'+', 0}, {'?', 1}, {'?', 0}}, {{'+', 0}, {'?', 0}, {'+', 1}, {'?', 1}}, {{'?', 1}, {'Y', 0}, {'+', 0}}}
	for _, preemptions := range []int{0, 1, systematic.Unbounded} {
		if wrong := exploreToy(p, "", preemptions, false); wrong != "" {
			t.Fatal(wrong)
		}
	}
	for mutation, preemptions := range map[string]int{"points": systematic.Unbounded, "masks": systematic.Unbounded, "preemptions": 1, "yields": 0} {
		if exploreToy(p, mutation, preemptions, false) == "" {
			t.Errorf("mutation %q was not noticed", mutation)
		}
	}
}

// An exploration is not reported as complete when a limit ends it, or when something is random or differs between runs.
func TestExplore_NotComplete(t *testing.T) {
	p := toyProgram{{{'+', 0}, {'?', 0}, {'+', 0}}, {{'+', 0}, {'?', 0}, {'+', 0}}, {{'+', 0}, {'?', 0}}}
	runs := 0
	for want, change := range map[string]func(*testsched.Outcome){
		"the limits of the exploration were reached":                     func(*testsched.Outcome) {},
		"a run is too long":                                              func(o *testsched.Outcome) { o.Long = true },
		"it waits for something outside the test":                        func(o *testsched.Outcome) { o.Outside = true },
		"functions of package sync/atomic are not scheduling points in ": func(*testsched.Outcome) {},
		"a run depends on package variables that earlier runs changed": func(o *testsched.Outcome) {
			if runs++; runs%5 == 0 {
				o.Decisions[0].Options[0].Who = 99
			}
		},
	} {
		r := &toyRuntime{p: p, ends: map[string]bool{}}
		result := Explore(Config{Seed: 1, Exhaustive: true, Preemptions: systematic.Unbounded, Schedules: 20, Time: time.Minute,
			Intrinsics: strings.HasPrefix(want, "functions")}, func(s *testsched.Schedule) *testsched.Outcome {
			o := r.run(s)
			change(o)
			return o
		})
		if text := result.text(); result.Missing != want || strings.Contains(text, "complete: all orders") || result.Complete != nil &&
			result.Complete.Preemptions > 1 {
			t.Errorf("missing %q, want %q: %s", result.Missing, want, text)
		}
	}
}

// A test that draws is explored for what its schedules draw. The first 200 schedules are those of a usual exploration, and later ones alternate.
func TestExplore_ExhaustiveDraws(t *testing.T) {
	p := toyProgram{{{'R', 0}, {'+', 0}, {'?', 0}, {'?', 0}}, {{'+', 0}, {'?', 0}, {'+', 0}}, {{'+', 0}, {'?', 0}}}
	explore := func(exhaustive bool, limit int) (list []testsched.Schedule, r *Result) {
		toy := &toyRuntime{p: p, ends: map[string]bool{}}
		r = Explore(Config{Seed: 1, Exhaustive: exhaustive, Preemptions: systematic.Unbounded, Schedules: limit},
			func(s *testsched.Schedule) *testsched.Outcome {
				list = append(list, *s)
				o := toy.run(s)
				o.Hash = uint64(len(list)) // no saturation
				return o
			})
		return list, r
	}
	usual, _ := explore(false, minSaturated)
	list, r := explore(true, minSaturated)
	if len(list) != len(usual) || r.Complete != nil {
		t.Fatalf("%d schedules, want %d: %s", len(list), len(usual), r.text())
	}
	for i := range usual {
		if list[i].Seed != usual[i].Seed || i > 0 && (list[i].Walk != usual[i].Walk || list[i].Policy != usual[i].Policy) {
			t.Errorf("schedule %d: got %+v, want %+v", i+1, list[i], usual[i])
		}
	}
	list, r = explore(true, 2000)
	enumerated := 0
	for _, s := range list[minSaturated : minSaturated+100] {
		if s.Policy == testsched.Systematic {
			enumerated++
		}
	}
	want := fmt.Sprintf("; %d of all %d schedules were sampled", r.sampled, len(list))
	if text := r.text(); enumerated != 50 || !strings.HasPrefix(text, "macemc: complete for the drawn random numbers: all ") ||
		!strings.Contains(text, want) {
		t.Errorf("%d of 100 schedules are systematic, want 50: %s", enumerated, text)
	}
	if len(list) != 2000 || list[1999].Policy == testsched.Systematic {
		t.Errorf("%d schedules, the last one systematic: %t; want 2000, the last ones sampled", len(list),
			list[len(list)-1].Policy == testsched.Systematic)
	}
	if kind, _, _ := strings.Cut(r.text(), " ("); strings.Contains(kind, "complete:") {
		t.Errorf("complete without reservation: %s", kind)
	}
}

// A test that draws fails with a draw that no enumerated schedule has, although no new order of goroutines appears.
func TestExplore_ExhaustiveRareDraw(t *testing.T) {
	p := toyProgram{{{'R', 0}, {'+', 0}}, {{'+', 0}}}
	toy := &toyRuntime{p: p, ends: map[string]bool{}}
	explore := func(c Config, failing int) *Result {
		c.Seed, c.Exhaustive, c.Preemptions = 1, true, systematic.Unbounded
		return Explore(c, func(s *testsched.Schedule) *testsched.Outcome {
			o := toy.run(s)
			if s.Seed == (&Config{Seed: 1}).draw(failing, 0).Seed {
				o.Kind = testsched.Failed
			}
			return o
		})
	}
	if r := explore(Config{}, 1500); r.Finding == nil || r.Found.Seed != (&Config{Seed: 1}).draw(1500, 0).Seed {
		t.Errorf("no finding: %s", r.text())
	}
	if r := explore(Config{Schedules: 5000}, 4000); r.Finding == nil {
		t.Errorf("no finding: %s", r.text())
	}
	if r := explore(Config{}, -1); r.Finding != nil || !r.Saturated || r.sampled < exhaustiveRuns || r.sampled > 2*exhaustiveRuns {
		t.Errorf("%d samples, finding %v: %s", r.sampled, r.Finding, r.text())
	}
}

// A run that does work once for its process does not make an exploration incomplete.
func TestExplore_RunsOnce(t *testing.T) {
	p := toyProgram{{{'+', 0}, {'?', 0}}, {{'+', 0}, {'?', 0}}}
	explore := func(change func(*testsched.Outcome)) *Result {
		r := &toyRuntime{p: p, ends: map[string]bool{}}
		return Explore(Config{Seed: 1, Exhaustive: true, Preemptions: systematic.Unbounded, Schedules: 1000},
			func(s *testsched.Schedule) *testsched.Outcome {
				o := r.run(s)
				change(o)
				return o
			})
	}
	want, runs := explore(func(*testsched.Outcome) {}), 0
	got := explore(func(o *testsched.Outcome) {
		if runs++; runs == 1 {
			o.Decisions = append(o.Decisions[:1:1], o.Decisions...)
		}
	})
	if got.Complete == nil || *got.Complete != *want.Complete || got.Schedules <= want.Schedules {
		t.Errorf("got %v after %d schedules, want %v after more than %d", got.Complete, got.Schedules, want.Complete, want.Schedules)
	}
}
