package eventgraph_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// Diagrams show the announcements of programs, whose state they lack, and not those of services.
func TestAnnouncements(t *testing.T) {
	run := &replay.Trace{Nodes: 2}
	for node := range 2 {
		s := replay.TraceStep{Number: node + 1, Node: node, Peer: -1, Event: netmodel.Event{Kind: eventkind.FireTimer},
			Effects: []replay.TraceEffect{{Kind: "announce", Text: "Elected{7}", Peer: -1, Applied: true}}}
		if node == 1 {
			s.Changes = []replay.NodeChange{{Node: 1, Path: "(goroutines)", Part: replay.Part{Kind: replay.Program}, New: "select"}}
		}
		run.Steps = append(run.Steps, s)
	}
	g := eventgraph.Build(run)
	for name, draw := range map[string]string{
		"text": string(render(t, g.Text, eventgraph.Options{})), "mermaid": string(render(t, g.Mermaid, eventgraph.Options{})),
		"svg": string(render(t, g.SVG, eventgraph.Options{})),
	} {
		if n := strings.Count(draw, "announces Elected{7}"); n != 1 {
			t.Errorf("%s shows %d announcements, want the one of the program\n%s", name, n, draw)
		}
	}
}

// If a monitor is violated, the announcements that take part in that are shown, and the others are counted.
func TestAnnouncements_Observed(t *testing.T) {
	s := replay.TraceStep{Number: 1, Peer: -1, Event: netmodel.Event{Kind: eventkind.FireTimer},
		Changes: []replay.NodeChange{{Path: "(goroutines)", Part: replay.Part{Kind: replay.Program}, New: "select"}}}
	for _, text := range []string{"Read{1}", "Elected{7}", "Read{2}"} {
		s.Effects = append(s.Effects, replay.TraceEffect{Kind: "announce", Text: text, Peer: -1, Applied: true})
	}
	run := &replay.Trace{Nodes: 1, Steps: []replay.TraceStep{s}, Observed: []replay.Observation{{Step: 1, Text: "Elected{7}"}}}
	draw := string(render(t, eventgraph.Build(run).Text, eventgraph.Options{Width: 150}))
	if !strings.Contains(draw, "announces Elected{7}; announces 2 events that the violation does not need") || strings.Contains(draw, "Read") {
		t.Error(draw)
	}
}
