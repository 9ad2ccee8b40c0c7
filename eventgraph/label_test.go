package eventgraph_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// A label between lanes is short even for a long message: the title has the full text.
func TestLongMessagesAreCutInPictures(t *testing.T) {
	g := scripted(t, gossips(), "action n0 greet", "duplicate n1<-n0 hello{From:0}", "lose n1<-n0 hello{From:0}")
	long := strings.Repeat("long ", 20)
	for i := range g.Messages {
		g.Messages[i].Text = long
	}
	svg := string(render(t, g.SVG, eventgraph.Options{Fold: -1}))
	titles := regexp.MustCompile(`<title>[^<]*</title>`)
	if !strings.Contains(svg, long) || strings.Contains(titles.ReplaceAllString(svg, ""), long) {
		t.Error("a long message is not cut, or is nowhere whole")
	}
}

// relay forwards to n0 what it receives from n1.
type relay struct{ sim.Nop }

func (relay) Go(env sim.Env) { env.Send(2, hello{1}) }

func (relay) Receive(env sim.Env, _ sim.NodeID, _ any) { env.Send(0, farewell{}) }

type farewell struct{}

// The received message of a step, and a lost one to the same side, do not overlap.
func TestLabelsOfOneStepAreApart(t *testing.T) {
	sys := &sim.System{
		Name: "relays", Nodes: 3, New: func(sim.NodeID) sim.Service { return relay{} }, Network: netsim.Datagrams{}, Crashes: 1,
		Actions: []sim.AnyAction{sim.Action[relay]{Name: "go", Do: relay.Go}},
	}
	g := scripted(t, sys, "crash n0", "action n1 go", "deliver n2<-n1 hello{From:1}")
	svg := string(render(t, g.SVG, eventgraph.Options{}))
	at := map[string]int{} // height by text
	for _, m := range regexp.MustCompile(`<text[^>]* y="(\d+)"[^>]*>(hello|farewell)[^<]*<`).FindAllStringSubmatch(svg, -1) {
		at[m[2]], _ = strconv.Atoi(m[1])
	}
	if len(at) != 2 || at["hello"]-at["farewell"] < 12 {
		t.Errorf("labels at %v in\n%s", at, svg)
	}
}

// The heading of a narrow lane keeps what tells goroutines apart: their methods, and the ends of long names.
func TestHeadings_Narrow(t *testing.T) {
	g := &eventgraph.Graph{Goroutines: true}
	for id, name := range []string{"TestQueue_WithManyWorkers", "(*Queue).worker", "(*Queue).retry", "TestQueue.func1", "TestQueue"} {
		g.Nodes = append(g.Nodes, eventgraph.Node{ID: id, Name: name})
	}
	g.Events = make([]eventgraph.Event, 1)
	head, _, _ := strings.Cut(string(render(t, g.Text, eventgraph.Options{Width: 110})), "\n")
	if want := []string{"g1", "TestQueue_Wi…", "g2", "worker", "g3", "retry", "g4", "…tQueue.func1", "g5", "TestQueue"}; !slices.Equal(strings.Fields(head), want) {
		t.Errorf("got %q, want %q", head, want)
	}
}
