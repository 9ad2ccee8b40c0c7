package check

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/papers/channel"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Results under an assumption are reported with the state of that assumption, and are void if it is wrong.
func TestAssumptionsOfASearch(t *testing.T) {
	e := channel.Entry()
	build := func(part string, bugs ...string) sim.System {
		sys, err := e.New(spec.Config{Params: map[string]string{"part": part}, Bugs: bugs})
		if err != nil {
			t.Fatal(err)
		}
		return sys
	}
	silent := build("abstraction")
	silent.Abstractions = []sim.Abstraction{{Name: "something", Used: true}}
	failing := build("abstraction", "NL4")
	for _, c := range []struct {
		name    string
		sys     sim.System
		verdict search.Verdict
		says    []string // of each assumption
	}{
		{"what ships", build("implementation"), search.OK, nil},
		{"compared", build("abstraction"), search.OK, []string{"no difference"}},
		{"wrong", build("abstraction", "NL1"), search.Inconclusive, []string{"difference"}},
		{"not compared", silent, search.OK, []string{""}},
		{"what ships fails by itself", failing, search.OK, []string{"undecided"}},
	} {
		for _, keep := range []bool{false, true} {
			r, err := Run(t.Context(), Options{Search: search.Config{System: c.sys, MaxPaths: 50, Strategy: search.BFS}, Dir: t.TempDir(), KeepGoing: keep})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var says []string
			for _, a := range r.Coverage.Assumed {
				says = append(says, a.Verdict)
			}
			if r.Verdict != c.verdict || strings.Join(says, ",") != strings.Join(c.says, ",") || len(says) != len(c.says) {
				t.Errorf("%s: %v, %+v", c.name, r.Verdict, r.Coverage.Assumed)
			}
		}
	}
}
