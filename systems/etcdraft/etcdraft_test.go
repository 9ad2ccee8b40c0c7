package etcdraft_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/etcdraft"
	"github.com/macemc/macemc/systems/spec"
)

func system(t testing.TB, c spec.Config, l sim.Limits) sim.System {
	t.Helper()
	return systest.Build(t, etcdraft.Entry(), c, l)
}

type params = map[string]string

// A single node that campaigns, writes and reads once, and has no time-outs: its runs form a tree. An operation that
// begins before the campaign finds no leader and waits forever, so the other one does not begin:
//
//	start -+- write - campaign
//	       +- read - campaign
//	       +- campaign -+- write - read
//	                    +- read - write
//
// These are 10 states and 9 transitions, if the state includes nothing of raft's that differs between two runs: each
// run draws a new random time-out.
func TestOneNode(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 1, Params: params{"timeouts": "false", "transfers": "0", "changes": "0"}}, sim.Limits{})
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	transitions := 0
	for _, s := range g.States {
		transitions += len(s.Steps)
	}
	if len(g.States) != 10 || transitions != 9 {
		t.Errorf("%d states and %d transitions, want 10 and 9", len(g.States), transitions)
	}
}

// The engines visit the same states of two nodes.
func TestTwoNodes(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 2, Params: params{"timeouts": "false", "reads": "0", "writes": "0", "transfers": "0", "changes": "0"}}, sim.Limits{})
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Run(context.Background(), search.Config{System: sys, Strategy: search.BFS, Reduce: options.ReduceNone, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.States); n < 100 || res.Stats.States != n || res.Verdict != search.OK {
		t.Errorf("%d states by brute force; from the tables %d, verdict %v", n, res.Stats.States, res.Verdict)
	}
	t.Logf("%d states, %d steps by brute force", len(g.States), g.Steps)
}

// Nodes contain functions and are never copied: the table engine executes the node's history instead.
func TestNotCopied(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 1}, sim.Limits{})
	w, err := world.New(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	if err := run.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"action n0 campaign", "action n0 write", "action n0 read"} {
		step(t, run, key)
	}
	for _, p := range w.(*world.World).Plans() {
		if p.Copied != (p.Type != "*etcdraft.Node") {
			t.Errorf("got %+v, want a copy of all types but *etcdraft.Node", p)
		}
	}
}

// step executes the event with a key that begins with prefix.
func step(t *testing.T, run *replay.Run, prefix string) {
	t.Helper()
	var keys []string
	for i := 0; ; i++ {
		ev, ok := run.Event(i)
		if !ok {
			t.Fatalf("%q is not enabled, only\n%s", prefix, strings.Join(keys, "\n"))
		}
		key := run.World.Key(ev)
		if keys = append(keys, key); strings.HasPrefix(key, prefix) {
			if err := run.Step(i, choose.First); err != nil {
				t.Fatalf("%q: %v", prefix, err)
			}
			return
		}
	}
}

// A restarted node has the synced state, and applies it again once it is known to be committed. Unsynced state is lost:
// the fact that a write was committed.
func TestRestart(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 1, Params: params{"campaigns": "2", "timeouts": "false"}}, sim.Limits{sim.Crashes: 1})
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	if err := run.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	node := func() *etcdraft.Node { return w.Service(0).(*etcdraft.Node) }
	step(t, run, "action n0 campaign")
	step(t, run, "action n0 write")
	before := node()
	if before.Term != 1 || before.Applied != 2 || before.Store.Last[0] != 1 || before.Client.Waits {
		t.Fatalf("after the write: %+v", before)
	}
	step(t, run, "crash n0")
	step(t, run, "boot n0")
	if n := node(); n.Term != 1 || n.Commit != 1 || n.Applied != 1 || n.Store.Last[0] != 0 {
		t.Errorf("after the restart: term %d, commit %d, applied %d, %+v", n.Term, n.Commit, n.Applied, n.Store)
	}
	step(t, run, "action n0 campaign")
	if n := node(); n.Term != 2 || n.Applied != 3 || n.Store.Values[0] != before.Store.Values[0] {
		t.Errorf("after the second campaign: term %d, applied %d, %+v", n.Term, n.Applied, n.Store)
	}
}

// Each planted defect is found as a violation of an expected kind.
func TestBugs(t *testing.T) {
	for _, b := range etcdraft.Entry().Bugs {
		t.Run(b.ID, func(t *testing.T) {
			if testing.Short() && b.ID == "ER2" {
				t.Skip("takes many paths")
			}
			t.Parallel()
			res := run(t, search.Config{
				System:   system(t, b.Apply(spec.Config{}), b.Defaults.Limits),
				Strategy: search.Name(b.Defaults.Strategy), MaxPaths: 20_000,
			})
			if f := res.Finding; f == nil || !b.Accepts(f.Kind) {
				t.Fatalf("%v after %d paths: %+v", res.Verdict, res.Stats.Paths, f)
			}
			t.Logf("%d paths: %v: %s", res.Stats.Paths, res.Finding.Kind, res.Finding.Message)
		})
	}
}

// Code without known defects has no findings, and every run recovers.
func TestNothingIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		strategy search.Name
		nodes    int
		params   params
		limits   sim.Limits
	}{
		{search.Deepening, 3, nil, sim.Limits{}},
		{search.Deepening, 3, nil, sim.Limits{sim.Crashes: 2, sim.Loss: 3, sim.Dup: 3}},
		{search.Faulty, 3, params{"pre-vote": "true", "registers": "2", "reads": "2"}, sim.Limits{sim.Crashes: 1, sim.Partitions: 1}},
		{search.Faulty, 3, params{"transfers": "2", "changes": "2"}, sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}},
		{search.Faulty, 5, params{"changes": "1"}, sim.Limits{sim.Crashes: 2}},
	} {
		res := run(t, search.Config{
			System:   system(t, spec.Config{Nodes: c.nodes, Params: c.params}, c.limits),
			Strategy: c.strategy, MaxPaths: 25,
		})
		if res.Finding != nil || res.Verdict != search.OK {
			t.Errorf("%+v: %v: %v", c, res.Verdict, res.Finding)
		}
	}
}

// The limit of clusters of two in raft's documentation is found: a member that crashes at the wrong moment leaves no
// node that can lead.
func TestTwoMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := system(t, spec.Config{Nodes: 2, Params: params{"smallest": "1"}}, sim.Limits{sim.Crashes: 1})
	res := run(t, search.Config{
		System: sys, Strategy: search.Faulty, Seed: 2, MaxPaths: 10_000,
		Confirm: critical.Confirm(critical.Config{System: sys, Workers: 1, Walks: 20}),
	})
	if f := res.Finding; f == nil || f.Kind != sim.Liveness || f.Property != etcdraft.LeaderFollowed {
		t.Errorf("%v after %d paths: %+v", res.Verdict, res.Stats.Paths, f)
	}
}

// Raft's own types are readable without a rule that shows them, and changes inside raft count as internal.
func TestReadableWithoutRule(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	sys := system(t, spec.Config{Bugs: []string{"ER2"}}, sim.Limits{sim.Crashes: 1})
	n := len(sys.State)
	sys.State = slices.DeleteFunc(sys.State, func(r sim.StateRule) bool { return strings.HasPrefix(r.String(), "ShowBy") })
	if len(sys.State) != n-1 {
		t.Fatal("there is no rule to leave out")
	}
	res := run(t, search.Config{System: sys, Seed: 1, MaxPaths: 10_000})
	if res.Finding == nil {
		t.Fatalf("%v", res.Verdict)
	}
	trace, err := replay.Record(&sys, res.Finding.Path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	inside := 0
	for _, m := range trace.Messages {
		text.WriteString(m.Text + "\n")
	}
	for i := range trace.Steps {
		for _, c := range trace.Steps[i].Changes {
			if strings.HasPrefix(c.Path, "raw.") != (c.Inside == "raw") && c.Inside != "disk" {
				t.Errorf("%s is inside %q", c.Path, c.Inside)
			}
			if c.Inside == "raw" {
				inside++
			}
		}
	}
	if inside == 0 {
		t.Error("nothing changes inside raft")
	}
	if !strings.Contains(text.String(), "Message{Type:MsgVote To:") || strings.Contains(text.String(), "#") {
		t.Errorf("messages are shown as\n%s", &text)
	}
}

func run(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	cfg.Workers = 1
	res, err := search.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A patient node waits for a leader: its election timer only counts until it campaigns, and that is one line.
func TestTicks_Folded(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 3, Params: params{"patience": "9"}}, sim.Limits{})
	keys := append(slices.Repeat([]string{"timer n1 election{}"}, 9), "timer n0 election{}")
	tr, err := replay.Record(&sys, systest.Follow(t, &sys, keys...), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []eventgraph.Fold{{First: 1, Last: 8, Node: 1, Text: "8 ticks (election), quiet 0->8"}}
	if got := eventgraph.Build(tr).Folds(); !slices.Equal(got, want) {
		t.Errorf("folds %v, want %v", got, want)
	}
}
