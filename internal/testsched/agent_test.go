package testsched

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// A process whose descriptor for the explorer is closed says so, and has no agent.
func TestNewAgent_Closed(t *testing.T) {
	t.Setenv(Variable, "1")
	t.Setenv(VariableAgent, "12345")
	stderr := os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = w
	agent := NewAgent()
	os.Stderr, hidden = stderr, nil
	w.Close()
	text := make([]byte, 200)
	n, _ := r.Read(text)
	if agent != nil || !strings.Contains(string(text[:n]), "the program of -exec closes descriptor 12345\n") {
		t.Errorf("got %v, %q", agent, text[:n])
	}
}

// outcomes is a runner with the given outcomes.
type outcomes struct {
	Divisible
	of  []*Outcome
	ran int
}

func (r *outcomes) Run(*Schedule, bool) *Outcome {
	r.ran++
	return r.of[r.ran-1]
}

// The runs of a request end with one after which other schedules may follow.
func TestAgent_Respond(t *testing.T) {
	passes := &Outcome{Points: 5}
	for _, c := range []struct {
		of   []*Outcome
		want int
	}{
		{[]*Outcome{passes, passes, passes, passes}, 4},
		{[]*Outcome{passes, {Kind: Leak}, passes, passes}, 2},
		{[]*Outcome{passes, passes, {Remaining: Remaining{Left: []string{"goroutine 2"}}}, passes}, 3},
		{[]*Outcome{{Points: batchPoints + 1}, passes, passes, passes}, 1},
	} {
		r := &outcomes{of: c.of}
		a := &Agent{}
		got := a.respond(&Request{Schedules: make([]*Schedule, len(c.of)), Executed: 7}, r)
		if !reflect.DeepEqual(got.Outcomes, c.of[:c.want]) || r.ran != c.want || a.executed != 6+c.want {
			t.Errorf("%d outcomes after %d runs, number %d, want %d", len(got.Outcomes), r.ran, a.executed, c.want)
		}
	}
}
