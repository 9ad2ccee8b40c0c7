package gotest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/sim"
)

// Graph draws a test under the schedule of a file.
func (a Runner) Graph(ctx context.Context, f *task.Graph, s *schedulefile.Stored) error {
	if err := f.Validate(); err != nil {
		return err
	}
	o, passes, err := a.executeSchedule(ctx, f.File, s, "nearest")
	if err != nil {
		return err
	}
	g := eventgraph.Build(scheduleTrace(s.Test, o))
	markRace(g, o)
	g.Critical = s.Critical(o.Trace)
	page := func(w io.Writer, eo eventgraph.Options) error {
		e := foundPage(f.File, s, o, passes)
		e.Options, e.Run.Critical = eo, g.Critical
		if g.Critical > 0 {
			e.Start = g.Critical
		}
		return e.HTML(w)
	}
	g.Named = s.Named(o.Trace)
	hint, err := selectAround(f, o, g)
	if err != nil {
		return err
	}
	if err := f.Draw(a.Process, g, page); err != nil {
		return err
	}
	if hint != "" {
		fmt.Fprintf(a.Stderr, "macemc: %s: %s\n", f.File, hint)
	}
	a.noteUntraced(f.File, o)
	return changed(f.File, s, o)
}

// noteUntraced prints which operations of a long run are shown.
func (a Runner) noteUntraced(file string, o *testsched.Outcome) {
	if o.Untraced+o.Later > 0 {
		fmt.Fprintf(a.Stderr, "macemc: %s: %s\n", file, o.Window())
	}
}

// foundPage returns what a page shows of a run under the schedule of a file.
func foundPage(file string, s *schedulefile.Stored, o, passes *testsched.Outcome) *render.Exploration {
	trace := pageTrace(s.Test, o)
	e := &render.Exploration{Title: s.Test + " of " + s.Package, Sentence: o.Title(), Run: eventgraph.Build(trace)}
	e.Commands.Look = "macemc mdb " + file
	run := history.Recorded("", trace, trace.Nodes)
	run.Critical = s.Critical(o.Trace)
	e.Order, e.Ended = run.Order(), history.StatusEnded
	pair := markRace(e.Run, o)
	for i, d := range o.Details {
		f := document.Fact{Text: d}
		if i == 0 {
			f.Label = detailLabel(o.Kind)
		}
		if len(pair) > 0 && !strings.HasPrefix(d, " ") { // an access, and not a call that leads to it
			f.Aside = fmt.Sprintf("step %d, g%d", pair[0]+1, o.Trace[pair[0]].Number)
			pair = pair[1:]
		}
		e.Violated = append(e.Violated, f)
	}
	if k := s.Critical(o.Trace); k > 0 {
		e.Code = document.Around(&trace.Steps[k-1])
		e.Violated = append(e.Violated, document.Fact{Label: "critical step", Text: fmt.Sprintf("step %d: %s", k, o.Trace[k-1])})
		e.Compared = append(e.Compared, document.Fact{Label: "certainty", Text: minimize.Certainty()})
	}
	e.Start = e.Run.Last()
	if k := testsched.Decisive(o, 0); e.Code == nil && k > 0 {
		e.Code, e.Start = document.Around(&trace.Steps[k-1]), k
	}
	if passes == nil || passes.Untraced != o.Untraced {
		return e
	}
	renumber(passes, o)
	for e.Common < min(len(o.Trace), len(passes.Trace)) && o.Trace[e.Common].Same(passes.Trace[e.Common]) {
		e.Common++
	}
	e.Passing = eventgraph.Build(pageTrace(s.Test, passes))
	at := func(o *testsched.Outcome) string {
		if e.Common < len(o.Trace) {
			return o.Trace[e.Common].String()
		}
		return "the end of the test"
	}
	e.Compared = append([]document.Fact{
		{Label: fmt.Sprintf("step %d", e.Common+1), Text: at(o)},
		{Label: "passing run", Text: at(passes), Aside: "the first difference of the nearest schedule that passes"},
	}, e.Compared...)
	return e
}

// markRace marks the two steps that access the same memory in a data race, and returns the indices of their events: that of the first
// detail of the finding, and the earlier one. It returns nil if they are not known.
func markRace(g *eventgraph.Graph, o *testsched.Outcome) []int {
	accesses := o.Accesses()
	if o.Kind != testsched.Race || len(accesses) < 2 {
		return nil
	}
	access := func(e *testsched.Event, detail string) bool {
		detail = strings.TrimPrefix(detail, "previous ")
		verb, place, _ := strings.Cut(detail, " at ")
		place, _, _ = strings.Cut(place, " in ")
		return e.Object != "" && e.At == place && e.Op.String() == verb+"s"
	}
	for i := range slices.Backward(o.Trace) {
		last := &o.Trace[i]
		if !access(last, accesses[0]) {
			continue
		}
		for j := range slices.Backward(o.Trace[:i]) {
			if e := &o.Trace[j]; e.Object == last.Object && e.Number != last.Number && access(e, accesses[1]) {
				g.SetRace(j+1, i+1)
				return []int{i, j}
			}
		}
	}
	return nil
}

// detailLabel returns the label of the details of a finding.
func detailLabel(k testsched.Kind) string {
	switch k {
	case testsched.Deadlock, testsched.Leak, testsched.NoEnd:
		return "at the end"
	case testsched.Race:
		return "accesses"
	}
	return "details"
}

// pageTrace returns debugTrace for a graph with states beside it: of the changes, the graph shows that the goroutine of a step waits
// after it.
func pageTrace(test string, o *testsched.Outcome) *replay.Trace {
	t := debugTrace(test, o)
	for i := range t.Steps {
		s := &t.Steps[i]
		waits := slices.ContainsFunc(s.Changes, func(c replay.NodeChange) bool {
			return c.Node == s.Node && c.Path == history.PathStatus && c.New != "runs" && c.New != history.StatusEnded &&
				!strings.HasPrefix(c.New, history.StatusCanRun)
		})
		for j := range s.Changes {
			c := &s.Changes[j]
			if !waits || c.Node != s.Node || c.Path != history.PathStatus && c.Path != history.PathHolder && c.Path != history.PathWriter {
				c.Part.Kind = replay.Position
			}
		}
	}
	return t
}

// changed returns an error if a run under the schedule of a file lacks the finding that the file records.
func changed(file string, s *schedulefile.Stored, o *testsched.Outcome) error {
	if kind, _, _ := strings.Cut(s.Finding, ":"); kind == strings.ToUpper(string(o.Kind)) {
		return nil
	}
	now := "passes"
	if o.Kind != testsched.Passed {
		now = "has " + o.Title()
	}
	return fmt.Errorf("%s: the test has changed: the file records %q, but the replayed run %s", file, s.Finding, now)
}

// scheduleTrace returns the run of a test, with a node for each goroutine. A step is an operation that a goroutine is about to execute. A
// message connects the operation that started or woke the goroutine to this step.
func scheduleTrace(test string, o *testsched.Outcome) *replay.Trace {
	boot := netmodel.Event{Kind: eventkind.Boot, Node: -1, Peer: -1}
	t := &replay.Trace{System: test, Goroutines: true, Boot: replay.TraceStep{Node: -1, Peer: -1, Event: boot}}
	if o.Untraced > 0 {
		t.Boot.What = fmt.Sprintf("the record begins after operation %d", o.Trace[0].Count-1)
	}
	at, events := map[int]string{}, map[int][]int{} // by goroutine
	waits := unfinishedLocks(o)
	for i, e := range o.Trace {
		for e.Number > len(t.Names) {
			t.Names = append(t.Names, "")
		}
		node := sim.NodeID(e.Number - 1)
		if t.Names[node] == "" {
			t.Names[node] = e.Func
			if name := o.Identity(test, e.Number); name != "" && !strings.Contains(name, " ") {
				t.Names[node] = name // of the test function
			}
		}
		s := replay.TraceStep{Number: i + 1, Kind: "operation", Node: int(node), Peer: -1, What: e.What(), Source: e.At}
		if waits[e.Number] == i+1 {
			s.What = strings.TrimSpace("waits to " + e.Op.Noun() + " " + e.Object)
		}
		if name, ok := strings.CutPrefix(e.At, "the standard library ("); ok {
			s.Source = strings.TrimSuffix(name, ")")
		}
		s.Event = netmodel.Event{Kind: eventkind.DoAction, Node: node, Peer: -1}
		if e.File != "" {
			s.SetPlace(filepath.Join(filepath.Dir(e.File), e.At))
		}
		if e.File != "" && at[e.Number] != e.At { // all others are folded
			s.Changes = []replay.NodeChange{{Node: int(node), Path: "(at)", Part: replay.Part{Kind: replay.Position}, Old: at[e.Number], New: e.At}}
			at[e.Number] = e.At
		}
		from, text := waker(o.Trace, events[e.By], e, len(events[e.Number]) == 0), ""
		if len(events[e.Number]) == 0 && from < 0 {
			from, text = timerSetter(o, events, e.Number), history.TimerSet
		}
		events[e.Number] = append(events[e.Number], i)
		if from >= 0 {
			by := o.Trace[from]
			m := replay.TraceMessage{ID: len(t.Messages) + 1, From: by.Number - 1, To: int(node), Text: cmp.Or(text, by.Op.Noun()), Sent: from + 1,
				Fates: []replay.TraceFate{{Step: i + 1, Fate: netmodel.Delivered, Name: netmodel.Delivered.String()}}}
			t.Messages = append(t.Messages, m)
			// A quorum step is drawn with the texts of its messages beside its own.
			s.Event.Kind, s.MsgIDs, s.Msgs = eventkind.TakeQuorum, []int{m.ID}, []string{m.Text}
		}
		t.Steps = append(t.Steps, s)
	}
	t.Nodes = len(t.Names)
	setOrigins(t, o)
	if o.Kind != testsched.Passed {
		message := strings.Join(append([]string{o.Message}, o.Details...), "\n")
		if o.Later > 0 {
			message = fmt.Sprintf("after %d more operations, which are not recorded: %s", o.Later, message)
		}
		t.Finding, t.FoundAt = &sim.Finding{Kind: sim.FindingKind(o.Kind), Message: message, Node: -1}, len(t.Steps)
	}
	return t
}

// unfinishedLocks returns, by goroutine, the steps that lock what the goroutine still waits for at the end of the trace.
func unfinishedLocks(o *testsched.Outcome) map[int]int {
	last := map[int]int{}
	for i, e := range o.Trace {
		last[e.Number] = i + 1
	}
	waits := map[int]int{}
	for _, s := range o.States {
		switch {
		case s.Kind == testsched.Parks && s.After >= last[s.Number] && last[s.Number] > 0 && strings.Contains(s.Waits, "Mutex.") &&
			o.Trace[last[s.Number]-1].Op.Locks():
			waits[s.Number] = last[s.Number]
		case s.Kind != testsched.Holder:
			delete(waits, s.Number)
		}
	}
	return waits
}

// setOrigins sets how the goroutines of a trace started, except the one that executes the test, whose name says it.
func setOrigins(t *replay.Trace, o *testsched.Outcome) {
	t.Origins = nil
	for id := range t.Nodes {
		text := ""
		if id > 0 {
			text = o.Identity("", id+1)
		}
		t.Origins = append(t.Origins, text)
	}
}

// timerSetter returns the index of the last event before a timer was set that started a goroutine; -1 means none.
func timerSetter(o *testsched.Outcome, events map[int][]int, goroutine int) int {
	at := slices.IndexFunc(o.Origins, func(g testsched.Origin) bool { return g.Number == goroutine && g.Timer })
	if at < 0 {
		return -1
	}
	for _, i := range slices.Backward(events[o.Origins[at].By]) {
		if o.Trace[i].Place <= o.Origins[at].ByPlace {
			return i
		}
	}
	return -1
}

// waker returns the index of the event, among those of a goroutine, that started or woke the goroutine of e; -1 means none. The event of a
// go statement comes after the start, while other events come before the wake-up. first means that the goroutine of e has no earlier event.
func waker(trace []testsched.Event, events []int, e testsched.Event, first bool) int {
	for _, i := range slices.Backward(events) {
		if at := trace[i].Place; at <= e.ByPlace || first && at == e.ByPlace+1 {
			return i
		}
	}
	return -1
}
