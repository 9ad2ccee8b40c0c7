package paxos_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/paxos"
	"github.com/macemc/macemc/systems/spec"
)

func system(t *testing.T, c spec.Config, l sim.Limits) *sim.System {
	t.Helper()
	sys := systest.Build(t, paxos.Entry(), c, l)
	return &sys
}

// The graph of one proposer can be counted by hand.
//
// Before the start there is 1 state. Then each of three acceptors has its read in flight, or its reply in flight, or
// its reply counted, at most one of the latter: 2^3 + 3*2^2 = 20 states.
//
// The second count sends the writes. From then on each acceptor has its write in flight, or its accept in flight, or
// its accept counted: 3 places. The acceptor with the uncounted reply also has its read in flight, or its reply, or
// neither: a read that arrives after the write is not above the promise, and a late reply is ignored. With neither it
// does not matter which one it is: 3^3 = 27 states. Otherwise it is one of 3, with one of 2 messages: 3*2*3^3 = 162
// states. The total is 210.
//
// Each message in flight is a transition. The start is 1. The 2^3 states have 3 each and the 3*2^2 have 2 each: 48. Of
// 3 places 2 are in flight, so the 27 states have 3*2/3 = 2 each on average and the 162 one more: 54 + 486. The total
// is 589.
func TestOneProposer(t *testing.T) {
	sys := system(t, spec.Config{Params: map[string]string{"proposers": "1"}}, sim.Limits{})
	g, err := bruteforce.Explore(sys)
	if err != nil {
		t.Fatal(err)
	}
	if states, transitions := len(g.States), g.Transitions(); states != 210 || transitions != 589 {
		t.Errorf("%d states and %d transitions, want 210 and 589", states, transitions)
	}
}

// The counts for two proposers are those on which several model checkers agree. In all of the states no two values are
// chosen, and one still can be.
func TestTwoProposers(t *testing.T) {
	if testing.Short() {
		t.Skip("executes seven million steps")
	}
	sys := system(t, spec.Config{}, sim.Limits{})
	for i, p := range sys.Properties {
		if p.Name == paxos.Chosen {
			sys.Properties[i] = sim.Property{Name: p.Name, Eventually: p.Sometimes}
		}
	}
	g, err := bruteforce.Explore(sys)
	if err != nil {
		t.Fatal(err)
	}
	if states, transitions := len(g.States), g.Transitions(); states != 98_160 || transitions != 506_256 {
		t.Errorf("%d states and %d transitions, want 98160 and 506256", states, transitions)
	}
	if s := g.Violation(); s != nil {
		t.Errorf("path %v: %v", s.Path, s.Err)
	}
	if s := g.Dead(); s != nil {
		t.Errorf("no value can be chosen after path %v", s.Path)
	}
}

// Nodes 0 and 1 propose in ballots 1 and 2; 2, 3 and 4 are acceptors; 5 is the learner.
const (
	// Nodes 2 and 3 promise ballot 1, and node 0 writes.
	readFirst = `action n0 propose
deliver n2<-n0 Read
deliver n3<-n0 Read
deliver n0<-n2 ReadReply{Accepted:0
deliver n0<-n3 ReadReply{Accepted:0
`
	// Nodes 3 and 4 promise ballot 2, and node 1 writes.
	readSecond = `action n1 propose
deliver n3<-n1 Read
deliver n4<-n1 Read
deliver n1<-n3 ReadReply
deliver n1<-n4 ReadReply
`
)

// scenarios are runs that violate agreement with the bug. Each line is the prefix of an event's key; events that start
// with ? happen only if they are enabled.
var scenarios = map[string]string{
	// The learner receives ballot 1 between two accepts of ballot 2, which is chosen.
	"PX1": readFirst + readSecond + `deliver n2<-n0 Write
deliver n3<-n1 Write
deliver n4<-n1 Write
deliver n5<-n3 Accept{Ballot:2
deliver n5<-n2 Accept{Ballot:1
deliver n5<-n4 Accept{Ballot:2`,
	// Node 3 forgets ballot 2 and accepts ballot 1, like node 2.
	"PX2": readFirst + readSecond + `crash n3
boot n3
deliver n2<-n0 Write
deliver n3<-n0 Write
deliver n5<-n2 Accept{Ballot:1
?deliver n5<-n3 Accept{Ballot:1
deliver n3<-n1 Write
deliver n4<-n1 Write
deliver n5<-n3 Accept{Ballot:2
deliver n5<-n4 Accept{Ballot:2`,
	// Nodes 2 and 3 accept ballot 1, about which node 1 learns from node 3.
	"PX3": readFirst + `deliver n2<-n0 Write
deliver n3<-n0 Write
deliver n5<-n2 Accept
deliver n5<-n3 Accept
` + readSecond + `deliver n3<-n1 Write
deliver n4<-n1 Write
deliver n5<-n3 Accept
deliver n5<-n4 Accept`,
}

// Each bug violates agreement in its scenario, with the last step; the correct system does not.
func TestScenarios(t *testing.T) {
	for _, b := range paxos.Entry().Bugs {
		for _, bugs := range []spec.BugSet{nil, {b.ID}} {
			w, err := kernel.NewWorld(system(t, spec.Config{Bugs: bugs}, b.Defaults.Limits), kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			run := replay.NewRun(w)
			if err := run.Start(choose.First); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(scenarios[b.ID], "\n")
			for i, line := range lines {
				if !step(t, run, strings.TrimPrefix(line, "?")) && !strings.HasPrefix(line, "?") {
					t.Fatalf("%s, bugs %v: %q is not enabled", b.ID, bugs, line)
				}
				want := bugs != nil && i == len(lines)-1
				if err := w.Check(); (err != nil) != want {
					t.Errorf("%s, bugs %v, %q: got %v, want a violation: %v", b.ID, bugs, line, err, want)
				}
			}
		}
	}
}

// step executes the event with a key that begins with prefix, if there is one.
func step(t *testing.T, run *replay.Run, prefix string) bool {
	for i := 0; ; i++ {
		ev, ok := run.Event(i)
		if !ok {
			return false
		}
		if strings.HasPrefix(run.World.Key(ev), prefix) {
			if err := run.Step(i, choose.First); err != nil {
				t.Fatal(err)
			}
			return true
		}
	}
}

// Random walks with crashes find the acceptor that forgets, and nothing in the correct system.
func TestWalksWithCrashes(t *testing.T) {
	for _, c := range []struct {
		bugs spec.BugSet
		want search.Verdict
	}{{nil, search.OK}, {spec.BugSet{"PX2"}, search.Violation}} {
		res, err := search.Run(context.Background(), search.Config{
			System:   *system(t, spec.Config{Bugs: c.bugs}, sim.Limits{sim.Crashes: 2}),
			Strategy: search.Faulty, MaxPaths: 20_000, Workers: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != c.want {
			t.Errorf("bugs %v: verdict %v, want %v: %+v", c.bugs, res.Verdict, c.want, res.Finding)
		}
		t.Logf("bugs %v: %d paths, %d events", c.bugs, res.Stats.Paths, res.Stats.Events)
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		nodes                          int
		proposers, acceptors, learners string
		want                           int
		err                            string
	}{
		{want: 6},
		{proposers: "3", want: 7},
		{nodes: 7, want: 7},
		{nodes: 7, proposers: "3", want: 7},
		{nodes: 8, acceptors: "5", want: 8},
		{nodes: 12, proposers: "8", want: 12},
		{proposers: "1", want: 5},
		{proposers: "1", acceptors: "9", learners: "2", want: 12},
		{proposers: "4", acceptors: "9",
			err: `system "paxos": 4 proposers, 9 acceptors and 1 learners are 14 nodes, must be at most 12`},
		{nodes: 8, proposers: "3", err: `system "paxos": 3 proposers, 3 acceptors and 1 learners are 7 nodes, not 8: leave the number of nodes out, or that of proposers`},
		{nodes: 6, want: 6},
		{nodes: 6, proposers: "2", want: 6},
		{proposers: "2", want: 6},
		// A parameter counts as requested even if it equals the default.
		{nodes: 7, proposers: "2",
			err: `system "paxos": 2 proposers, 3 acceptors and 1 learners are 6 nodes, not 7: leave the number of nodes out, or that of proposers`},
		{nodes: 6, acceptors: "5",
			err: `system "paxos": 6 nodes without 5 acceptors and 1 learners leave 0 for proposers, must be 1 to 8`},
		{nodes: 5, acceptors: "5",
			err: `system "paxos": 5 nodes without 5 acceptors and 1 learners leave -1 for proposers, must be 1 to 8`},
	} {
		config := spec.Config{Nodes: c.nodes, Params: map[string]string{}}
		for name, value := range map[string]string{"proposers": c.proposers, "acceptors": c.acceptors, "learners": c.learners} {
			if value != "" {
				config.Params[name] = value
			}
		}
		e := paxos.Entry()
		sys, err := e.New(config)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%+v:\n got %v\nwant %s", c, err, c.err)
			}
		case err != nil:
			t.Errorf("%+v: %v", c, err)
		case sys.Nodes != c.want:
			t.Errorf("%+v: %d nodes", c, sys.Nodes)
		}
	}
}
