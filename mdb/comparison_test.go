package mdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// The other run is at the step that diff compares with, whichever of the runs is the current one.
func TestView_Beside(t *testing.T) {
	for _, folder := range []string{"rt13", "mt3"} {
		if testing.Short() && folder == "mt3" {
			continue
		}
		s := open(t, folder)
		for _, run := range []string{"main", "live"} {
			do(t, s, "run "+run)
			last, matching := s.Position().Last, 0
			for n := range last + 1 {
				s.Go(n)
				v := s.View(mdb.Wanted{Comparison: 400, Differences: true})
				b := v.Comparison
				how := ""
				if !b.Same {
					how = ", where that step does not occur"
				}
				if b.Same {
					matching++
				}
				want := fmt.Sprintf("%s after step %d | %s after step %d", run, n, b.Run, b.Step)
				if head := v.Differences[0]; v.Err != "" || !strings.HasPrefix(head, want) || strings.Contains(head, "where that step does not occur") != (how != "") {
					t.Fatalf("%s: the difference is that of %q, the image %q%s; %s", folder, head, want, how, v.Err)
				}
				if !strings.Contains(string(b.Image.Steps), fmt.Sprintf(`data-step="%d"`, b.Step)) {
					t.Fatalf("%s: step %d of %s is not drawn", folder, b.Step, b.Run)
				}
				if slices.Contains(b.Here, n) == b.Same && n > 0 {
					t.Fatalf("%s: step %d of %s: marked %v, matches %t", folder, n, run, b.Here, b.Same)
				}
			}
			if matching < 5 || matching > last {
				t.Errorf("%s: %d of %d steps of %s match", folder, matching, last, run)
			}
		}
	}
}

// Without a run to compare with the view has the reason.
func TestView_BesideNone(t *testing.T) {
	s := opened(t, mdb.Config{System: &sim.System{
		Name: "counter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
	}})
	if b := s.View(mdb.Wanted{Comparison: 400}).Comparison; b.Run != "" || !strings.Contains(b.Why, "there is no live run to compare with") {
		t.Errorf("got %+v, want that there is no live run to compare with", b)
	}
}
