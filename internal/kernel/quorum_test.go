package kernel_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// slip is the message that voters send to node 0.
type slip struct{ For int }

// teller counts votes by sets. The other nodes vote by their number.
type teller struct {
	sim.Nop
	Sets  int
	Won   int
	Log   []sim.NodeID
	Other int
}

func (u *teller) Boot(env sim.Env) {
	if env.Self() > 0 {
		env.Send(0, slip{int(env.Self()) % 2})
	}
}

type ballots = []sim.From[slip]

// election is a system of a node that takes votes and of voters. edit changes its quorum.
func election(voters int, edit func(*sim.Quorum[*teller, slip])) sim.System {
	q := sim.Quorum[*teller, slip]{
		Name: "elected",
		Need: func(u *teller) int { return 2 },
		Key:  func(v slip) any { return v.For },
		Do:   func(u *teller, env sim.Env, set ballots) { u.Sets++; u.Won = set[0].Msg.For },
	}
	if edit != nil {
		edit(&q)
	}
	return sim.System{
		Name: "election", Nodes: 1 + voters, Network: netsim.Datagrams{},
		New:     func(sim.NodeID) sim.Service { return &teller{} },
		Quorums: []sim.AnyQuorum{q},
	}
}

// elect begins a run and returns the keys of the enabled events.
func elect(t *testing.T, sys sim.System, opts kernel.Options) (kernel.World, func() []string) {
	t.Helper()
	w, err := kernel.NewWorld(&sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	return w, func() (keys []string) {
		for _, ev := range w.Enabled() {
			keys = append(keys, w.Key(ev))
		}
		return keys
	}
}

// Each set of Need senders with equal keys is an event, by the order of senders; messages that a quorum takes are not delivered.
func TestQuorumEvents(t *testing.T) {
	w, keys := elect(t, election(5, nil), kernel.Options{Trace: true})
	want := []string{
		"quorum n0 elected <-n2 slip{For:0} <-n4 slip{For:0}",
		"quorum n0 elected <-n1 slip{For:1} <-n3 slip{For:1}",
		"quorum n0 elected <-n1 slip{For:1} <-n5 slip{For:1}",
		"quorum n0 elected <-n3 slip{For:1} <-n5 slip{For:1}",
	}
	if got := keys(); !slices.Equal(got, want) {
		t.Fatalf("enabled: %q, want %q", got, want)
	}
	ev := w.Enabled()[2]
	if m := w.Messages(ev, nil); len(m) != 2 || m[0].From != 1 || m[1].From != 5 || m[0].ID == m[1].ID || ev.Msgs != 2 {
		t.Errorf("messages: %+v", m)
	}
	if err := w.Step(ev, choose.First); err != nil {
		t.Fatal(err)
	}
	if last := w.Last(); len(last.Msgs) != 2 || len(last.Fates) != 2 || !strings.Contains(last.Source, "quorum_test.go") {
		t.Errorf("got %+v, want two messages and their fates, and a place in quorum_test.go", last)
	}
	if got := keys(); !slices.Equal(got, want[:1]) {
		t.Errorf("then: %q", got)
	}
}

// A guard without a Need is evaluated for all sets of messages from different senders.
func TestQuorumOfAnySize(t *testing.T) {
	sys := election(4, func(q *sim.Quorum[*teller, slip]) {
		q.Need, q.Key = nil, nil
		q.Guard = func(u *teller, set ballots) bool { return len(set) != 2 }
	})
	if _, keys := elect(t, sys, kernel.Options{}); len(keys()) != 4+4+1 {
		t.Errorf("enabled: %q", keys())
	}
}

// The enumeration equals that of an oracle: all subsets, one by one.
func TestQuorumEnumeration(t *testing.T) {
	for need := 1; need <= 4; need++ {
		for voters := 1; voters <= 5; voters++ {
			fits := func(from sim.NodeID) bool { return from != 3 }
			sys := election(voters, func(q *sim.Quorum[*teller, slip]) {
				q.Need = func(*teller) int { return need }
				q.Fits = func(_ *teller, from sim.NodeID, _ slip) bool { return fits(from) }
				q.Guard = func(_ *teller, set ballots) bool { return set[0].From != 2 }
			})
			_, keys := elect(t, sys, kernel.Options{})
			var want []string
			for set := range 1 << voters {
				text, n, first, parity, ok := "quorum n0 elected", 0, 0, 0, true
				for v := 1; v <= voters; v++ {
					if set>>(v-1)&1 == 0 {
						continue
					}
					if n++; n == 1 {
						first, parity = v, v%2
					}
					ok = ok && v%2 == parity && fits(sim.NodeID(v))
					text += fmt.Sprintf(" <-n%d slip{For:%d}", v, v%2)
				}
				if ok && n == need && first != 2 {
					want = append(want, text)
				}
			}
			got := keys()
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d of %d: %q, want %q", need, voters, got, want)
			}
		}
	}
}

// False declarations of a quorum are findings.
func TestQuorumFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*sim.Quorum[*teller, slip])
		kind  sim.FindingKind
		want  string
		steps int
	}{
		{"order", func(q *sim.Quorum[*teller, slip]) {
			q.Do = func(u *teller, _ sim.Env, set ballots) {
				for _, m := range set {
					u.Log = append(u.Log, m.From)
				}
			}
		}, sim.Nondeterminism, `quorum "elected": what its Do does depends on the order of the messages: handed over as n4 slip{For:0} n2 slip{For:0}`, 1},
		{"order of announcements", func(q *sim.Quorum[*teller, slip]) {
			q.Do = func(u *teller, env sim.Env, set ballots) { env.Announce(set[0].From) }
		}, sim.Nondeterminism, "depends on the order", 1},
		{"guard changes the state", func(q *sim.Quorum[*teller, slip]) {
			q.Guard = func(u *teller, _ ballots) bool { u.Other++; return true }
		}, sim.Nondeterminism, `the Guard of quorum "elected" changed the state of the service *kernel_test.teller, which it may only look at`, 0},
		{"guard panics", func(q *sim.Quorum[*teller, slip]) {
			q.Guard = func(u *teller, _ ballots) bool { panic("no") }
		}, sim.Panic, `the Guard of quorum "elected" panicked: no`, 0},
		{"keys", func(q *sim.Quorum[*teller, slip]) {
			q.Key = func(slip) any { return []int{1} }
		}, sim.Panic, `the Key of quorum "elected" panicked: runtime error: comparing uncomparable type []int`, 0},
		{"keys by identity", func(q *sim.Quorum[*teller, slip]) {
			q.Key = func(slip) any { return new(int) }
		}, sim.Nondeterminism, `quorum "elected": Key returns *int for a message, and another one for a copy of it`, 0},
		{"keys that are not equal to themselves", func(q *sim.Quorum[*teller, slip]) {
			q.Key = func(slip) any { return math.NaN() }
		}, sim.Nondeterminism, `quorum "elected": Key returns float64 for a message, and another one for a copy of it`, 0},
		{"need comes back", func(q *sim.Quorum[*teller, slip]) {
			q.Need = func(u *teller) int { return [...]int{2, -1, 2}[u.Sets] }
		}, sim.Safety, `quorum "elected": Need was negative, which says that no set will be taken any more, crashes included; now it is 2`, 2},
		{"too many", func(q *sim.Quorum[*teller, slip]) {
			q.Need, q.Key, q.Guard = nil, nil, func(*teller, ballots) bool { return false }
		}, sim.Divergence, `quorum "elected" has more than 65536 sets to choose from in one state`, 0},
	} {
		voters := 5
		if c.kind == sim.Divergence {
			voters = 17
		}
		sys := election(voters, c.edit)
		sys.Actions = []sim.AnyAction{sim.Action[*teller]{Name: "count", Do: func(u *teller, _ sim.Env) { u.Sets++ },
			At: func(id sim.NodeID) bool { return id == 0 && c.steps == 2 }}}
		w, err := kernel.NewWorld(&sys, kernel.Options{CheckMessages: true})
		if err == nil {
			err = w.Start(choose.First)
		}
		for range c.steps {
			if err != nil {
				break
			}
			err = w.Step(w.Enabled()[0], choose.First)
		}
		f := new(sim.Finding)
		if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Message, c.want) || f.Node != 0 {
			t.Errorf("%s: %+v, want %v: %s", c.name, err, c.kind, c.want)
		}
	}
}

// Datagrams may be sent in the order of the set, because datagrams have no order.
func TestQuorumSendsInAnyOrder(t *testing.T) {
	w, _ := elect(t, election(5, func(q *sim.Quorum[*teller, slip]) {
		q.Do = func(u *teller, env sim.Env, set ballots) {
			for _, m := range set {
				env.Send(m.From, m.Msg)
			}
		}
	}), kernel.Options{CheckMessages: true})
	if err := w.Step(w.Enabled()[0], choose.First); err != nil {
		t.Error(err)
	}
}

// A node that needs no more sets never needs one again, even after crashes.
func TestQuorum_NeverAfterCrash(t *testing.T) {
	sys := election(4, func(q *sim.Quorum[*teller, slip]) {
		q.Need = func(u *teller) int { return 2 - 3*u.Sets }
	})
	sys.Crashes = 1
	w, keys := elect(t, sys, kernel.Options{})
	if err := w.Step(w.Enabled()[0], choose.First); err != nil {
		t.Fatal(err)
	}
	if got := keys(); len(got) > 0 {
		t.Fatalf("%q", got)
	}
	if err := w.Step(w.Injections(nil)[0], choose.First); err != nil {
		t.Fatal(err)
	}
	f := new(sim.Finding)
	if err := w.Step(w.Enabled()[0], choose.First); !errors.As(err, &f) || f.Property != sim.QuorumProperty {
		t.Errorf("booted again: %v", err)
	}
}

// Contradictory quorums are rejected before anything runs.
func TestQuorumsRefused(t *testing.T) {
	twice := func(s *sim.System) { s.Quorums = append(s.Quorums, s.Quorums...) }
	for _, c := range []struct {
		edit   func(*sim.Quorum[*teller, slip])
		system func(*sim.System)
		want   string
	}{
		{edit: func(q *sim.Quorum[*teller, slip]) { q.Need = nil }, want: `system "election": quorum 0: quorum "elected" needs a Need, which says how many senders a set has, or a Guard`},
		{edit: func(q *sim.Quorum[*teller, slip]) { q.Do = nil }, want: `quorum "elected" needs a name and a Do`},
		{system: twice, want: `quorum 1: two quorums are named "elected"`},
		{system: func(s *sim.System) { s.Timing = sim.Prompt }, want: "use ByDeadline or AnyOrder"},
		{system: func(s *sim.System) { s.Timing = sim.Bounded(0) }, want: "use ByDeadline or AnyOrder"},
		{system: func(s *sim.System) {
			s.Quorums = []sim.AnyQuorum{sim.Quorum[*teller, any]{Name: "all", Need: func(*teller) int { return 1 }, Do: func(*teller, sim.Env, []sim.From[any]) {}}}
		}, want: "an interface; must be the type that is sent"},
	} {
		sys := election(2, c.edit)
		if c.system != nil {
			c.system(&sys)
		}
		if _, err := kernel.NewWorld(&sys, kernel.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
