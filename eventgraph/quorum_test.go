package eventgraph_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/test/papers/synod"
	"github.com/macemc/macemc/systems/spec"
)

// Each message of a set has an arrow, which ends in the step that takes the set.
func TestQuorum(t *testing.T) {
	e := synod.Entry()
	sys, err := e.New(spec.Config{Params: map[string]string{"quorum": "true"}})
	if err != nil {
		t.Fatal(err)
	}
	const reply = "ReadReply{Ballot:1 Accepted:0 Value:0}"
	g := scripted(t, &sys, "action n0 propose", "deliver n2<-n0 Read{Ballot:1}", "action n1 propose", "deliver n4<-n0 Read{Ballot:1}",
		"deliver n3<-n1 Read{Ballot:2}", "quorum n0 promised <-n2 "+reply+" <-n4 "+reply)
	taken := &g.Events[6]
	if taken.Text != "n0 receives promised from n2, n4" || taken.What != "promised from n2, n4" {
		t.Errorf("step 6 is %q, %q", taken.Text, taken.What)
	}
	if !slices.Equal(taken.Causes, []int{1, 2, 4}) || len(taken.Consumed) != 2 {
		t.Errorf("causes %v, consumed %v", taken.Causes, taken.Consumed)
	}
	var text, mermaid, svg bytes.Buffer
	if err := g.Text(&text, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := g.Mermaid(&mermaid, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := g.SVG(&svg, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "quorum.txt", append(text.Bytes(), mermaid.Bytes()...))
	if n := strings.Count(svg.String(), "delivered in step 6</title>"); n != 2 {
		t.Errorf("%d arrows end in step 6 of the SVG, want 2", n)
	}
	if c := "messages"; !slices.Contains(stepsOf(g, eventgraph.Options{Classes: []string{c}}), 6) {
		t.Errorf("step 6 is not among the %s", c)
	}
	if eventkind.TakeQuorum.Injection() {
		t.Error("taking a set is no fault")
	}
}

// stepsOf returns the steps that a text shows.
func stepsOf(g *eventgraph.Graph, o eventgraph.Options) (steps []int) {
	for _, l := range g.Lines(o) {
		if l.From >= 0 && l.From == l.To {
			steps = append(steps, l.From)
		}
	}
	return steps
}
