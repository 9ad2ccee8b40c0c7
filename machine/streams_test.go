package machine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// tries sends while there is room, or more.
type tries struct {
	To    machine.ID
	More  bool
	Then  bool // tries once more
	Sends int
}

func (s *tries) start(x *machine.Ctx) {
	for s.Sends < 9 && x.TrySend(s.To, A{}) {
		s.Sends++
	}
	if s.More {
		x.Send(s.To, A{})
	}
	if s.Then && x.TrySend(s.To, A{}) {
		s.Sends++
	}
}

var triesKind = machine.Define[tries]("tries", machine.In("s", machine.Entry((*tries).start)))

func TestTrySend(t *testing.T) {
	taker := machine.Define[log]("taker", machine.In("s", machine.On(on[A]("a"))))
	over := func(ms *machine.System, more bool) *machine.System {
		to := ms.Add(taker, log{})
		ms.Add(triesKind, tries{To: to, More: more})
		return ms
	}
	o := run(t, over(&machine.System{Streams: &netsim.Streams{Buffer: 2}}, false))
	if o.states != 3 || o.finding != "" || o.ends["aa in s"] != 1 {
		t.Errorf("%+v: what has no room was sent, or not all that has", o)
	}
	for want, ms := range map[string]*machine.System{
		"tries1 sends A{} to machine 0 while its buffer for that machine is full": {Streams: &netsim.Streams{Buffer: 2}},
		"queues do not report their length":                                       {},
	} {
		if o := run(t, over(ms, true)); !strings.Contains(o.finding, want) {
			t.Errorf("%q, want %q", o.finding, want)
		}
	}
}

// Pushed messages without room wait if streams allow it, in all engines. TrySend then has no room, and waiting messages
// leave no room for others.
func TestStreamsAsLive(t *testing.T) {
	taker := machine.Define[log]("taker", machine.In("s", machine.On(on[A]("a"))))
	ms := &machine.System{Streams: &netsim.Streams{Buffer: 2}}
	to := ms.Add(taker, log{})
	ms.Add(triesKind, tries{To: to, More: true, Then: true})
	o := run(t, ms, func(s *sim.System) { *s = simext.AsLive(*s) })
	if o.states != 4 || o.finding != "" || o.ends["aaa in s"] != 1 {
		t.Errorf("got %+v, want 4 states, and aaa at one end", o)
	}
}

// A socket error also strikes attempts to connect if the network behaves as between live nodes.
func TestAttemptRefused(t *testing.T) {
	kind := machine.Define[log]("taker", machine.In("s", machine.On(on[A]("a")), machine.On(func(l *log, _ *machine.Ctx, _ machine.Lost) { l.Did += "!" })))
	ms := &machine.System{Streams: &netsim.Streams{Errors: 1}}
	ms.Add(kind, log{})
	ms.Add(sender, sends{"aa"})
	for want, change := range map[string]func(*sim.System){
		"a! in s, aa! in s":        func(*sim.System) {},
		" in s, a! in s, aa! in s": func(s *sim.System) { *s = simext.AsLive(*s) },
	} {
		o := run(t, ms, change)
		if got := strings.Join(slices.Sorted(maps.Keys(o.ends)), ", "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A machine receives all messages of a crashed one, or a prefix of them, and then, or at once, the loss.
func TestLost(t *testing.T) {
	kind := machine.Define[log]("taker", machine.In("s", machine.On(on[A]("a")), machine.On(func(l *log, _ *machine.Ctx, x machine.Lost) {
		if l.Did += "!"; x.Peer != 1 {
			l.Did += "?"
		}
	})))
	ms := &machine.System{Streams: &netsim.Streams{}}
	ms.Add(kind, log{})
	ms.Add(sender, sends{"aa"})
	if o := run(t, ms); !slices.Equal(slices.Sorted(maps.Keys(o.ends)), []string{"aa in s"}) {
		t.Errorf("without crashes: %v", o.ends)
	}
	o := run(t, ms, func(s *sim.System) { s.Halts, s.MayHalt = 1, func(id sim.NodeID) bool { return id == 1 } })
	if got := slices.Sorted(maps.Keys(o.ends)); !slices.Equal(got, []string{" in s", "a! in s", "aa! in s"}) {
		t.Errorf("%q", got)
	}
}
