package mdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
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
func TestListThatIsFilled(t *testing.T) {
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
func TestFieldThatIsGone(t *testing.T) {
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
