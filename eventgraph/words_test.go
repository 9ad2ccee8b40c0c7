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

// Labels are whole while the notes leave room, and the position in the code is not cut where changes are.
func TestLabelsTakeRoom(t *testing.T) {
	draw := func(fields ...string) string {
		t.Helper()
		const text = `data c1.0.1 200 OK "2"`
		steps := []replay.TraceStep{
			{Number: 1, Kind: eventkind.DoAction.String(), Node: 0, Peer: -1, What: "serve", Source: "net/server.go:31", Event: netmodel.Event{Kind: eventkind.DoAction}},
			{Number: 2, Kind: eventkind.Deliver.String(), Node: 1, Peer: 0, What: text, MsgIDs: []int{1}, Event: netmodel.Event{Kind: eventkind.Deliver, Node: 1, Peer: 0}},
			{Number: 3, Kind: eventkind.FireTimer.String(), Node: 1, Peer: -1, What: "aTimerWithALongName", Source: "net/client.go:127",
				Event: netmodel.Event{Kind: eventkind.FireTimer, Node: 1}},
		}
		for _, f := range fields {
			steps[2].Changes = append(steps[2].Changes, replay.NodeChange{Node: 1, Path: f, Old: "1", New: "2"})
		}
		m := replay.TraceMessage{ID: 1, From: 0, To: 1, Text: text, Sent: 1,
			Fates: []replay.TraceFate{{Step: 2, Fate: netmodel.Delivered, Name: netmodel.Delivered.String()}}}
		g := Build(&replay.Trace{Nodes: 2, Names: []string{"a", "b"}, Steps: steps, Messages: []replay.TraceMessage{m}})
		var b strings.Builder
		if err := g.SVG(&b, Options{Width: 770}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		fields []string
		wants  []string
	}{
		{[]string{"State"}, []string{`>data c1.0.1 200 OK &#34;2&#34;</text>`, ">timer aTimerWithALongName</text>", ">State 1-&gt;2  client.go:127</text>"}},
		{[]string{"FirstOfManyFields", "SecondOfManyFields", "ThirdOfManyFields", "FourthOfManyFields", "FifthOfManyFields"}, []string{">timer aTimerW…</text>", "…  client.go:127</text>"}},
	} {
		image := draw(c.fields...)
		for _, want := range c.wants {
			if !strings.Contains(image, want) {
				t.Errorf("%q is missing in\n%s", want, image)
			}
		}
	}
}
