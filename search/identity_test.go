package search_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// parcel contains identities.
type parcel struct {
	Err  error
	At   time.Time
	Mark *mark
}

// echoer sends letters that come back, and stores those sent and received.
type echoer struct {
	sim.Nop
	Sent, Got parcel
	Bad       string
}

func (e *echoer) Receive(env sim.Env, from sim.NodeID, msg any) {
	got := msg.(parcel)
	switch {
	case env.Self() == 1:
		env.Send(from, msg)
		return
	case got.Err != twins[0] && (got.Err == e.Sent.Err || got.Err == e.Got.Err):
		e.Bad = "an error is one with another"
	case e.Sent.Err == twins[0] && got.Err != twins[0]:
		e.Bad = "a variable is another one"
	case got.At == e.Sent.At || got.At == e.Got.At:
		e.Bad = "a zone is one with another"
	case got.Mark == e.Sent.Mark || got.Mark == e.Got.Mark:
		e.Bad = "a pointer is one with another"
	}
	e.Got = got
}

// The content of a message is a copy, so its references differ from those of nodes and other messages, except for
// package variables. All strategies and engines agree.
func TestIdentity_MessagesAreCopies(t *testing.T) {
	for _, err := range []func() error{func() error { return errors.New("lost") }, func() error { return twins[0] }} {
		sys := sim.System{
			Name: "echo", Nodes: 2, New: func(sim.NodeID) sim.Service { return &echoer{} }, Network: netsim.Datagrams{Dup: 1},
			Actions: []sim.AnyAction{sim.Action[*echoer]{Name: "send", Times: 2, At: func(id sim.NodeID) bool { return id == 0 },
				Do: func(e *echoer, env sim.Env) {
					e.Sent = parcel{err(), time.Unix(0, 0).In(time.FixedZone("X", 60)), &mark{}}
					env.Send(1, e.Sent)
				}}},
			Properties: []sim.Property{{Name: "apart", Always: sim.Each(func(_ sim.NodeID, e *echoer) bool { return e.Bad == "" })}},
		}
		everywhere(t, "echo", sys, func(t *testing.T, res *search.Result) {
			if res.Verdict == search.Violation || res.Finding != nil {
				t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, res.Finding)
			}
		})
	}
}

// ringer sets a timer that holds an error.
type ringer struct {
	sim.Nop
	Rang bool
}

type cause struct{ Cause any }

func (a *ringer) Timer(_ sim.Env, t any) { a.Rang = t == cause{twins[1]} || t == cause{7} }

// Timers may hold an interface value that is a plain value or a package variable. A new error is rejected by name. All
// strategies and engines agree.
func TestIdentity_InTimers(t *testing.T) {
	for _, c := range []struct {
		cause func() any
		ok    bool
	}{
		{func() any { return twins[1] }, true},
		{func() any { return 7 }, true},
		{func() any { return errors.New("no such thing") }, false},
		{func() any { return time.Unix(0, 0).In(time.FixedZone("X", 60)) }, false},
	} {
		sys := sim.System{
			Name: "alarm", Nodes: 1, New: func(sim.NodeID) sim.Service { return &ringer{} },
			Actions:    []sim.AnyAction{sim.Action[*ringer]{Name: "set", Times: 1, Do: func(_ *ringer, env sim.Env) { env.SetTimer(cause{c.cause()}, time.Second) }}},
			Properties: []sim.Property{{Name: "quiet", Always: sim.Each(func(_ sim.NodeID, a *ringer) bool { return !a.Rang })}},
		}
		verdict(t, "alarm", sys, func(t *testing.T, res *search.Result, err error) {
			switch {
			case c.ok && (err != nil || res.Finding == nil || res.Finding.Property != "quiet"):
				t.Errorf("%v, %+v", err, res)
			case !c.ok && (err == nil || !strings.Contains(err.Error(), "timers must not hold pointers")):
				t.Errorf("not refused: %v, %+v", err, res)
			}
		})
	}
}

// ear is a monitor that changes its events, and fails if another monitor did.
type ear struct{ Heard int }

func (e *ear) Observe(_ sim.NodeID, event any) error {
	m := event.(*mark)
	if m.N++; m.N != 1 {
		return errors.New("the event was changed")
	}
	e.Heard++
	return nil
}

// Each monitor receives a separate copy.
func TestIdentity_MonitorsGetCopies(t *testing.T) {
	newEar := func() sim.Monitor { return &ear{} }
	sys := sim.System{
		Name: "ears", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} }, Monitors: []func() sim.Monitor{newEar, newEar, newEar},
		Actions: []sim.AnyAction{sim.Action[*keeper]{Name: "tell", Times: 1, Do: func(_ *keeper, env sim.Env) { env.Announce(&mark{}) }}},
	}
	everywhere(t, "ears", sys, func(t *testing.T, res *search.Result) {
		if res.Finding != nil {
			t.Errorf("%s: %+v", res.Verdict, res.Finding)
		}
	})
}

// errLate is set by the first handler that needs it, and lateMarks are made on demand.
var (
	errLate   error
	once      sync.Once
	lateMarks sync.Map
)

// late stores values that outlive runs, or similar new ones.
type late struct {
	sim.Nop
	Err  error
	Mark *mark
}

// Values that handlers store in package variables, and keep in states, are rejected: encodings could not identify them.
func TestIdentity_OutlivesRun(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(*late)
		field string // empty if it is accepted
	}{
		"late sentinel": {func(s *late) {
			once.Do(func() { errLate = errors.New("gone") })
			s.Err = errLate
		}, "Err"},
		"interned": {func(s *late) {
			m, _ := lateMarks.LoadOrStore("a", &mark{1})
			s.Mark = m.(*mark)
		}, "Mark"},
		"made anew":     {func(s *late) { s.Err, s.Mark = errors.New("gone"), &mark{1} }, ""},
		"early as well": {func(s *late) { s.Err = sim.ErrReset }, ""},
	} {
		sys := sim.System{
			Name: "late", Nodes: 1, New: func(sim.NodeID) sim.Service { return &late{} },
			Actions: []sim.AnyAction{sim.Action[*late]{Name: "go", Times: 1, Do: func(s *late, _ sim.Env) { c.do(s) }}},
		}
		everywhere(t, name, sys, func(t *testing.T, res *search.Result) {
			f := res.Finding
			if c.field == "" && f == nil || c.field != "" && f != nil && f.Kind == sim.Nondeterminism && strings.Contains(f.Message, ": "+c.field+" refers to what was made in a run") {
				return
			}
			t.Errorf("%s: %+v", res.Verdict, f)
		})
	}
}
