package testsched

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"
)

func TestOutcome_BetweenProcesses(t *testing.T) {
	want := &Outcome{Kind: Failed, Message: "x \"y\"\nz", Where: "a.go:1", Points: 3, Followed: 1, Hash: 1 << 63, Details: []string{"one", "two three"}, Switches: []Switch{{1, 1 << 63, 3}},
		Bounds: Bounds{9, 4, Output{{1, 2, "a\n", false}}, Recorded{}}, Trace: []Event{{1 << 63, 2, 3, 5, program.OpLock, Execution{program.OpSend, 1, 2, "Add(1)", ReturnedTrue}, "s.mu #4", "a.go:1", "TestA.func1", "/m/a.go", true, 1, 7}},
		States:  []State{{1 << 63, 1, 3, Parks, "sync.Mutex.Lock", "s.mu #4", "a.go:1", "TestA.func1", 2}, {5, 1, 2, Ends, "", "", "", "", 0}},
		Origins: []Origin{{2, false, true, 1, 7, "a.go:3", "TestA", "p", ""}, {3, true, false, 1, 8, "a.go:4", "TestA", "p", "net/http.(*Server).Serve"}}}
	if got := Decode(Encode(want)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if Decode([]byte("nothing")) != nil {
		t.Error("an outcome was read from nothing")
	}
}

// Each switch is found in the table by the runtime's lookup.
func TestTable(t *testing.T) {
	var list []Switch
	for i := range uint64(1000) {
		list = append(list, Switch{Who: Mix(i) | 4, Place: i, To: i + 1})
	}
	table := Table(nil, list)
	mask := uint64(len(table) - 1)
	for _, s := range list {
		i := Mix(s.Who^s.Place<<24) & mask
		for table[i].Who != s.Who || table[i].Place != s.Place {
			if table[i].Who == 0 {
				t.Fatalf("%v is missing", s)
			}
			i = (i + 1) & mask
		}
		if table[i] != s {
			t.Fatalf("%v, want %v", table[i], s)
		}
	}
}

// The goroutines of a cycle of locks come first, and those without user code last.
func TestWaitList_Order(t *testing.T) {
	details := WaitList([]Goroutine{{Number: 1, Func: "Test", At: "a"}, {Number: 2, At: "b"}, {Number: 3, Func: "f", Holder: 4, At: "c"}, {Number: 4, Func: "g", At: "d"}})
	var order []string
	for _, d := range details {
		order = append(order, strings.Fields(d)[1])
	}
	if got := strings.Join(order, " "); got != "3 4 1 2" {
		t.Errorf("goroutines in the order %s", got)
	}
}

// A second read lock waits for the writer between, which no longer waits for another writer.
func TestWaitList_Writer(t *testing.T) {
	const read, write = "sync.RWMutex.RLock", "sync.RWMutex.Lock"
	for _, c := range []struct {
		holder  int
		address uintptr // of the lock that the writer waits for
		writer  string  // its wait reason
		want    string
	}{
		{1, 8, write, "goroutine 1 waits to read-lock RWMutex `mu` at a.go:7, blocked by waiting writer goroutine 2"},
		{3, 8, write + " (durable)", "goroutine 1 waits to read-lock RWMutex `mu` at a.go:7, held by goroutine 3, blocked by waiting writer goroutine 2"},
		{1, 8, "sync.Mutex.Lock", "goroutine 1 waits to read-lock RWMutex `mu` at a.go:7, held by goroutine 1"},
		{1, 16, write, "goroutine 1 waits to read-lock RWMutex `mu` at a.go:7, held by goroutine 1"},
	} {
		got := WaitList([]Goroutine{{Number: 1, Waits: read, Address: 8, Object: "`mu`", At: "a.go:7", Holder: c.holder},
			{Number: 2, Waits: c.writer, Address: c.address, Object: "`mu`", At: "a.go:9", Holder: c.holder}})
		if got[0] != c.want {
			t.Errorf("%q, want %q", got[0], c.want)
		}
	}
}

// Goroutines that are idle in the standard library share a line, unless no other one waits.
func TestWaitList_Idle(t *testing.T) {
	reads := Goroutine{Number: 2, Waits: "select", At: standardLibrary + " (net/http.(*persistConn).readLoop)"}
	writes := Goroutine{Number: 3, Waits: "select", At: standardLibrary + " (net/http.(*persistConn).writeLoop)"}
	user := Goroutine{Number: 4, Waits: "select", At: "x.go:3", Func: "f"}
	for _, c := range []struct {
		all  []Goroutine
		want []string
	}{
		{[]Goroutine{reads, user, writes, reads}, []string{user.String(),
			"and 3 in the standard library: net/http.(*persistConn).readLoop, net/http.(*persistConn).writeLoop"}},
		{[]Goroutine{reads, user}, []string{user.String(), reads.String()}},
		{[]Goroutine{reads, writes}, []string{reads.String(), writes.String()}},
	} {
		if got := WaitList(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The details of a failed test repeat neither its title nor what package testing prints at the end.
func TestLogs(t *testing.T) {
	for title, want := range map[string][]string{
		"x_test.go:4: wrong":            {"x_test.go:3: begins", "in two lines"},
		"TestX/sub: x_test.go:4: wrong": {"x_test.go:3: begins", "in two lines"},
		"the test failed":               {"x_test.go:3: begins", "x_test.go:4: wrong", "in two lines"},
	} {
		got := Logs("    x_test.go:3: begins\n    --- FAIL: TestX/sub (0.00s)\n        x_test.go:4: wrong\n            in two lines\n", title)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", title, got, want)
		}
	}
	testify := "    x_test.go:4: \n        \tError Trace:\t/tmp/x_test.go:4\n        \t            \t/tmp/x_test.go:9\n        \tError:      \tNot equal: \n" +
		"        \t            \texpected: 1\n        \t            \tactual  : 2\n        \tTest:       \tTestX\n        \tMessages:   \ta gap\n"
	if got := Logs(testify, "x_test.go:4: a gap: Not equal: expected: 1, actual: 2"); !slices.Equal(got, []string{"/tmp/x_test.go:9"}) {
		t.Errorf("the log of package testify has %q", got)
	}
}

func TestOrigin_String(t *testing.T) {
	for want, g := range map[string]Origin{
		"started by the timer set at batch.go:21 in (*Batcher).Add":         {Timer: true, At: "batch.go:21", Func: "(*Batcher).Add"},
		"started by the timer set in the standard library (net/http.serve)": {Timer: true, At: "the standard library (net/http.serve)"},
		"started at x_test.go:3":                                     {At: "x_test.go:3", Func: "TestX"},
		"started by net/http.(*Server).Serve, called at x_test.go:4": {At: "x_test.go:4", Func: "TestX", Starter: "net/http.(*Server).Serve"},
		"started by net/http.(*conn).serve":                          {At: "the standard library (net/http.(*conn).serve)", Starter: "net/http.(*conn).serve"},
	} {
		if got := g.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The function of the distribution with a go statement starts a goroutine, except WaitGroup.Go.
func TestStack_Starter(t *testing.T) {
	frame := func(name string) runtime.Frame {
		f := runtime.Frame{Function: name, File: "/m/x_test.go"}
		if !strings.Contains(name, "TestX") {
			f.File = program.Root + "x.go"
		}
		return f
	}
	for want, names := range map[string][]string{
		"":                         {"runtime.newproc", "sync.(*WaitGroup).Go", "example.org/x.TestX"},
		"net/http.(*Server).Serve": {"runtime.newproc", "net/http.(*Server).Serve", "example.org/x.TestX"},
	} {
		var s Stack
		for _, name := range names {
			s = append(s, frame(name))
		}
		if got := s.Starter(); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
	}
	if got := (Stack{frame("runtime.newproc"), frame("example.org/x.TestX"), frame("testing.tRunner")}).Starter(); got != "" {
		t.Errorf("the test itself: %q", got)
	}
}

// The step that closed a channel is named for panics of closed channels only: nil channels of one place are not the same.
func TestOutcome_Closed(t *testing.T) {
	closes := Event{Op: program.OpClose, Object: "c", At: "a_test.go:7"}
	for message, want := range map[string]int{"close of closed channel": 1, "close of nil channel": 0} {
		o := &Outcome{Kind: Panic, Message: message, Where: closes.At, Trace: []Event{closes, closes}}
		if got := o.Closing(); got != want {
			t.Errorf("%s: step %d, want %d", message, got, want)
		}
	}
}

// A failure with a message is one of the test. A panic has none.
func TestOutcome_HasFailure(t *testing.T) {
	for message, want := range map[string]bool{"why": true, "": false} {
		o := &Outcome{}
		o.ShowFailure("TestX/a:b", message, nil, nil)
		o.Shows[0] += showsAt + "x.TestX `f()`"
		o.Show(string(Panic), "failed: why", nil)
		if got := o.HasFailure(); got != want {
			t.Errorf("%q: %v", o.Shows, got)
		}
	}
}

// Goroutines are deadlocked for sure if each lock of a cycle is held by one that waits for the next.
func TestCycle(t *testing.T) {
	for _, c := range []struct {
		holders string // of goroutines 1, 2, ..., as digits; 0 means unknown
		want    bool
	}{
		{"", false}, {"0", false}, {"1", true}, {"20", false}, {"21", true}, {"0310", false}, {"0320", true}, {"0343", true}, {"023", true}, {"0300", false},
	} {
		var all []Goroutine
		for i, holder := range c.holders {
			all = append(all, Goroutine{Number: i + 1, Holder: int(holder - '0')})
		}
		if got := Cycle(all); got != c.want {
			t.Errorf("holders %q: got %t, want %t", c.holders, got, c.want)
		}
	}
}
