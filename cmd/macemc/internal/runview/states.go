package runview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
	"github.com/macemc/macemc/internal/textfmt"
)

// Trace returns scheduleTrace with the states of all goroutines after each step.
func Trace(test string, o *testsched.Outcome) *replay.Trace {
	t := scheduleTrace(test, o)
	x := debugStates{trace: t, events: o.Trace, is: map[int]goroutineState{}, was: map[int]goroutineState{}, rest: withStarts(o),
		latest: map[int][2]*testsched.Event{}}
	x.until(0)
	t.Boot.Changes = x.changes()
	output := printed(o)
	for i, e := range o.Trace {
		step := &t.Steps[i]
		if o.Untraced == 0 && len(o.States) > 0 {
			step.What += x.wakes(&o.Trace[i], i+1)
		}
		step.What += output[i]
		step.Key = fmt.Sprintf("g%d %v at %s %s", e.Number, e.Op, e.At, e.Chosen())
		x.is[e.Number] = goroutineState{at: place(e.At, e.Func), operation: e.What(), status: "runs"}
		x.until(i + 1)
		step.Changes = x.changes()
	}
	for len(t.Names) < t.Nodes {
		t.Names = append(t.Names, "")
	}
	setOrigins(t, o)
	return t
}

// printed describes what goroutines print after their events, by the index of the event.
func printed(o *testsched.Outcome) map[int]string {
	const most, wide = 3, 80 // lines, bytes
	lines, last, i := map[int][]string{}, map[int]int{}, 0
	for _, p := range o.Printed {
		if o.Later > 0 && p.After >= len(o.Trace) {
			break // perhaps after an event that is not recorded
		}
		for ; i < min(p.After, len(o.Trace)); i++ {
			last[o.Trace[i].Number] = i
		}
		text := strings.TrimSpace(p.Text)
		if at, known := last[p.Number]; known && text != "" {
			if len(text) > wide {
				text = strings.ToValidUTF8(text[:wide], "") + "..."
			}
			lines[at] = append(lines[at], strconv.Quote(text))
		}
	}
	texts := map[int]string{}
	for at, list := range lines {
		texts[at] = "; prints " + strings.Join(list[:min(most, len(list))], ", ")
		if more := len(list) - most; more > 0 {
			texts[at] += " and " + textfmt.Plural(more, "more line")
		}
	}
	return texts
}

// debugStates holds the states of goroutines, by number, before and after a step.
type debugStates struct {
	trace   *replay.Trace
	events  []testsched.Event
	is, was map[int]goroutineState
	rest    []testsched.State
	latest  map[int][2]*testsched.Event // of goroutines, the latest one first
}

// wakes describes which goroutines step n, an event of a Cond, wakes. The text is empty if one that has called Wait does not wait yet.
func (x *debugStates) wakes(e *testsched.Event, n int) string {
	defer func() { x.latest[e.Number] = [2]*testsched.Event{e, x.latest[e.Number][0]} }()
	if e.Op != program.OpCond || e.Call != "Signal" && e.Call != "Broadcast" {
		return ""
	}
	var names []string
	for _, s := range x.rest {
		if s.After > n {
			break
		}
		if s.Kind == testsched.Ready && s.Other == e.Number && x.is[s.Number].parked {
			names = append(names, fmt.Sprintf("g%d", s.Number))
		}
	}
	if len(names) > 0 {
		return ", wakes " + strings.Join(names, ", ")
	}
	for number, last := range x.latest {
		unlocks := last[0].Op == program.OpUnlock && last[1] != nil // in Wait
		if !x.is[number].parked && (last[0].Call == "Wait" || unlocks && last[1].Call == "Wait") {
			return ""
		}
	}
	return ", wakes none"
}

// withStarts returns the states, with each start of a goroutine moved after the event of its go statement.
func withStarts(o *testsched.Outcome) []testsched.State {
	list, known := slices.Clone(o.States), map[int]bool{}
	for i := range list {
		s := &list[i]
		if !known[s.Number] && s.After < len(o.Trace) && o.Trace[s.After].Op.Starts() && o.Trace[s.After].Number == s.Other {
			s.After++
		}
		known[s.Number] = true
	}
	slices.SortStableFunc(list, func(a, b testsched.State) int { return cmp.Compare(a.After, b.After) })
	return list
}

// until applies the state changes before the event that follows step n.
func (x *debugStates) until(n int) {
	for ; len(x.rest) > 0 && x.rest[0].After <= n; x.rest = x.rest[1:] {
		s := x.rest[0]
		now := x.is[s.Number].after(s)
		if now.writer = x.writer(&s); now.writer != "" && s.Other == s.Number {
			now.holder = ""
		}
		x.is[s.Number] = now
	}
}

// writer returns the goroutine whose request for a write lock precedes the request for a read lock with which s begins a wait. An empty
// string means that there is none, or that the holder may have the write lock.
func (x *debugStates) writer(s *testsched.State) string {
	if s.Kind != testsched.Parks || !strings.HasPrefix(s.Waits, "sync.RWMutex.RLock") || s.Object == "" || !x.reads(s) {
		return ""
	}
	waits := strings.Replace(s.Wait(), "read-lock", "lock", 1)
	for n, g := range x.is {
		if g.parked && g.status == waits && g.holder != "" {
			return fmt.Sprintf("g%d", n)
		}
	}
	return ""
}

// reads reports whether the holder of the lock that s waits for has certainly read-locked it.
func (x *debugStates) reads(s *testsched.State) bool {
	released, latest := 0, true
	for _, e := range slices.Backward(x.events[:min(s.After, len(x.events))]) {
		if e.Number != s.Other {
			continue
		}
		waits := latest && e.Op.Locks() && (s.Other == s.Number || x.is[s.Other].parked) // it does not yet have this lock
		latest = false
		switch {
		case waits || e.Object != s.Object:
		case e.Op != program.OpLock && e.Op != program.OpRLock && e.Op != program.OpUnlock && e.Op != program.OpTryLock:
		case e.Op == program.OpUnlock:
			released++
		case released > 0:
			released--
		default:
			return e.Op == program.OpRLock
		}
	}
	return false
}

// changes returns the changes of a step.
func (x *debugStates) changes() (list []replay.NodeChange) {
	for _, n := range slices.Sorted(maps.Keys(x.is)) {
		if x.is[n] != x.was[n] {
			list = append(list, x.is[n].changes(n-1, x.was[n])...)
			x.was[n] = x.is[n]
			x.trace.Nodes = max(x.trace.Nodes, n)
		}
	}
	return list
}

// goroutineState is the state of a goroutine in the debugger. The zero value means that it was not yet started.
type goroutineState struct {
	at, operation, status, holder, writer string
	parked                                bool
}

func place(at, function string) string {
	if function == "" {
		return at
	}
	return at + " in " + function
}

// after returns the state after s.
func (g goroutineState) after(s testsched.State) goroutineState {
	holder := ""
	if s.Other > 0 {
		holder = fmt.Sprintf("g%d", s.Other)
	}
	switch s.Kind {
	case testsched.Holder:
		if g.parked {
			g.holder, g.writer = holder, ""
		}
		return g
	case testsched.Ends:
		return goroutineState{status: history.StatusEnded}
	case testsched.Parks:
		at := place(s.At, s.Func)
		if at != g.at {
			g.operation = "" // an operation without an event, such as sleeping
		}
		return goroutineState{at: at, operation: g.operation, status: s.Wait(), holder: holder, parked: true}
	}
	started := g == goroutineState{}
	waited := g.parked
	g.parked, g.holder, g.writer, g.status = false, "", "", history.StatusCanRun
	if waited && s.Other == 0 {
		g.status = history.StatusRested
	}
	if s.Other > 0 && s.Other != s.Number {
		how := ", woken by "
		if started {
			how = ", started by "
		}
		g.status += how + holder
	}
	return g
}

// changes returns the differences from an old state of the same goroutine.
func (g goroutineState) changes(node int, old goroutineState) (list []replay.NodeChange) {
	for _, c := range []replay.NodeChange{
		{Path: history.PathAt, Old: old.at, New: g.at},
		{Path: history.PathOperation, Old: old.operation, New: g.operation},
		{Path: history.PathStatus, Old: old.status, New: g.status},
		{Path: history.PathHolder, Old: old.holder, New: g.holder},
		{Path: history.PathWriter, Old: old.writer, New: g.writer},
	} {
		if c.Old != c.New {
			c.Node = node
			list = append(list, c)
		}
	}
	return list
}

// Renumber gives goroutines their numbers in another outcome of the same test, and gives the rest numbers that are unused there.
func Renumber(o, as *testsched.Outcome) {
	number, most := map[uint64]int{}, 0
	Each(as, func(who uint64, n *int) { number[who], most = *n, max(most, *n) })
	changed := map[int]int{0: 0}
	Each(o, func(who uint64, n *int) {
		if number[who] == 0 {
			most++
			number[who] = most
		}
		changed[*n] = number[who]
	})
	Each(o, func(_ uint64, n *int) { *n = changed[*n] })
	for i := range o.Trace {
		o.Trace[i].By = changed[o.Trace[i].By]
	}
	for i := range o.States {
		o.States[i].Other = changed[o.States[i].Other]
	}
	for i := range o.Printed {
		p := &o.Printed[i]
		p.Number = cmp.Or(changed[p.Number], p.Number)
	}
	for i := range o.Origins {
		g := &o.Origins[i]
		g.Number, g.By = changed[g.Number], changed[g.By]
	}
}

// Each calls f for each event and state, with the hash and the number of its goroutine.
func Each(o *testsched.Outcome, f func(who uint64, number *int)) {
	for i := range o.Trace {
		f(o.Trace[i].Who, &o.Trace[i].Number)
	}
	for i := range o.States {
		f(o.States[i].Who, &o.States[i].Number)
	}
}
