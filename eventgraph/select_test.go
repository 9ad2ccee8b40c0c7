package eventgraph_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/systems/pingack"
)

func shownSteps(g *eventgraph.Graph, o eventgraph.Options) []int {
	var steps []int
	for _, l := range g.Lines(o) {
		if l.From >= 0 && (len(steps) == 0 || steps[len(steps)-1] != l.From) {
			steps = append(steps, l.From)
		}
	}
	return steps
}

func TestSelection(t *testing.T) {
	g := scripted(t, gossips(),
		"action n0 greet", "duplicate n1<-n0 hello{From:0}", "deliver n1<-n0 hello{From:0}", "deliver n0<-n0 hello{From:0}",
		"boot n2", "lose n1<-n0 hello{From:0}", "partition n0<-n1", "action n0 greet", "heal n0<-n1",
		"deliver n2<-n0 hello{From:0}", "crash n1")
	for _, c := range []struct {
		o    eventgraph.Options
		want []int
	}{
		{eventgraph.Options{Classes: []string{"actions"}}, []int{1, 8}},
		{eventgraph.Options{Classes: []string{"messages"}}, []int{3, 4, 10}},
		{eventgraph.Options{Classes: []string{"faults"}, From: 5}, []int{5, 6, 7, 9, 11}},
		{eventgraph.Options{Classes: []string{"timers"}}, nil},
		{eventgraph.Options{Nodes: []int{2}}, []int{0, 5, 10}},
		// The network's deeds on messages from or to n1, and on its links.
		{eventgraph.Options{Nodes: []int{1}}, []int{0, 2, 3, 6, 7, 9, 11}},
		{eventgraph.Options{Nodes: []int{1}, Classes: []string{"messages"}}, []int{3}},
	} {
		c.o.Fold = -1
		if got := shownSteps(g, c.o); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v shows %v, want %v", c.o, got, c.want)
		}
	}
	golden.Compare(t, "faults_n1_n0.txt", render(t, g.Text, eventgraph.Options{Nodes: []int{1, 0}, Fold: -1}))
	golden.Compare(t, "faults_n1_n0.mmd", render(t, g.Mermaid, eventgraph.Options{Nodes: []int{1, 0}, Fold: -1}))
}

func TestCheck(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	for _, c := range []struct {
		o    eventgraph.Options
		want string
	}{
		{eventgraph.Options{From: 3, To: 8}, ""},
		{eventgraph.Options{From: 9}, "no step 9; the run has 8"},
		{eventgraph.Options{To: 9}, "no step 9"},
		{eventgraph.Options{From: 5, To: 4}, "steps 5 to 4: the last is before the first"},
		{eventgraph.Options{Nodes: []int{2}}, "there is no node 2; nodes are 0 to 1"},
		{eventgraph.Options{Nodes: []int{1, 1}}, "node 1 is selected twice"},
	} {
		if err := g.Check(c.o); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	if _, err := eventgraph.ParseClasses("messages,luck"); err == nil || !strings.Contains(err.Error(), `"luck"`) {
		t.Errorf("an unknown class: %v", err)
	}
}

// Lines list each step once, in order, also the folded ones.
func TestLines(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(20)...)
	next := 0
	for _, l := range g.Lines(eventgraph.Options{Width: 80}) {
		switch {
		case l.From == -1 && l.To == -1 || l.To < next: // the header; another line of the same step
		case l.From == next && l.To >= l.From:
			next = l.To + 1
		default:
			t.Fatalf("a line of steps %d to %d, want one from %d: %s", l.From, l.To, next, l.Text)
		}
	}
	if next != g.Last()+1 {
		t.Errorf("the lines end before step %d of %d", next, g.Last())
	}
}

func TestDigest(t *testing.T) {
	c := func(path, old, now string) replay.NodeChange {
		return replay.NodeChange{Path: path, Old: old, New: now}
	}
	of := func(part replay.Part, c replay.NodeChange) replay.NodeChange {
		c.Part = part
		return c
	}
	in := func(foreign, path string) replay.NodeChange {
		return replay.NodeChange{Path: path, Old: "0", New: "1", Inside: foreign}
	}
	for _, test := range []struct {
		changes []replay.NodeChange
		most    int
		want    string
	}{
		{nil, 4, ""},
		{[]replay.NodeChange{of(replay.Part{Kind: replay.Program, Name: "goroutines"}, c("(goroutines)", "select", "chan receive")), c("Seen", "1", "2")}, 4, "Seen 1->2"},
		{[]replay.NodeChange{of(replay.Part{Kind: replay.Program, Name: "goroutines"}, c("(goroutines)", "select", "chan receive"))}, 4, "waits: chan receive"},
		{[]replay.NodeChange{c("Seen", "1", "2"), of(replay.Part{Kind: replay.Timer}, c("(timer resend{})", "", "armed")), of(replay.Part{Kind: replay.Action}, c("(action ping)", "0", "1"))}, 4, "Seen 1->2"},
		{[]replay.NodeChange{{Node: 3, Path: "Seen", Old: "1", New: "2"}}, 4, "n3.Seen 1->2"},
		// A list that was empty gets an element of three fields, which counts once.
		{[]replay.NodeChange{c("out.packets", "[]", ""), c("out.packets[0].Seq", "", "1"), c("out.packets[0].Body.Size", "", "4"),
			c("out.packets[0].Body.Kind", "", "2"), c("n", "0", "1")}, 4, "out.packets[0] added; n 0->1"},
		// Containers that were empty or become it.
		{[]replay.NodeChange{c("Pending[0]", "1", ""), c("Leased", "map[]", ""), c("Pending", "", "[]"), c("Leased[2]", "", "1")}, 4,
			"Pending [1]->[]; Leased {}->{2:1}"},
		{[]replay.NodeChange{c("at", "nil", ""), c("at[2].ID", "1", ""), c("at[0]", "", "7"), c("at[1]", "", "8")}, 4, "at[2].ID removed; at[0] =7; at[1] =8"},
		{[]replay.NodeChange{c("peers[1].a", "x", ""), c("peers[1].b", "y", ""), c("peers", "", "map[]")}, 4, "peers[1] removed"},
		{[]replay.NodeChange{c("parent", "nil", ""), c("parent.ID", "", "1")}, 4, "parent.ID =1"},
		{[]replay.NodeChange{c("peers[1].a", "x", ""), c("peers[1].b", "y", "")}, 4, "peers[1] removed"},
		{[]replay.NodeChange{c("peers[1].a", "", "x")}, 4, "peers[1].a =x"},
		// Fields below the same long one name it once.
		{[]replay.NodeChange{c("transport.out.sent", "0", "1"), c("transport.out.window", "2", "3"), c("transport.in", "0", "1")}, 4,
			"transport.out: sent 0->1, window 2->3; transport.in 0->1"},
		{[]replay.NodeChange{c("a", "0", "1"), c("b", "0", "1"), c("c", "0", "1"), c("d", "0", "1")}, 2, "a 0->1; b 0->1; and 2 more"},
		// Many changes inside a foreign value are counted.
		{[]replay.NodeChange{in("raw", "raw.a"), in("raw", "raw.b"), c("Term", "0", "1"), in("raw", "raw.c"), in("log", "log.n"),
			{Node: 3, Path: "raw.a", Old: "0", New: "1", Inside: "raw"}}, 4, "Term 0->1; log.n 0->1; n3.raw.a 0->1; raw: 3 internal changes"},
	} {
		if got := strings.Join(eventgraph.Digest(test.changes, 0, test.most), "; "); got != test.want {
			t.Errorf("%v\n gives %q\n want  %q", test.changes, got, test.want)
		}
	}
}

// Images and pages of some nodes, a range, or a width are well-formed, and the same bytes twice.
func TestSelectedImages(t *testing.T) {
	for seed := range uint64(3) {
		for _, g := range []*eventgraph.Graph{randomRun(t, couriers(5), seed, 120), randomRun(t, gossips(), seed, 120)} {
			for _, o := range []eventgraph.Options{
				{Nodes: []int{2, 0}}, {Nodes: []int{1}, Fold: -1}, {From: 20, To: 60, Width: 500, Fold: -1},
				{Classes: []string{"faults", "timers"}, NoHeader: true}, {Nodes: []int{}},
			} {
				svg, page := render(t, g.SVG, o), render(t, g.HTML, o)
				if !bytes.Equal(svg, render(t, g.SVG, o)) || !bytes.Equal(page, render(t, g.HTML, o)) {
					t.Fatalf("seed %d, %+v: two renderings differ", seed, o)
				}
				for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("seed %d, %+v: %v", seed, o, err)
					}
				}
				render(t, g.Text, o)
				render(t, g.Mermaid, o)
			}
		}
	}
}

// The states that a page begins with are those before its first step.
func TestPageBeginsWithState(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	page := string(render(t, g.HTML, eventgraph.Options{From: 5}))
	at := strings.Index(page, `<script type="application/json" id="runs">`)
	var data struct {
		Strings []string
		Runs    []struct {
			Initial [][3]int
			Steps   []struct{ N int }
		}
	}
	if err := json.NewDecoder(strings.NewReader(page[at+len(`<script type="application/json" id="runs">`):])).Decode(&data); err != nil {
		t.Fatal(err)
	}
	var state []string
	for _, f := range data.Runs[0].Initial {
		if field := data.Strings[f[1]]; !strings.HasPrefix(field, "(") {
			state = append(state, fmt.Sprintf("n%d.%s=%s", f[0], field, data.Strings[f[2]]))
		}
	}
	// Before step 5 both pings were sent, one of them acknowledged and seen.
	if want := []string{"n0.Sent=2", "n0.Acked=1", "n1.Seen=1"}; !reflect.DeepEqual(state, want) || data.Runs[0].Steps[0].N != 5 {
		t.Errorf("the page begins with step %d and %v, want 5 and %v", data.Runs[0].Steps[0].N, state, want)
	}
}

// Scrolling through a long run is a matter of its range.
func BenchmarkLines(b *testing.B) {
	g := scripted(b, &pingack.System, deadKeys(50_000)...)
	b.ResetTimer()
	for i := range b.N {
		from := 1 + i*977%(g.Last()-60)
		g.Lines(eventgraph.Options{From: from, To: from + 50, Width: 80})
	}
}

// Nested calls are shown where there are any.
func TestCalls(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	g.Events[2].Calls = []eventgraph.Call{{What: "transport.Receive"}, {Depth: 1, What: "app.Deliver"}}
	text := string(render(t, g.Text, eventgraph.Options{From: 2, To: 2, Notes: true, Width: 120}))
	if !strings.Contains(text, "> transport.Receive; > > app.Deliver") {
		t.Errorf("calls are missing:\n%s", text)
	}
}

// Lines that programs print are shown with the step, and other log lines only on demand.
func TestOutput(t *testing.T) {
	g := scripted(t, &pingack.System, deadKeys(1)...)
	g.Events[2].Notes = []string{"log stderr: cannot listen", "log stdout: done", "log private", "log schedule: a goroutine pauses before lock.go:77 in lock",
		"log files: left by the crash: wal"}
	text := string(render(t, g.Text, eventgraph.Options{From: 2, To: 2, Width: 200}))
	if !strings.Contains(text, "stderr: cannot listen; stdout: done; a goroutine pauses before lock.go:77 in lock; left by the crash: wal") || strings.Contains(text, "private") {
		t.Errorf("the output is missing:\n%s", text)
	}
}
