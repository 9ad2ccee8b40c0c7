package eventgraph_test

import (
	"io"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// A race marks both of its steps in every format, and has a sign in the legend.
func TestSetRace_MarksBothSteps(t *testing.T) {
	g := eventgraph.Build(&replay.Trace{System: "race", Nodes: 2, Boot: replay.TraceStep{Node: -1, Peer: -1}, Steps: []replay.TraceStep{
		{Number: 1, Kind: "action", Node: 0, Peer: -1, What: "write", Event: netmodel.Event{Kind: eventkind.DoAction, Peer: -1}},
		{Number: 2, Kind: "action", Node: 1, Peer: -1, What: "read", Event: netmodel.Event{Kind: eventkind.DoAction, Node: 1, Peer: -1}},
	}})
	g.SetRace(1, 2)
	for name, write := range map[string]func(io.Writer, eventgraph.Options) error{"text": g.Text, "svg": g.SVG, "mermaid": g.Mermaid, "html": g.HTML} {
		var b strings.Builder
		if err := write(&b, eventgraph.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"data race with step 1", "data race with step 2"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s has no %q:\n%s", name, want, b.String())
			}
		}
	}
}
