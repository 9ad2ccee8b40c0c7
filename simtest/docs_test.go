package simtest_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/simtest"
)

// System is the relevant part of the README's system.
var System = sim.System{
	Nodes:   2,
	Network: netsim.Datagrams{Loss: 1},
	New:     func(sim.NodeID) sim.Service { return &Pinger{} },
	Actions: []sim.AnyAction{sim.Action[*Pinger]{Name: "ping", Times: 2,
		When: func(p *Pinger) bool { return p.Acked == p.Sent }, Do: (*Pinger).Ping}},
}

type Vote struct{}

// Voter votes for one node, and for the same node again after a crash.
type Voter struct{ sim.Nop }

func (v *Voter) Vote(env sim.Env) {
	choice, voted := env.Disk().Get("vote")
	if !voted {
		choice = []byte{byte(env.Choose("whom to vote for", env.Nodes()))}
		env.Disk().Put("vote", choice)
		env.Disk().Sync()
	}
	_ = env.Stream(sim.NodeID(choice[0])).Send(Vote{})
}

var Election = sim.System{
	Nodes:   3,
	Network: netsim.Streams{},
	New:     func(sim.NodeID) sim.Service { return &Voter{} },
}

func TestPingIsRepeated(t *testing.T) {
	n := simtest.New[*Pinger](t, System, 0)
	n.Boot()
	n.Action("ping")
	n.WantSent(simtest.Datagram(1, Ping{1}))
	n.Fire(resend{})
	n.WantSent(simtest.Datagram(1, Ping{1}))
	n.Receive(1, Ack{1})
	if n.Armed(resend{}) || n.Service().Acked != 1 {
		t.Errorf("timers %v, service %+v", n.Timers(), n.Service())
	}
}

func TestElection(t *testing.T) {
	n := simtest.New[*Voter](t, Election, 0)
	n.Boot()
	n.Answer("whom to vote for", 2)
	n.Do((*Voter).Vote)
	n.WantSent(simtest.OnStream(2, Vote{}))

	n.Crash() // the vote was on disk before it was sent
	n.Boot()
	n.Do((*Voter).Vote)
	n.WantSent(simtest.OnStream(2, Vote{}))
}

// The code in docs/testing.md equals that of this file, so it is tested.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("docs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) != 2 {
		t.Errorf("%d blocks of code, want 2", len(blocks))
	}
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		if !strings.Contains(string(here), code) {
			t.Errorf("this is on the page but not here:\n%s", code)
		}
	}
	// The tables name every method.
	methods := reflect.TypeFor[*simtest.Node[*Pinger]]()
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; name != "Up" && !strings.Contains(string(page), "`"+name+"(") {
			t.Errorf("%s is not on the page", name)
		}
	}
}
