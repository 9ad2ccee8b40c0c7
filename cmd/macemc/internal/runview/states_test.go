package runview

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
	"github.com/macemc/macemc/mdb"
)

// threeLock is a run in which goroutines 2 and 3 wait for the lock of goroutine 1, and goroutine 2 acquires it first.
func threeLock() *testsched.Outcome {
	const start, lock, unlock program.Op = 0, 5, 7 // of the runtime
	const mutex = "sync.Mutex.Lock"
	return &testsched.Outcome{
		Trace: []testsched.Event{
			{Who: 10, Number: 1, Place: 1, Op: lock, Object: "#1", At: "x_test.go:3", Func: "TestX"},
			{Who: 10, Number: 1, Place: 2, Op: start, At: "x_test.go:4", Func: "TestX"},
			{Who: 10, Number: 1, Place: 3, Op: start, At: "x_test.go:6", Func: "TestX"},
			{Who: 20, Number: 2, Place: 1, Op: lock, Object: "#1", At: "x_test.go:5", By: 1, ByPlace: 1},
			{Who: 30, Number: 3, Place: 1, Op: lock, Object: "#1", At: "x_test.go:7", By: 1, ByPlace: 2},
			{Who: 10, Number: 1, Place: 4, Op: unlock, Object: "#1", At: "x_test.go:9"},
			{Who: 20, Number: 2, Place: 2, Op: unlock, Object: "#1", At: "x_test.go:11", By: 1, ByPlace: 4},
		},
		States: []testsched.State{
			{Who: 10, After: 0, Number: 1, Kind: testsched.Ready},
			{Who: 20, After: 1, Number: 2, Kind: testsched.Ready, Other: 1}, // the event of the go statement follows
			{Who: 30, After: 2, Number: 3, Kind: testsched.Ready, Other: 1},
			{Who: 10, After: 3, Number: 1, Kind: testsched.Ready, Other: 1},
			{Who: 30, After: 4, Number: 3, Kind: testsched.Holder, Other: 1}, // it does not yet wait
			{Who: 20, After: 4, Number: 2, Kind: testsched.Parks, Waits: mutex, Object: "#1", At: "x_test.go:5", Other: 1},
			{Who: 30, After: 5, Number: 3, Kind: testsched.Parks, Waits: mutex, Object: "#1", At: "x_test.go:7", Other: 1},
			{Who: 20, After: 6, Number: 2, Kind: testsched.Ready, Other: 1},
			{Who: 30, After: 6, Number: 3, Kind: testsched.Holder},
			{Who: 10, After: 6, Number: 1, Kind: testsched.Parks, Waits: "sleep", At: "x_test.go:13"},
			{Who: 30, After: 6, Number: 3, Kind: testsched.Holder, Other: 2},
			{Who: 30, After: 7, Number: 3, Kind: testsched.Ready, Other: 2},
			{Who: 20, After: 7, Number: 2, Kind: testsched.Ends},
		},
	}
}

// The holder of a lock changes while others wait for it.
func TestTrace(t *testing.T) {
	s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", threeLock()), LiveName: "none is known"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range []string{"2; state", "4; waits", "5; waits", "6; waits", "7; waits; state; why"} {
		if err := s.Do(t.Context(), line, &out); err != nil {
			t.Fatal(err)
		}
	}
	golden.CompareFile(t, filepath.Join("testdata", "locks.txt"), []byte(out.String()))
	out.Reset()
	if err := s.Do(t.Context(), "steps /x_test.go:7/", &out); err != nil || strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "x_test.go:7") {
		t.Errorf("steps of a place: %v\n%s", err, out.String())
	}
	for line, want := range map[string]string{
		"choices":      `"choices" needs a system of nodes, and this is the schedule of a test`,
		"take g2":      "the test cannot be executed again here",
		"save x.path":  `"save" needs a system of nodes`,
		"properties":   `"properties" needs a system of nodes`,
		"critical":     "the critical step is not known",
		"goto crit":    "the critical step is not known",
		"diff":         "there is no run to compare with: none is known",
		"next g4":      `unknown goroutine "g4"; goroutines are g1 to g3`,
		"next n1":      `unknown goroutine "n1"`,
		"walk":         `"walk" needs a system of nodes`,
		"find live":    `a recorded test has no "live"`,
		"steps kind=x": "the steps of a test have no kinds",
		"list":         "no code of the service handled step 7",
	} {
		if err := s.Do(t.Context(), line, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", line, err, want)
		}
	}
	out.Reset()
	lines := strings.Split(help(t, s), "\n")
	for i, line := range lines { // the columns are aligned, and what does not fit has a line of its own
		if strings.HasPrefix(line, "  ") && len(line) > 38 && line[38] != ' ' && !strings.HasPrefix(lines[i+1], strings.Repeat(" ", 39)) {
			t.Errorf("help: %q", line)
		}
	}
	if text := help(t, s); strings.Contains(text, "choices") || strings.Contains(text, "make an event") || strings.Contains(text, "KIND") || strings.Contains(text, "searches for it") {
		t.Errorf("help lists what a recorded test does not have:\n%s", text)
	}
	if err := s.Do(t.Context(), "help", &out); err != nil || strings.Contains(out.String(), "walk") || !strings.Contains(out.String(), "waits") {
		t.Errorf("help: %v\n%s", err, out.String())
	}
}

func help(t *testing.T, s *mdb.Session) string {
	t.Helper()
	var out strings.Builder
	if err := s.Do(t.Context(), "help", &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A second read lock of an RWMutex waits for the writer that waits for the first one, unless the first one is a write lock.
func TestTrace_Writer(t *testing.T) {
	const where = "x_test.go:5"
	for op, want := range map[program.Op]string{
		program.OpRLock: "g1 waits to read-lock RWMutex `mu` at x_test.go:5, since step 3, blocked by waiting writer g2\n",
		program.OpLock:  "g1 waits to read-lock RWMutex `mu` at x_test.go:5, since step 3, held by g1\n",
	} {
		o := &testsched.Outcome{
			Trace: []testsched.Event{
				{Who: 10, Number: 1, Place: 1, Op: op, Object: "`mu`", At: "x_test.go:3"},
				{Who: 20, Number: 2, Place: 1, Op: program.OpLock, Object: "`mu`", At: "x_test.go:9"},
				{Who: 10, Number: 1, Place: 2, Op: program.OpRLock, Object: "`mu`", At: where},
			},
			States: []testsched.State{
				{Who: 20, After: 2, Number: 2, Kind: testsched.Parks, Waits: "sync.RWMutex.Lock", Object: "`mu`", At: "x_test.go:9", Other: 1},
				{Who: 10, After: 3, Number: 1, Kind: testsched.Parks, Waits: "sync.RWMutex.RLock", Object: "`mu`", At: where, Other: 1},
			},
		}
		s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", o)})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := s.Do(t.Context(), "3; waits", &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %v\n%s", op, err, &out)
		}
	}
}

// Steps in the standard library are folded in a chain of causes.
// A goroutine that slept has not run since its last step.
func TestTrace_Slept(t *testing.T) {
	for want, states := range map[string][]testsched.State{
		"running since step 1": nil,
		"waited since step 1": {
			{Who: 10, After: 1, Number: 1, Kind: testsched.Parks, Waits: "sleep", At: "x_test.go:4"},
			{Who: 10, After: 1, Number: 1, Kind: testsched.Ready},
		},
	} {
		o := &testsched.Outcome{
			Trace: []testsched.Event{
				{Who: 10, Number: 1, Place: 1, Op: 5, Object: "#1", At: "x_test.go:3", Func: "TestX"},
				{Who: 10, Number: 1, Place: 2, Op: 7, Object: "#1", At: "x_test.go:5", Func: "TestX"},
			},
			States: append([]testsched.State{{Who: 10, After: 0, Number: 1, Kind: testsched.Ready}}, states...),
		}
		s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", o)})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := s.Do(t.Context(), "2; why", &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: no %q in\n%s", err, want, out.String())
		}
	}
}

func TestTrace_Library(t *testing.T) {
	o := threeLock()
	for _, i := range []int{0, 5} {
		o.Trace[i].At = "the standard library (net/http.(*conn).serve)"
	}
	s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", o)})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.Do(t.Context(), "7; why", &out); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "    7 ")
	const want = ` g2 unlocks #1  [x_test.go:11]
       the goroutine waited, and was woken in step 6
       ... 2 steps in the standard library
    0  the test starts
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No command of a session on a recorded test executes a system.
func TestTrace_AllCommands(t *testing.T) {
	s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", threeLock()), LiveTrace: Trace("TestX", threeLock())})
	if err != nil {
		t.Fatal(err)
	}
	names, _ := s.Complete("")
	if len(names) < 20 {
		t.Errorf("there are only the commands %v", names)
	}
	for _, name := range names {
		for _, args := range []string{"", " 3", " g2", " main", " at", " /x/", " 1 end", " at == 1"} {
			s.Do(t.Context(), "4; "+name+args, io.Discard) // must not panic
			s.View(mdb.Wanted{Steps: 10, Reach: 5, Width: 80, Differences: true, Source: 3})
		}
	}
}

// Goroutines of another run have the same numbers, even if they were started in another order.
func TestRenumber(t *testing.T) {
	as, o := threeLock(), threeLock()
	swap := map[int]int{0: 0, 1: 1, 2: 3, 3: 2}
	Each(o, func(_ uint64, n *int) { *n = swap[*n] })
	for i := range o.Trace {
		o.Trace[i].By = swap[o.Trace[i].By]
	}
	for i := range o.States {
		o.States[i].Other = swap[o.States[i].Other]
	}
	o.States = append(o.States, testsched.State{Who: 40, After: 7, Number: 4, Kind: testsched.Ready, Other: 3})
	Renumber(o, as)
	if got := o.States[len(o.States)-1]; got.Number != 4 || got.Other != 2 {
		t.Errorf("a goroutine that the other run does not have has number %d and was started by %d, want 4 and 2", got.Number, got.Other)
	}
	if o.States = o.States[:len(o.States)-1]; !slices.Equal(o.States, as.States) || !slices.Equal(o.Trace, as.Trace) {
		t.Errorf("got %v\n%v\nwant %v\n%v", o.Trace, o.States, as.Trace, as.States)
	}
}

// The record of a long run begins after the start of its test.
func TestDebug_LongRun(t *testing.T) {
	o := threeLock()
	o.Untraced = 1000
	for i := range o.Trace {
		o.Trace[i].Count = uint64(1201 + i)
	}
	o.States = []testsched.State{{Who: 20, Number: 2, Kind: testsched.Parks, Waits: "sleep", At: "x_test.go:5"}}
	s, err := mdb.Open(mdb.Config{Trace: Trace("TestX", o), LiveName: "none is known"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.Do(t.Context(), "goto 0; waits", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"step 0 of", ": the record begins after operation 1200", ", since step 0 or earlier"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
	var graph strings.Builder
	if err := eventgraph.Build(scheduleTrace("TestX", o)).Text(&graph, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(graph.String(), "the record begins after operation 1200") {
		t.Errorf("the graph is\n%s", graph.String())
	}
}

// A Signal wakes a goroutine, or none, unless one that has called Wait does not wait yet.
func TestTrace_Signal(t *testing.T) {
	const wakes = "calls Signal of Cond c, wakes "
	wait := testsched.Event{Who: 20, Number: 2, Op: program.OpCond, Object: "c", Execution: testsched.Execution{Call: "Wait"}}
	unlock := testsched.Event{Who: 20, Number: 2, Op: program.OpUnlock, Object: "mu"}
	signal := testsched.Event{Who: 10, Number: 1, Op: program.OpCond, Object: "c", Execution: testsched.Execution{Call: "Signal"}}
	parks := testsched.State{Who: 20, After: 2, Number: 2, Kind: testsched.Parks}
	for want, o := range map[string]*testsched.Outcome{
		wakes + "g2": {Trace: []testsched.Event{wait, unlock, signal},
			States: []testsched.State{parks, {Who: 20, After: 3, Number: 2, Kind: testsched.Ready, Other: 1}}},
		wakes + "none":           {Trace: []testsched.Event{signal, wait, unlock}, States: []testsched.State{parks}},
		"calls Signal of Cond c": {Trace: []testsched.Event{wait, unlock, signal}, States: []testsched.State{{Who: 20, After: 3, Number: 2, Kind: testsched.Parks}}},
	} {
		i := slices.IndexFunc(o.Trace, func(e testsched.Event) bool { return e.Call == "Signal" })
		if got := Trace("TestX", o).Steps[i].What; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
