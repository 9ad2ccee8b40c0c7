package eventgraph

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

func TestTwoLines(t *testing.T) {
	for _, c := range []struct{ text, first, second string }{
		{"Root 2->1 node.go:137", "Root 2->1 node.go:137", ""},
		{"State joining->joined, Root 1->0, parent -1->0 join.go:104", "State joining->joined,", "Root 1->0, parent -1-…"},
		{"aWordThatIsLongerThanALineCanBe", "aWordThatIsLongerThan…", ""},
	} {
		if first, second := twoLines(c.text, 22); first != c.first || second != c.second {
			t.Errorf("%q: %q, %q", c.text, first, second)
		}
	}
}

// Where there is little room, what a step changed takes two lines rather than being cut, and a long label of the last lane
// takes no room from it.
func TestChangesOfFourLanes(t *testing.T) {
	step := replay.TraceStep{Number: 1, Kind: eventkind.FireTimer.String(), Node: 3, Peer: -1, What: "aTimerWithALongName", Event: netmodel.Event{Kind: eventkind.FireTimer, Node: 3},
		Changes: []replay.NodeChange{{Node: 3, Path: "State", Old: "joined(2)", New: "joining(1)"}, {Node: 3, Path: "Epoch.Count", Old: "1", New: "2"}}}
	g := Build(&replay.Trace{Nodes: 4, Names: []string{"a", "b", "c", "d"}, Steps: []replay.TraceStep{step}})
	var b strings.Builder
	if err := g.SVG(&b, Options{Width: 770}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">State joined-&gt;joining,<", ">Epoch.Count 1-&gt;2<", ">timer aTimerW…<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &b)
		}
	}
}
