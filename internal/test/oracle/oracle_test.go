package oracle

import (
	"context"
	"flag"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
)

var number = flag.Int64("number", -1, "compare only the system of this number, and show it")

const inCI = 150

// All strategies, engines and ways to keep states agree with the oracle.
func TestSystems(t *testing.T) {
	t.Parallel()
	const percent, mostLive = 1600, 500 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(percent)) // the data of one system is garbage with the next
	n := inCI
	if testing.Short() {
		n = 8
	}
	sum := &Tally{Generator: Generator}
	sum.Run(context.Background(), n, runtime.GOMAXPROCS(0), func(number uint64, difference string) { differs(t, number, difference) })
	t.Logf("%+v", *sum)
	if testing.Short() {
		return
	}
	for _, number := range from { // systems that show rare defects
		if number >= inCI {
			if r := Compare(Drawn(number), Options{}); r.Difference != "" {
				differs(t, number, r.Difference)
			}
		}
	}
	var mem runtime.MemStats
	if runtime.ReadMemStats(&mem); mem.NextGC > mostLive*(1+percent/100) {
		t.Errorf("the next collection is at %d MB: systems are kept that are compared", mem.NextGC>>20)
	}
	// Else too little would be compared.
	for _, least := range []struct {
		what      string
		got, want int
	}{
		{"systems of which all states were visited", sum.Complete, n / 2},
		{"systems with a finding", sum.WithFinding, n / 8},
		{"systems with dead states", sum.WithDead, n / 5},
		{"searches by deepening that were complete", sum.Closed, n / 2},
		{"crashes inside steps", sum.Inside, n},
		{"steps by which several nodes went down", sum.Together, n},
	} {
		if least.got < least.want {
			t.Errorf("%s: %d, want at least %d", least.what, least.got, least.want)
		}
	}
	for kind, steps := range sum.Kinds {
		if !eventkind.Kind(kind).OfProgram() && steps < n/2 { // systems of the oracle have no programs
			t.Errorf("steps by %v: %d, want at least %d", eventkind.Kind(kind), steps, n/2)
		}
	}
}

// differs reports a system that differs, and the smallest script that does so.
func differs(t *testing.T, number uint64, difference string) {
	t.Helper()
	small := Reduce(Drawn(number), func(s *Script) bool { return Compare(s, Options{}).Difference != "" })
	t.Errorf("system %d: %s\nas small as it gets: %s\n%s", number, difference, Compare(small, Options{}).Difference, small)
}

func TestNumber(t *testing.T) {
	if *number < 0 {
		t.Skip("for one system: -number N")
	}
	s := Drawn(uint64(*number))
	r := Compare(s, Options{})
	t.Logf("%s\n%+v", s, r)
	if r.Difference != "" {
		differs(t, s.Number, r.Difference)
	}
}

// A reduced script still shows a planted defect, and nothing more can be removed from it.
func TestReduce(t *testing.T) {
	t.Parallel()
	wrong := func(s *Script) bool {
		return visitAll(s, allOrNothing).steps != visitAll(s, Sound).steps
	}
	for i := uint64(0); ; i++ {
		s := Drawn(i)
		if !wrong(s) {
			continue
		}
		small := Reduce(s, wrong)
		if !wrong(small) || len(small.String()) >= len(s.String()) {
			t.Errorf("system %d is reduced to %s", i, small)
		}
		for k, change := range changes(small) {
			smaller := small.clone()
			if change(smaller); smaller.String() != small.String() && wrong(smaller) {
				t.Errorf("system %d is reduced to %s; change %d makes it smaller", i, small, k)
			}
		}
		return
	}
}
