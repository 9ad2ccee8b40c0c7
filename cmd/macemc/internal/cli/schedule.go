package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/sim"
)

// scheduleOf reads a file with the schedule of a test; nil means that it is something else.
func scheduleOf(file string) *testsched.Stored {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	s, err := testsched.Read(f)
	if err != nil {
		return nil
	}
	return s
}

// graphSchedule draws a test under the schedule of a file.
func (a *app) graphSchedule(ctx context.Context, f *task.Graph, s *testsched.Stored) error {
	if err := f.Validate(); err != nil {
		return err
	}
	t, err := a.traceSchedule(ctx, f.File, s)
	if err != nil {
		return err
	}
	return f.Draw(&a.Process, eventgraph.Build(t))
}

// traceSchedule executes a test under the schedule of a file.
func (a *app) traceSchedule(ctx context.Context, file string, s *testsched.Stored) (*replay.Trace, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "macemc-schedule-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	outcome := filepath.Join(temp, "outcome")
	pkg, args := s.Package, []string{"-count=1", "-run", testsched.Pattern(s.Test), "-schedule", file}
	if folder, _, ok := strings.Cut(file, filepath.Join(string(filepath.Separator)+"testdata", "macemc")+string(filepath.Separator)); ok {
		pkg, args = ".", append([]string{"-C", folder}, args...)
	}
	if s.Schedule.Memory {
		args = append(args, "-race")
	}
	var out bytes.Buffer
	err = a.goTest(ctx, append(args, pkg), &out, &out, testsched.VariableOutcome+"="+outcome, testsched.VariableTrace+"=1")
	text, e := os.ReadFile(outcome)
	if err != nil || e != nil {
		return nil, fmt.Errorf("%s: the test %s of %s was not executed:\n%s", file, s.Test, s.Package, strings.TrimSpace(out.String()))
	}
	o := testsched.Decode(string(text))
	if o == nil || o.Kind == testsched.Unexplored {
		return nil, fmt.Errorf("%s: the test cannot be executed under a schedule", file)
	}
	return scheduleTrace(s.Test, o), nil
}

// scheduleTrace returns the run of a test with a node for each goroutine. A step is an operation that a goroutine is about to execute, and
// a message leads to it from the operation that started the goroutine, or woke it.
func scheduleTrace(test string, o *testsched.Outcome) *replay.Trace {
	t := &replay.Trace{System: test, Goroutines: true, Boot: replay.TraceStep{Node: -1, Peer: -1, Event: sim.Event{Kind: sim.Boot, Node: -1, Peer: -1}}}
	at := map[int]string{}
	for i, e := range o.Trace {
		for e.Number > len(t.Names) {
			t.Names = append(t.Names, "")
		}
		node := sim.NodeID(e.Number - 1)
		if t.Names[node] == "" {
			t.Names[node] = e.Func
		}
		what := e.Op
		if e.Object != 0 {
			what = fmt.Sprintf("%s #%d", e.Op, e.Object)
		}
		s := replay.TraceStep{Number: i + 1, Node: int(node), Peer: -1, What: what, Source: e.At, Event: sim.Event{Kind: sim.DoAction, Node: node, Peer: -1}}
		if at[e.Number] != e.At { // what package testing does at one place is folded
			s.Changes = []replay.NodeChange{{Node: int(node), Path: replay.Position, Old: at[e.Number], New: e.At}}
			at[e.Number] = e.At
		}
		s.Kind = "operation"
		if from := waker(o.Trace[:i], e); from >= 0 {
			by := o.Trace[from]
			m := replay.TraceMessage{ID: len(t.Messages) + 1, From: by.Number - 1, To: int(node), Text: testsched.OpNoun(by.Op), Sent: from + 1,
				Fates: []replay.TraceFate{{Step: i + 1, Fate: sim.Delivered, Name: sim.Delivered.String()}}}
			t.Messages = append(t.Messages, m)
			s.Event.Kind, s.MsgIDs, s.Msgs = sim.TakeQuorum, []int{m.ID}, []string{m.Text} // its arrow has another text than the step
		}
		t.Steps = append(t.Steps, s)
	}
	t.Nodes = len(t.Names)
	if o.Kind != testsched.Passed {
		t.Finding, t.FoundAt = &sim.Finding{Kind: sim.FindingKind(o.Kind), Message: strings.Join(append([]string{o.Message}, o.Details...), "\n"), Node: -1}, len(t.Steps)
	}
	return t
}

// waker returns the event of the goroutine that started or woke the one of e, after the events before; -1 means that there is none. A go
// statement is an event after it has started a goroutine, other operations are events before they wake one.
func waker(before []testsched.Event, e testsched.Event) int {
	if e.By == 0 {
		return -1
	}
	first := !slices.ContainsFunc(before, func(b testsched.Event) bool { return b.Number == e.Number })
	for i, b := range slices.Backward(before) {
		if b.Number == e.By && (b.Place <= e.ByPlace || first && b.Place == e.ByPlace+1) {
			return i
		}
	}
	return -1
}
