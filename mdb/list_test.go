package mdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// liner has a list that is initially empty, but not nil.
type liner struct {
	sim.Nop
	Line []int
}

func (l *liner) join(sim.Env) { l.Line = append(l.Line, 7) }

// A list that receives elements is shown by these elements. It is neither gone nor shown as "none".
func TestList_Filled(t *testing.T) {
	s := opened(t, mdb.Config{Path: choose.Path{0}, System: &sim.System{
		Name: "line", Nodes: 1, New: func(sim.NodeID) sim.Service { return &liner{Line: []int{}} },
		Actions: []sim.AnyAction{sim.Action[*liner]{Name: "join", Times: 1, Do: (*liner).join}},
	}})
	s.Go(1)
	if out, want := do(t, s, "diff 0"), "  n0.Line[0]  none | 7\n"; !strings.Contains(out, want) || strings.Contains(out, "n0.Line ") {
		t.Errorf("diff:\n%s", out)
	}
	if out := do(t, s, "state n0"); !strings.Contains(out, "*Line[0]") || strings.Contains(out, "gone") {
		t.Errorf("state:\n%s", out)
	}
	lines, err := s.States()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Value == "gone" {
			t.Errorf("%s is gone", l.Path)
		}
	}
}

// A field that a step removes is shown as gone, with its old value. A node that starts is shown as up.
func TestList_FieldGone(t *testing.T) {
	s := opened(t, mdb.Config{Path: choose.Path{0, 0, 0}, System: &sim.System{
		Name: "line", Nodes: 1, New: func(sim.NodeID) sim.Service { return &liner{Line: []int{7}} }, Crashes: 1,
		Actions: []sim.AnyAction{sim.Action[*liner]{Name: "leave", Times: 1, Do: func(l *liner, _ sim.Env) { l.Line = l.Line[1:] }}},
	}})
	for i, want := range []string{"*Line[0] gone was 7", "*Line gone was []", "*(node) up was down"} {
		if out := strings.Join(strings.Fields(do(t, s, fmt.Sprintf("%d; state n0", i+1))), " "); !strings.Contains(out, want) {
			t.Errorf("step %d: %q is missing in\n%s", i+1, want, out)
		}
	}
	lines, err := s.States()
	if err != nil {
		t.Fatal(err)
	}
	if up := (mdb.StateLine{Node: 0, Path: "(node)", Value: "up", Changed: true, Old: "down"}); !slices.Contains(lines, up) {
		t.Errorf("%+v is missing in %+v", up, lines)
	}
}

// Ticks are one line of a list, without the current step. With -v each is a line.
func TestSteps_Ticks(t *testing.T) {
	sys := toys.Ticking(70, 20)
	s := opened(t, mdb.Config{System: sys, Path: systest.Follow(t, sys, toys.Ticks(70)...)})
	s.Go(30)
	want := `  +  0  the first state
   1-19  n0: 9.5 s pass, 19 ticks, Ticks 0->19
    20  n0 timer tick  [../internal/test/toys/ticker.go:38]
   21-29  n0: 4.5 s pass, 9 ticks, Ticks 20->29
@   30  n0 timer tick  [../internal/test/toys/ticker.go:38]
   31-69  n0: 19.5 s pass, 39 ticks, Ticks 30->69
    70  n0 timer tick  [../internal/test/toys/ticker.go:38]
    71  n1 receives alarm from n0  [../internal/test/toys/ticker.go:48]
`
	if got := do(t, s, "steps 0 71"); got != want {
		t.Errorf("steps 0 71:\n%s\nwant\n%s", got, want)
	}
	if got := strings.Count(do(t, s, "steps 0 71 -v"), "n0 timer tick  [../internal/test/toys/ticker.go:38]\n"); got != 70 {
		t.Errorf("steps 0 71 -v: %d ticks, want 70", got)
	}
	if got, want := do(t, s, "steps n1"), "    71  n1 receives alarm from n0  [../internal/test/toys/ticker.go:48]\n"; got != want {
		t.Errorf("steps n1:\n%s\nwant\n%s", got, want)
	}
	long := opened(t, mdb.Config{System: toys.Ticking(1100, 20), Path: systest.Follow(t, toys.Ticking(1100, 20), toys.Ticks(1100)...)})
	if out := do(t, long, "steps 1 1001"); strings.Contains(out, "ticker.go") {
		t.Errorf("a long list has positions:\n%s", out)
	}
}
