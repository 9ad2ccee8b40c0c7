package runview

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/sim"
)

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
