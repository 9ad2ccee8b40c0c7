package runview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
	"github.com/macemc/macemc/mdb"
)

// An arrow connects the step of a goroutine to the operation that started or woke the goroutine.
func TestScheduleTrace(t *testing.T) {
	const start, send, receive, closes, lock, atomic program.Op = 0, 1, 2, 3, 5, 14 // of the runtime
	o := &testsched.Outcome{Kind: testsched.Failed, Executed: 6, Message: "x_test.go:9: wrong", Trace: []testsched.Event{
		{Count: 1, Number: 1, Place: 1, Op: lock, Object: "s.mu", At: "x_test.go:3", File: "/m/x_test.go", Func: "TestX"},
		{Count: 2, Number: 1, Place: 2, Op: start, At: "x_test.go:4", File: "/m/x_test.go", Func: "TestX"},
		{Count: 3, Number: 1, Place: 3, Op: receive, Object: "c #2", At: "x_test.go:5", File: "/m/x_test.go", Func: "TestX"},
		{Count: 4, Number: 2, Place: 1, Op: send, Object: "d #2", At: "x_test.go:7", File: "/m/x_test.go", Func: "TestX.func1", By: 1, ByPlace: 1},
		{Count: 5, Number: 2, Place: 2, Op: closes, Object: "#2", At: "x_test.go:8", File: "/m/x_test.go", Func: "TestX.func1"},
		{Count: 6, Number: 1, Place: 4, Op: atomic, Object: "#3", At: "x_test.go:9", File: "/m/x_test.go", Func: "TestX", By: 2, ByPlace: 1},
	}}
	var got strings.Builder
	if err := eventgraph.Build(scheduleTrace("TestX", o)).Text(&got, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `      g1 TestX                     g2 TestX.func1
   0  the test starts
   1  locks s.mu                                               x_test.go:3
   2  starts a goroutine            go to g2                   x_test.go:4
   3  receives from c #2                                       x_test.go:5
   4    --go--------------------->  sends to d #2; send to g1  x_test.go:7
   5                               closes #2                   x_test.go:8
 > 6    <-------------------send--  accesses atomic #3         x_test.go:9
      !! failed test: x_test.go:9: wrong
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	got.Reset()
	if err := eventgraph.Build(scheduleTrace("TestX", o)).SVG(&got, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"go in step 2, started in step 4", "send in step 4, woken in step 6"} {
		if !strings.Contains(got.String(), "<title>"+title+"</title>") {
			t.Errorf("%q is missing in\n%s", title, got.String())
		}
	}
}

// A goroutine that never gets a lock waits for it in its last step.
func TestScheduleTrace_Lock(t *testing.T) {
	o := threeLock()
	last := func() string { return scheduleTrace("TestX", o).Steps[4].What }
	if got := last(); got != "locks #1" {
		t.Errorf("got the lock, %q", got)
	}
	o.States = o.States[:len(o.States)-2]
	if got := last(); got != "waits to lock #1" {
		t.Errorf("does not get the lock, %q", got)
	}
}

// A goroutine of a timer is connected to the last operation before the timer was set.
func TestScheduleTrace_Timer(t *testing.T) {
	o := &testsched.Outcome{Trace: []testsched.Event{
		{Number: 1, Place: 1, Op: 5, Object: "#1", At: "x_test.go:3", File: "/m/x_test.go", Func: "TestX"},
		{Number: 1, Place: 2, Op: 7, Object: "#1", At: "x_test.go:5", File: "/m/x_test.go", Func: "TestX"},
		{Number: 2, Place: 1, Op: 22, Object: "#2", At: "x_test.go:7", File: "/m/x_test.go", Func: "flush"},
	}, Origins: []testsched.Origin{{Number: 2, Timer: true, By: 1, ByPlace: 1, At: "x_test.go:4", Func: "TestX"}}}
	var got strings.Builder
	if err := eventgraph.Build(scheduleTrace("TestX", o)).Text(&got, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `      g1 TestX                     g2 flush
      g2: started by the timer set at x_test.go:4 in TestX
   0  the test starts
   1  locks #1                      timer to g2               x_test.go:3
   2  unlocks #1                                              x_test.go:5
   3    --timer------------------>  tries to receive from #2  x_test.go:7
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", o), LiveName: "none is known"})
	if err != nil {
		t.Fatal(err)
	}
	var why strings.Builder
	if err := s.Do(t.Context(), "3; why", &why); err != nil ||
		!strings.Contains(why.String(), "the goroutine was started by the timer set at x_test.go:4 in TestX, by g1 after step 1\n") {
		t.Errorf("%v\n%s", err, why.String())
	}
}

// The text of a long run shows the steps around the critical one and the goroutines that execute the user's code.
func TestSelectAround(t *testing.T) {
	o := &testsched.Outcome{}
	for i := range 200 {
		e := testsched.Event{Number: 1 + i%4, Op: 5, At: fmt.Sprintf("x_test.go:%d", i), File: "/m/x_test.go"}
		if e.Number > 2 {
			e.At, e.File = "the standard library (net/http.(*conn).serve)", ""
		}
		o.Trace = append(o.Trace, e)
	}
	for _, c := range []struct {
		graph    task.Graph
		critical int
		named    []int
		nodes    string
		from, to int
		hint     string
	}{
		{task.Graph{}, 101, nil, "g1,g2", 81, 121, "the graph has steps 81 to 121 of 200, and 2 of 4 goroutines, without 20 steps in the standard library; --from 180 shows the end; --from 0 shows all"},
		{task.Graph{}, 0, nil, "g1,g2,g4", 161, 200, "the graph has steps 161 to 200 of 200, and 3 of 4 goroutines, without 10 steps in the standard library; --from 0 shows all"},
		{task.Graph{}, 0, []int{141}, "g1,g2,g4", 137, 200, "the graph has steps 137 to 200 of 200, and 3 of 4 goroutines, without 16 steps in the standard library; --from 0 shows all"},
		{task.Graph{}, 0, []int{21}, "g1,g2,g4", 161, 200, "the graph has 49 steps of 200, and 3 of 4 goroutines, without 12 steps in the standard library; --from 0 shows all"},
		{task.Graph{Given: task.Given{"from"}}, 101, nil, "", 0, 0, ""},
		{task.Graph{Format: "svg"}, 101, nil, "", 0, 0, ""},
	} {
		hint, err := SelectAround(&c.graph, o, &eventgraph.Graph{Critical: c.critical, Named: c.named})
		if f := c.graph; err != nil || hint != c.hint || f.Nodes != c.nodes || f.From != c.from || f.To != c.to {
			t.Errorf("%v, %q, goroutines %s, steps %d to %d; want %+v", err, hint, f.Nodes, f.From, f.To, c)
		}
	}
	o.Trace = o.Trace[:50]
	var f task.Graph
	if hint, err := SelectAround(&f, o, &eventgraph.Graph{Critical: 20}); err != nil || hint != "" || f.To != 0 {
		t.Errorf("a short run: %v, %q, %+v", err, hint, f)
	}
}

// The text of a graph shows where each goroutine of the finding is blocked, whatever its steps are.
func TestScheduleTrace_Blocked(t *testing.T) {
	o := &testsched.Outcome{Kind: testsched.Deadlock, Message: "2 goroutines are blocked"}
	for _, n := range []string{"1", "2"} {
		o.Details = append(o.Details, "goroutine "+n+" waits to lock Mutex s.mu at x_test.go:3 in example.org/x.TestX, held by goroutine 3, which has ended")
	}
	for i := range 20 {
		o.Trace = append(o.Trace, testsched.Event{Number: 1 + i/19, Op: 5, At: "x_test.go:3"})
	}
	for _, to := range []int{0, 10} {
		var b strings.Builder
		if err := eventgraph.Build(scheduleTrace("TestX", o)).Text(&b, eventgraph.Options{To: to}); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(o.Details, o.Message) {
			if strings.Count(b.String(), want) != 1 {
				t.Errorf("steps to %d: %q in\n%s", to, want, b.String())
			}
		}
	}
}

// Operations of the distribution change no node, so that they are folded.
func TestScheduleTrace_Distribution(t *testing.T) {
	o := &testsched.Outcome{Trace: []testsched.Event{
		{Count: 1, Number: 1, Place: 1, Op: 5, At: "x_test.go:3", File: "/m/x_test.go", Func: "TestX"},
		{Count: 2, Number: 2, Place: 1, Op: 5, At: "the standard library (net/http.(*conn).serve)"},
		{Count: 3, Number: 1, Place: 2, Op: 5, At: "x_test.go:3", File: "/m/x_test.go", Func: "TestX"},
		{Count: 4, Number: 1, Place: 3, Op: 5, At: "x_test.go:4", File: "/m/x_test.go", Func: "TestX"},
	}}
	for i, want := range []int{1, 0, 0, 1} {
		if got := len(scheduleTrace("TestX", o).Steps[i].Changes); got != want {
			t.Errorf("step %d has %d changes, want %d", i+1, got, want)
		}
	}
}

// Of several accesses in a race, the last pair to the same memory by two goroutines is marked.
func TestMarkRace(t *testing.T) {
	const reads, writes program.Op = 15, 16 // of the runtime
	event := func(number int, object string, op program.Op, at string) testsched.Event {
		return testsched.Event{Number: number, Op: op, Object: object, At: at, File: "/m/x_test.go", Func: "TestX"}
	}
	trace := []testsched.Event{
		event(2, "#1", writes, "x_test.go:7"), event(2, "#2", writes, "x_test.go:7"), event(1, "#3", writes, "x_test.go:7"),
		event(1, "#1", reads, "x_test.go:9"), event(1, "#3", reads, "x_test.go:9"),
	}
	for _, c := range []struct {
		kind   testsched.Kind
		second string
		want   []int
	}{
		{testsched.Race, "previous write at x_test.go:7 in x.TestX", []int{3, 0}},
		{testsched.Race, "previous write at x_test.go:70 in x.TestX", nil},
		{testsched.Race, "previous read at x_test.go:7 in x.TestX", nil},
		{testsched.Failed, "previous write at x_test.go:7 in x.TestX", nil},
	} {
		o := &testsched.Outcome{Kind: c.kind, Trace: trace, Details: []string{"read at x_test.go:9 in x.TestX", c.second}}
		g := eventgraph.Build(scheduleTrace("TestX", o))
		if got := markRace(g, o); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: got %v, want %v", c.kind, c.second, got, c.want)
		}
		if g.Events[1].Race != 4*min(len(c.want), 1) {
			t.Errorf("%s, %s: step 1 races with step %d", c.kind, c.second, g.Events[1].Race)
		}
	}
}
