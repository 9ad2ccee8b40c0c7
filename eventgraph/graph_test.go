package eventgraph_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// deadKeys is a run of pingack that dies in step 6 and then repeats the second ping.
func deadKeys(repeats int) []string {
	keys := []string{
		"action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}",
		"action n0 ping", "deliver n1<-n0 Ping{Seq:2}", "lose n0<-n1 Ack{Seq:2}",
	}
	for range repeats {
		keys = append(keys, "timer n0 resend{}", "deliver n1<-n0 Ping{Seq:2}")
	}
	return keys
}

func scripted(t testing.TB, sys *sim.System, keys ...string) *eventgraph.Graph {
	t.Helper()
	return graph(t, sys, systest.Follow(t, sys, keys...))
}

func graph(t testing.TB, sys *sim.System, path choose.Path) *eventgraph.Graph {
	t.Helper()
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return eventgraph.Build(trace)
}

// randomGraph is that of a random run of randtree with faults.
func randomGraph(t *testing.T, nodes int, seed uint64, steps int) *eventgraph.Graph {
	t.Helper()
	e := randtree.Entry()
	e.Limits = sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}
	sys, err := e.New(spec.Config{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return randomRun(t, &sys, seed, steps)
}

func randomRun(t *testing.T, sys *sim.System, seed uint64, steps int) *eventgraph.Graph {
	t.Helper()
	return graph(t, sys, systest.RandomPath(t, sys, seed, steps))
}

func TestBuild(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	type life struct {
		text       string
		sent, end  int
		deliveries []int
		fate       string
	}
	var lives []life
	for _, m := range g.Messages {
		lives = append(lives, life{m.Text, m.Sent, m.End, m.Deliveries, m.Fate})
	}
	// The ping of step 4 is delivered in 5, its acknowledgement lost in 6; the timer of 7 sends it again.
	want := []life{
		{"Ping{1}", 1, 0, []int{2}, "delivered"},
		{"Ack{1}", 2, 0, []int{3}, "delivered"},
		{"Ping{2}", 4, 0, []int{5}, "delivered"},
		{"Ack{2}", 5, 6, nil, "lost"},
		{"Ping{2}", 7, 0, []int{8}, "delivered"},
	}
	if !reflect.DeepEqual(lives, want) {
		t.Errorf("messages\n%v, want\n%v", lives, want)
	}
	// Step 3 stops the timer of 1; that of 4 fires in 7, which sets it again.
	wantTimers := []eventgraph.Timer{
		{Node: 0, What: "resend", Set: 1, End: 3, Ended: "stopped"},
		{Node: 0, What: "resend", Set: 4, End: 7, Ended: "fired"},
		{Node: 0, What: "resend", Set: 7, Ended: "armed"},
	}
	if !reflect.DeepEqual(g.Timers, wantTimers) {
		t.Errorf("timers\n%v, want\n%v", g.Timers, wantTimers)
	}
	var causes [][]int
	for _, e := range g.Events[1:] {
		causes = append(causes, e.Causes)
	}
	// The step before on the same node (0, the first boots, only if there is no other cause), and the step that
	// sent the message.
	wantCauses := [][]int{{0}, {1}, {1, 2}, {3}, {2, 4}, {5}, {4}, {5, 7}}
	if !reflect.DeepEqual(causes, wantCauses) {
		t.Errorf("causes %v, want %v", causes, wantCauses)
	}
	p := []string{"every ping is acknowledged"}
	for i, e := range g.Events {
		broke, mended := i == 1 || i == 4, i == 3
		if broke != reflect.DeepEqual(e.Broke, p) || mended != reflect.DeepEqual(e.Mended, p) {
			t.Errorf("step %d broke %q and mended %q", i, e.Broke, e.Mended)
		}
	}
	// Causes of the loss: 5 sent the message; 5 follows 4 and 2, which follow 3 and 1.
	if got, want := g.Past(6, 3), []int{3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("the past of 6 is %v, want %v", got, want)
	}
	if got, want := g.Past(8, 3), []int{4, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("the past of 8 is %v, want %v", got, want)
	}
}

func render(t *testing.T, f func(io.Writer, eventgraph.Options) error, o eventgraph.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(4)...)
	g.Critical = 6
	golden.Compare(t, "pingack.txt", render(t, g.Text, eventgraph.Options{}))
	golden.Compare(t, "pingack_excerpt.txt", render(t, g.Text, eventgraph.Options{Steps: []int{1, 4, 5, 6, 7, 8}, Fold: -1}))
	golden.Compare(t, "pingack.mmd", render(t, g.Mermaid, eventgraph.Options{}))
	golden.Compare(t, "pingack.svg", render(t, g.SVG, eventgraph.Options{}))
	golden.Compare(t, "pingack.json", render(t, func(w io.Writer, _ eventgraph.Options) error { return g.JSON(w) }, eventgraph.Options{}))
	golden.Compare(t, "pingack.jsonl", render(t, g.JSONLines, eventgraph.Options{Steps: []int{0, 5, 6, 7}}))
	for _, nodes := range []int{3, 5, 8} {
		g := randomRun(t, couriers(nodes), 2, 50)
		g.Critical = 20
		golden.Compare(t, fmt.Sprintf("couriers%d.txt", nodes), render(t, g.Text, eventgraph.Options{}))
	}
}

// Every renderer is deterministic, and its output is well-formed where that can be checked. The text has each step
// once, alone or in a fold, and no line wider than asked, except for a source or a word that does not fit.
func TestRenderersOnRandomRuns(t *testing.T) {
	for seed := range uint64(6) {
		nodes := 2 + int(seed)
		g, again := randomGraph(t, nodes, seed, 120), randomGraph(t, nodes, seed, 120)
		g.Critical, again.Critical = 50, 50
		all := eventgraph.Options{Fold: -1}
		for name, f := range map[string][2]func(io.Writer, eventgraph.Options) error{
			"text": {g.Text, again.Text}, "svg": {g.SVG, again.SVG}, "mermaid": {g.Mermaid, again.Mermaid},
		} {
			if !bytes.Equal(render(t, f[0], all), render(t, f[1], all)) {
				t.Errorf("seed %d: two renderings as %s differ", seed, name)
			}
		}
		d := xml.NewDecoder(bytes.NewReader(render(t, g.SVG, all)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("seed %d: SVG: %v", seed, err)
			}
		}
		var js map[string]any
		if err := json.Unmarshal(render(t, func(w io.Writer, _ eventgraph.Options) error { return g.JSON(w) }, all), &js); err != nil {
			t.Errorf("seed %d: JSON: %v", seed, err)
		}
		step := 0
		for line := range strings.Lines(string(render(t, g.Text, all))) {
			if strings.HasPrefix(strings.TrimLeft(line, " >"), fmt.Sprint(step, " ")) {
				step++
			}
			var from, to int
			if _, err := fmt.Sscanf(strings.TrimSpace(line), "... steps %d-%d,", &from, &to); err == nil && from == step && to > from {
				step = to + 1
			}
			if n := len(strings.TrimRight(line, "\n")); n > 130 {
				t.Errorf("seed %d: a line of %d columns: %s", seed, n, line)
			}
		}
		if step != g.Last()+1 {
			t.Errorf("seed %d: the text has %d steps, want %d", seed, step, g.Last()+1)
		}
	}
}

func TestRangesAndFolding(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(20)...)
	g.Critical = 6
	text := string(render(t, g.Text, eventgraph.Options{From: 6}))
	if !strings.Contains(text, "40 steps (7-46) change no node: n0 timer resend x20, n1 Ping{2} x20") {
		t.Errorf("the dead tail is not folded:\n%s", text)
	}
	if strings.Contains(text, "Ack{1}") {
		t.Errorf("steps before 6 are shown:\n%s", text)
	}
	text = string(render(t, g.Text, eventgraph.Options{From: 6, To: 9, Fold: -1, NoHeader: true}))
	if n := strings.Count(text, "\n"); n != 4 {
		t.Errorf("%d lines for steps 6 to 9, want 4:\n%s", n, text)
	}
}
