package variables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// recorded returns a session on a test of two goroutines with one step each, whose debugger notes its requests.
func recorded() (s *Session, asked *[]string) {
	t := &replay.Trace{Goroutines: true, Nodes: 2, Names: []string{"TestX", "f"}}
	for node := range 2 {
		t.Steps = append(t.Steps, replay.TraceStep{Number: node + 1, Node: node, Event: netmodel.Event{Kind: eventkind.DoAction, Node: sim.NodeID(node)}})
	}
	run := history.Recorded("main", t, 2)
	asked = new([]string)
	frame := inspect.Frame{Number: 1, Function: "example.com/x.f", File: "/src/x.go", Line: 7}
	return &Session{
		Kind: OfTest{}, Run: run, Opened: run, Node: -1, Scope: &Scope{},
		Inspect: func(_ context.Context, name string, r inspect.Request) (*inspect.Reply, error) {
			*asked = append(*asked, strings.TrimSpace(fmt.Sprintf("%s %d g%d %s", r.Action, r.Operation, r.Goroutine, r.Expression)))
			return &inspect.Reply{
				Values: []inspect.Value{{Text: "3", Frame: 1}}, Frames: []inspect.Frame{frame},
				Goroutines: []inspect.Goroutine{{Number: 1, At: frame}, {Number: 2, At: frame}},
			}, nil
		},
		NodeID: func(word string) (int, error) {
			if word != "g1" {
				return 0, errors.New("unknown goroutine")
			}
			return 0, nil
		},
	}, asked
}

// The variables of a test are those of the goroutine of the step, before its operation, unless another one is selected.
func TestSession_Print(t *testing.T) {
	s, asked := recorded()
	s.Run.At = 2
	for _, c := range []struct{ selected, goroutine string }{{"", "g2"}, {"g1", "g1"}} {
		var out bytes.Buffer
		err := s.SelectGoroutine(t.Context(), strings.Fields(c.selected), &out)
		if listed := "* " + c.goroutine + " in x.f at x.go:7\n"; err != nil || !strings.Contains(out.String(), listed) {
			t.Errorf("%q: %v, %q lacks %q", c.selected, err, &out, listed)
		}
		out.Reset()
		*asked = nil
		const want = "n = 3\n  in frame 1, x.f at x.go:7\n"
		if err := s.Print(t.Context(), []string{"n"}, &out); err != nil || out.String() != want {
			t.Errorf("%q: %v, %q, want %q", c.selected, err, &out, want)
		}
		requests := fmt.Sprintf("%s 2 g0, %s 0 %s n", inspect.Move, inspect.Evaluate, c.goroutine)
		if got := strings.Join((*asked)[:2], ", "); got != requests {
			t.Errorf("%q: the debugger was asked for %s, want %s", c.selected, got, requests)
		}
	}
	before := *s.Scope
	if err := s.SelectGoroutine(t.Context(), []string{"g9"}, new(bytes.Buffer)); err == nil || *s.Scope != before {
		t.Errorf("an unknown goroutine: %v, the scope is %v, want %v", err, *s.Scope, before)
	}
}

// A step of the network, such as a partition, has no node.
func TestNodeHere(t *testing.T) {
	steps := []replay.TraceStep{
		{Number: 1, Node: 1, Event: netmodel.Event{Node: 1}},
		{Number: 2, Event: netmodel.Event{Kind: eventkind.Partition, Node: -1}},
	}
	run := history.Recorded("main", &replay.Trace{Nodes: 2, Steps: steps}, 2)
	for at, want := range []int{0, 1, 0} {
		run.At = at
		if node := nodeHere(&Session{Run: run, Node: -1, Scope: &Scope{}}); node != want {
			t.Errorf("step %d: node %d, want %d", at, node, want)
		}
	}
}

// At the end of the run the debugger continues after the last step. Step 0 has no variables.
func TestSession_Ends(t *testing.T) {
	s, asked := recorded()
	if err := s.Show(t.Context(), inspect.Locals, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "no operation is executed at step 0") {
		t.Errorf("step 0: %v", err)
	}
	s.Run.At = 2
	if err := s.Finish(t.Context(), new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s 2 g0, %s 0 g0, %s 0 g0", inspect.Move, inspect.Continue, inspect.Goroutines)
	if got := strings.Join(*asked, ", "); got != want {
		t.Errorf("the debugger was asked for %s, want %s", got, want)
	}
	s.Inspect = nil
	if err := s.Print(t.Context(), []string{"n"}, new(bytes.Buffer)); err == nil || err.Error() != "the test cannot be executed in a debugger here" {
		t.Errorf("without a debugger: %v", err)
	}
}
