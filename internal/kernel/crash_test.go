package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	vote   struct{ Round int }
	ballot struct{ Round int }
)

// voter persists its vote and sends it, in one order or the other. A voter that has voted in a round must not send
// another vote for it after a crash.
type voter struct {
	sim.Nop
	Voted     bool
	sendFirst bool
}

func (v *voter) Boot(env sim.Env) { _, v.Voted = env.Disk().Get("voted") }

func (v *voter) Vote(env sim.Env) {
	v.Voted = true
	if v.sendFirst {
		env.Send(1, vote{1})
	}
	env.Disk().Put("voted", []byte{1})
	env.Disk().Sync()
	if !v.sendFirst {
		env.Send(1, vote{1})
	}
	env.Announce(ballot{1})
}

// urn counts the votes.
type urn struct {
	sim.Nop
	Votes int
}

func (u *urn) Receive(_ sim.Env, _ sim.NodeID, msg any) { u.Votes += msg.(vote).Round }

func voting(sendFirst bool) *sim.System {
	return &sim.System{
		Name:  "voting",
		Nodes: 2,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &voter{sendFirst: sendFirst}
			}
			return &urn{}
		},
		Network:  netsim.Datagrams{},
		Crashes:  1,
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		Actions: []sim.AnyAction{sim.Action[*voter]{Name: "vote",
			When: func(v *voter) bool { return !v.Voted }, Do: (*voter).Vote}},
		Properties: []sim.Property{{Name: "one vote", Always: func(v *sim.View) bool {
			votes := v.Service(1).(*urn).Votes
			for range v.InFlight() {
				votes++
			}
			return votes <= 1
		}}},
	}
}

// explore runs the system to depth steps in every way, and returns the violations found.
func explore(t *testing.T, sys *sim.System, depth int) (runs int, found []error) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var e choose.Enumerate
	for e.Next() {
		runs++
		if err := w.Start(&e); err != nil {
			t.Fatal(err)
		}
		for range depth {
			events := w.Injections(append([]netmodel.Event(nil), w.Enabled()...))
			if len(events) == 0 {
				break
			}
			ev := events[e.Choose(choose.Point{Kind: choose.Event, Arity: len(events)})]
			err := w.Step(ev, &e)
			if err == nil {
				err = w.Check()
			}
			if err != nil {
				found = append(found, err)
				break
			}
		}
	}
	return runs, found
}

func TestSentBeforePersisted(t *testing.T) {
	// vote (crash after the send, before the sync), boot, vote again: three steps.
	if _, found := explore(t, voting(true), 3); len(found) == 0 {
		t.Error("sending before persisting was not found")
	}
	if runs, found := explore(t, voting(false), 6); len(found) > 0 || runs < 10 {
		t.Errorf("persisting before sending: %d runs, found %v", runs, found)
	}
}

func TestCrashInsideStep(t *testing.T) {
	w := start(t, voting(true))
	// Effects: send, write, sync, announce; all outlast the crash, so it may strike before each.
	for cut := range 5 {
		if err := w.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		asked := 0
		err := w.Step(w.Enabled()[0], choose.SourceFunc(func(p choose.Point) int {
			asked++
			switch {
			case p.Kind.Class() == choose.Fault && p.Arity == 5:
				return cut
			case p.Kind == choose.Outcome && p.Arity == 2 && cut == 3: // written, not synced
				return 0
			}
			t.Errorf("unexpected question %+v", p)
			return 0
		}))
		if err != nil {
			t.Fatal(err)
		}
		wantAsked, wantSent, wantDisk := 1, 0, false
		if cut == 3 {
			wantAsked = 2
		}
		if cut == 0 || cut >= 2 {
			wantSent = 1
		}
		if cut == 0 || cut == 4 {
			wantDisk = true
		}
		if asked != wantAsked {
			t.Errorf("cut %d: %d questions, want %d", cut, asked, wantAsked)
		}
		if up := w.Service(0) != nil; up != (cut == 0) {
			t.Errorf("cut %d: node up is %v", cut, up)
		}
		deliverable := 0
		for _, k := range keys(w) {
			if strings.HasPrefix(k, "deliver") {
				deliverable++
			}
		}
		if deliverable != wantSent {
			t.Errorf("cut %d: %d messages in flight, want %d", cut, deliverable, wantSent)
		}
		disk := strings.Contains(fmt.Sprint(w.NodeFields(0)), "(disk voted)")
		if disk != wantDisk {
			t.Errorf("cut %d: on disk: %v, want %v", cut, disk, wantDisk)
		}
	}
}

// keeper keeps the Env of a handler after its return.
type keeper struct {
	sim.Nop
	kept sim.Env `macemc:"-"`
}

func (k *keeper) Boot(env sim.Env) { k.kept = env; env.SetTimer(1, 1); env.SetTimer(2, 2) }

func (k *keeper) Timer(env sim.Env, t any) {
	if t == 2 {
		k.kept.SetTimer(3, 3)
	}
}

func TestCrash_MisuseIsFinding(t *testing.T) {
	sys := &sim.System{Name: "keeper", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} }}
	w, err := kernel.NewWorld(sys, kernel.Options{CheckMessages: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(w.Enabled()[0], choose.First); err != nil {
		t.Fatal(err)
	}
	err = w.Step(w.Enabled()[0], choose.First)
	f, ok := err.(*sim.Finding)
	if !ok || f.Kind != sim.Panic || !strings.Contains(f.Message, "used after its handler had returned") {
		t.Errorf("got %v", err)
	}
}

type list struct{ Items []int }

// mutator changes a message that it has sent.
type mutator struct {
	sim.Nop
	mine list
	Got  int
}

func (m *mutator) Boot(env sim.Env) {
	if env.Self() == 0 {
		m.mine = list{[]int{1}}
		env.Send(1, m.mine)
		env.SetTimer("change", 0)
	}
}

func (m *mutator) Timer(sim.Env, any) { m.mine.Items[0] = 2 }

func (m *mutator) Receive(_ sim.Env, _ sim.NodeID, msg any) { m.Got = msg.(list).Items[0] }

func TestMessages_Values(t *testing.T) {
	sys := &sim.System{Name: "mutator", Nodes: 2, New: func(sim.NodeID) sim.Service { return &mutator{} }, Network: netsim.Datagrams{}}
	for _, check := range []bool{false, true} {
		w, err := kernel.NewWorld(sys, kernel.Options{CheckMessages: check})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		do(t, w, `timer n0 "change"`)
		err = w.Step(w.Enabled()[0], choose.First)
		if check {
			if err == nil || !strings.Contains(err.Error(), "sent list{Items:[1]}, now list{Items:[2]}") {
				t.Errorf("the change was not found: %v", err)
			}
			continue
		}
		if got := w.Service(1).(*mutator).Got; err != nil || got != 1 {
			t.Errorf("delivered %d, %v; want the value that was sent", got, err)
		}
	}
}
