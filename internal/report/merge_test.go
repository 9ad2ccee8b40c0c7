package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

func shard(number int, change func(*Report)) *Report {
	s := Shard{Number: number, Of: 3, Seed: 2}
	r := &Report{Settings: Settings{System: "bank", Nodes: 3, Strategy: "walk"}, Seed: s.SeedOf(), Shard: &s, Verdict: search.OK,
		Stopped: stats.StoppedTime,
		Work: search.Work{Paths: 10 * number, Seconds: 1,
			Phases: []stats.Phase{{Name: "walks", Paths: 10 * number,
				Steps: stats.Histogram{Count: 1, Min: number, Max: number, Buckets: []int{0, 1}}}}},
		Coverage: Coverage{Coverage: search.Coverage{NeverHappened: []string{"a", "b"}, Sometimes: []stats.Sometimes{{Property: "p", Runs: number}}, FaultsUsed: sim.Limits{sim.Crashes: number}}},
	}
	if change != nil {
		change(r)
	}
	return r
}

func TestMerge(t *testing.T) {
	second := shard(2, func(r *Report) {
		r.Coverage.NeverHappened = []string{"b", "c"}
		r.Coverage.ExhaustedDepth, r.Coverage.BySample = 4, []string{"x"}
	})
	m, err := Merge([]*Report{shard(3, nil), second, shard(1, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if m.Verdict != search.OK || m.Paths != 60 || m.Seconds != 3 || m.Seed != 2 || !slices.Equal(m.Coverage.NeverHappened, []string{"b"}) || m.Coverage.Sometimes[0].Runs != 6 ||
		m.Coverage.FaultsUsed[sim.Crashes] != 3 || m.Coverage.ExhaustedDepth != 4 || !slices.Equal(m.Coverage.BySample, []string{"x"}) || len(m.Phases) != 1 || m.Phases[0].Paths != 60 || m.Phases[0].Steps.Count != 3 || m.Phases[0].Steps.Max != 3 {
		t.Errorf("got %+v, want the sums and maxima of the reports", m)
	}
	want := []Part{{1, 4, search.OK, stats.StoppedTime, 10, 1}, {2, 5, search.OK, stats.StoppedTime, 20, 1}, {3, 6, search.OK, stats.StoppedTime, 30, 1}}
	if !reflect.DeepEqual(m.Shards, want) || len(m.Missing) > 0 {
		t.Errorf("%+v, missing %v", m.Shards, m.Missing)
	}
	if !slices.Equal(second.Coverage.NeverHappened, []string{"b", "c"}) {
		t.Error("a report was changed")
	}
	if m, err = Merge([]*Report{second}); err != nil || m.Verdict != search.Inconclusive || !slices.Equal(m.Missing, []int{1, 3}) {
		t.Errorf("%+v %v", m, err)
	}
}

// The verdict is that of the worst shard, and a missing shard counts as an inconclusive one.
func TestMergeVerdict(t *testing.T) {
	for i, worst := range severity {
		for _, other := range severity[:i+1] {
			m, err := Merge([]*Report{shard(1, func(r *Report) { r.Verdict = other }), shard(2, func(r *Report) { r.Verdict = worst }), shard(3, nil)})
			if err != nil || m.Verdict != worst {
				t.Errorf("%s and %s: %s %v", other, worst, m.Verdict, err)
			}
			if m, err = Merge([]*Report{shard(2, func(r *Report) { r.Verdict = worst })}); err != nil || m.Verdict == search.OK || worst != search.OK && m.Verdict != worst {
				t.Errorf("%s alone: %s %v", worst, m.Verdict, err)
			}
		}
	}
}

// An open suspect is not hidden by a shard that a signal ended.
func TestMergeVerdict_Suspect(t *testing.T) {
	open := shard(1, func(r *Report) { r.Verdict, r.Suspect = search.Inconclusive, &Suspect{} })
	stopped := shard(2, func(r *Report) { r.Verdict = search.Interrupted })
	for _, reports := range [][]*Report{{open, stopped, shard(3, nil)}, {open, shard(2, nil), shard(3, func(r *Report) { r.Verdict = search.OutOfResource })}} {
		if m, err := Merge(reports); err != nil || m.Verdict != search.Inconclusive {
			t.Errorf("%v, %v; want inconclusive", m, err)
		}
	}
	found := shard(3, func(r *Report) { r.Verdict = search.Violation })
	if m, err := Merge([]*Report{open, stopped, found}); err != nil || m.Verdict != search.Violation {
		t.Errorf("%v, %v; want a violation", m, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	for why, r := range map[string]*Report{
		"nodes is 3 there, 4 here":      shard(2, func(r *Report) { r.Nodes = 4 }),
		"seed is 2 there, 1 here":       shard(2, func(r *Report) { r.Shard.Seed = 1 }),
		"shards is 3 there, 4 here":     shard(2, func(r *Report) { r.Shard.Of = 4 }),
		"program is  there, other here": shard(2, func(r *Report) { r.Program = "other" }),
		"limits is":                     shard(2, func(r *Report) { r.Limits[sim.Loss] = 1 }),
		"shard 1 occurs twice":          shard(1, nil),
		"without --shard":               shard(2, func(r *Report) { r.Shard = nil }),
		"unknown verdict":               shard(2, func(r *Report) { r.Verdict = "" }),
		"shard 4 of 3":                  shard(4, nil),
	} {
		if _, err := Merge([]*Report{shard(1, nil), r}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	if _, err := Merge(nil); err == nil {
		t.Error("nothing is not refused")
	}
}

// Findings of one kind and property are reported once, unless different handlers are proven to cause them.
func TestMergeFindings(t *testing.T) {
	finding := func(property, handler string, sure bool) func(*Report) {
		return func(r *Report) {
			r.Verdict, r.Kind, r.Property, r.Handler = search.Violation, sim.Liveness, property, handler
			r.Critical = &critical1
			if sure {
				c := critical1
				c.Proof = critical.Exact
				r.Critical = &c
			}
		}
	}
	several := shard(3, func(r *Report) {
		r.Verdict, r.Alike = search.Violation, 4
		for _, change := range []func(*Report){finding("p", "x.go:1", true), finding("q", "x.go:1", true)} {
			f := &Report{}
			change(f)
			r.Findings = append(r.Findings, f)
		}
	})
	m, err := Merge([]*Report{shard(1, finding("p", "x.go:1", true)), shard(2, finding("p", "y.go:2", true)), several})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m.Findings {
		got = append(got, f.Property+" "+f.Handler)
	}
	if !slices.Equal(got, []string{"p x.go:1", "p y.go:2", "q x.go:1"}) || m.Alike != 5 {
		t.Errorf("%q, %d alike", got, m.Alike)
	}
	if m, err = Merge([]*Report{shard(1, finding("p", "x.go:1", true)), shard(2, finding("p", "y.go:2", false))}); err != nil || len(m.Findings) != 1 || m.Alike != 1 {
		t.Errorf("%+v %v", m.Findings, err)
	}
}

var critical1 = Critical{Transition: critical.Transition{Step: 1}}

// No two shards have the same seed, not even with different seeds of the search.
func TestShard(t *testing.T) {
	known := map[uint64]bool{}
	for seed := range uint64(5) {
		for n := range 16 {
			s, err := ParseShard(fmt.Sprintf("%d/16", n+1), seed+1)
			if err != nil || s.SeedOf() == 0 || known[s.SeedOf()] {
				t.Fatalf("%+v %v", s, err)
			}
			known[s.SeedOf()] = true
		}
	}
	for _, text := range []string{"", "3", "0/4", "5/4", "-1/4", "1/0", "1/4/5", "1 /4", "01/4", "1/70000", "a/b"} {
		if _, err := ParseShard(text, 1); err == nil {
			t.Errorf("%q is not refused", text)
		}
	}
	if _, err := ParseShard("1/2", 1<<62); err == nil {
		t.Error("a seed that leaves no room is not refused")
	}
}

// A finding that one shard accepts is known, and its violations are added up.
func TestMerge_Known(t *testing.T) {
	known := func(s KnownStatus, runs int, others ...Unsure) []Known {
		return []Known{{File: "a.path", Status: s, Runs: runs, Others: others}}
	}
	parts := []*Report{
		{Shard: &Shard{Number: 1, Of: 2, Seed: 1}, Verdict: search.OK, Known: known(Unused, 0)},
		{Shard: &Shard{Number: 2, Of: 2, Seed: 1}, Verdict: search.OK, Known: known(Recurs, 3, Unsure{Handler: "f.go:1", Count: 2})},
	}
	for range 2 {
		merged, err := Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		if want := known(Recurs, 3, Unsure{Handler: "f.go:1", Count: 2}); !reflect.DeepEqual(merged.Known, want) {
			t.Errorf("%+v, want %+v", merged.Known, want)
		}
		parts[0].Known, parts[1].Known = parts[1].Known, parts[0].Known
	}
}
