package mctest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// answering is a Ponger without the defect.
type answering struct {
	sim.Nop
	Seen int
}

func (q *answering) Receive(env sim.Env, from sim.NodeID, msg any) {
	q.Seen = max(q.Seen, msg.(Ping).Seq)
	env.Send(from, Ack{msg.(Ping).Seq})
}

// pairing is System with another service on node 1.
func pairing(other func() sim.Service) sim.System {
	s := System
	s.New = func(id sim.NodeID) sim.Service {
		if id == 0 {
			return &Pinger{}
		}
		return other()
	}
	return s
}

// pathVar names the file for the following tests.
const pathVar = "MCTEST_PATH"

func replayed(t *testing.T, s sim.System) {
	onlyInside(t)
	mctest.Replay(t, s, os.Getenv(pathVar))
}

func TestReplayDefect(t *testing.T) { replayed(t, System) }

// TestReplayNoFaults has other limits than the file.
func TestReplayNoFaults(t *testing.T) {
	s := System
	s.Network = netsim.Datagrams{}
	replayed(t, s)
}

// TestReplayOther has a further property, which always holds.
func TestReplayOther(t *testing.T) {
	s := System
	s.Properties = append(slices.Clone(s.Properties), sim.Property{Name: "old", Always: func(*sim.View) bool { return true }})
	replayed(t, s)
}

// TestReplayEarlier has a further property, which fails early.
func TestReplayEarlier(t *testing.T) {
	s := System
	s.Properties = append(slices.Clone(s.Properties), sim.Property{Name: "deaf",
		Always: sim.Each(func(_ sim.NodeID, q *Ponger) bool { return q.Seen == 0 })})
	replayed(t, s)
}

func TestReplayFixed(t *testing.T) {
	replayed(t, pairing(func() sim.Service { return &answering{} }))
}

func TestReplayRenamed(t *testing.T) {
	s := System
	s.Actions = []sim.AnyAction{sim.Action[*Pinger]{Name: "poke", Times: 2, Do: (*Pinger).Ping,
		When: func(p *Pinger) bool { return acked(0, p) }}}
	replayed(t, s)
}

type (
	Request struct{ Seq int }
	Reply   struct{ Seq int }
)

// peer has the defect of System, and other names of messages.
type peer struct {
	sim.Nop
	Sent, Acked, Seen int
}

func (p *peer) Ping(env sim.Env) { p.Sent++; p.Timer(env, resend{}) }

func (p *peer) Timer(env sim.Env, _ any) {
	env.Send(1, Request{p.Sent})
	env.SetTimer(resend{}, time.Second)
}

func (p *peer) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Reply:
		p.Acked = m.Seq
		env.StopTimer(resend{})
	case Request:
		if m.Seq > p.Seen {
			p.Seen = m.Seq
			env.Send(from, Reply{m.Seq})
		}
	}
}

func TestReplayRenamedMessages(t *testing.T) {
	s := System
	s.New = func(sim.NodeID) sim.Service { return &peer{} }
	s.Actions = []sim.AnyAction{sim.Action[*peer]{Name: "ping", Times: 2, Do: (*peer).Ping,
		At: func(id sim.NodeID) bool { return id == 0 }, When: func(p *peer) bool { return p.Acked == p.Sent }}}
	s.Properties = []sim.Property{{Name: "every ping is acknowledged",
		Eventually: sim.Each(func(_ sim.NodeID, p *peer) bool { return p.Acked == p.Sent })}}
	replayed(t, s)
}

func TestReplay_NothingFits(t *testing.T) {
	s := System
	s.Actions = nil
	replayed(t, s)
}

func TestReplayOtherNodes(t *testing.T) {
	s := System
	s.Nodes = 3
	replayed(t, s)
}

// A regression test fails while the run violates a property, and passes afterwards. Files without effect are reported.
func TestReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "run.path")
	const text = `macemc path 1
system pingack
nodes 2
limit loss=1
timing ByDeadline
seed 1
property every ping is acknowledged
0 action n0 ping
1 deliver n1<-n0 Ping{Seq:1}
2 lose n0<-n1 Ack{Seq:1}
0 timer n0 resend{}
1 deliver n1<-n0 Ping{Seq:1}
end 5
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// In the last step the defective code expects its second ping, which has another number.
	changed := filepath.Join(dir, "changed.path")
	const other = `macemc path 1
system pingack
nodes 2
limit loss=1
timing ByDeadline
seed 1
property every ping is acknowledged
0 action n0 ping
1 deliver n1<-n0 Ping{Seq:9}
2 lose n0<-n1 Ack{Seq:1}
3 lose n0<-n1 Ack{Seq:1}
end 4
`
	if err := os.WriteFile(changed, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	safety := filepath.Join(dir, "safety.path")
	if err := os.WriteFile(safety, []byte(strings.Replace(other, "property every ping is acknowledged", "finding safety\nproperty old", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	colored := filepath.Join(dir, "colored.path")
	if err := os.WriteFile(colored, []byte(strings.Replace(other, "lose n0<-n1 Ack{Seq:1}\nend", "lose n0<-n1 \x1b[31m\u202eAck\nend", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	executed := filepath.Join(dir, "testdata/macemc/TestReplayOther/error.path")
	for _, c := range []struct {
		test, file string
		flags      string
		passes     bool
		want       string
	}{
		{"TestReplayDefect", path, "", false, `the run still violates\s+pingack: LIVENESS VIOLATION`},
		{"TestReplayNoFaults", path, "", false, `the run still violates`},
		{"TestReplayFixed", path, "", true, `every step fits, and the run violates nothing`},
		{"TestReplayFixed", path, "-test.timeout=1m -macemc.time=1h", true, `every step fits`}, // it does not search
		{"TestReplayFixed", changed, "", true,
			`violates nothing any more; 2 steps fit, these do not:\s+line 9: step 2 \(deliver n1<-n0 Ping\{Seq:9\}\).*; deliver n1<-n0 Ping\{Seq:1\} instead\s+line 11: step 4 .*; left out`},
		{"TestReplayFixed", colored, "", true, `line 11: step 4 \(lose n0<-n1 \x{fffd}\[31m\x{fffd}Ack\).*; left out`},
		{"TestReplayFixed", changed, "-macemc.strict", false, `the path does not fit any more`},
		{"TestReplayDefect", changed, "", false, `still violates; 2 steps fit`},
		{"TestReplayDefect", changed, "", false, `debug: +macemc mdb testdata/macemc/TestReplayDefect/error.path`},
		{"TestReplayOther", safety, "", false,
			`the recorded violation \(old\) is gone; the steps that fit lead to another one:\s+pingack: LIVENESS VIOLATION(.*\n)+\s+2 steps fit, these do not:`},
		{"TestReplayOther", safety, "", false, `debug: +macemc mdb testdata/macemc/TestReplayOther/error.path`},
		{"TestReplayOther", executed, "-macemc.strict", false, `the run still violates\s+pingack: LIVENESS`},
		{"TestReplayEarlier", changed, "", false,
			`another violation ends the run before the recorded one \(every ping is acknowledged\) can happen:\s+pingack: SAFETY`},
		{"TestReplayRenamed", path, "", false, `still violates; 4 steps fit.*\s+line 8: step 1 \(action n0 ping\).*; action n0 poke instead`},
		{"TestReplayRenamedMessages", path, "", false,
			`still violates; 2 steps fit.*\s+line 9: .*; deliver n1<-n0 Request\{Seq:1\} instead\s+line 10: .*; lose n0<-n1 Reply\{Seq:1\} instead`},
		{"TestReplay_NothingFits", path, "", false, `no step fits, so the test has no effect`},
		{"TestReplayOtherNodes", path, "", false, `run.path: line 3: the path has 2 nodes, the system has 3`},
		{"TestReplayDefect", filepath.Join(dir, "none.path"), "", false, `no such file`},
	} {
		out, passed := run(t, dir, c.test, append(strings.Fields(c.flags), pathVar+"="+c.file)...)
		if passed != c.passes {
			t.Errorf("%s passed: %v, want %v", c.test, passed, c.passes)
		}
		wantAll(t, out, c.want)
	}
}
