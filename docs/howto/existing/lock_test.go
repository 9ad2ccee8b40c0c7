package lock

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// node is the shell for the checker.
type node struct {
	sim.Nop
	Core Core
}

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	env.Send(from, n.Core.Handle(env, msg))
}
func (n *node) Timer(_ sim.Env, t any) { n.Core.Expire(t.(Expiry)) }

// client wants the lock once, asks until it gets it, and releases it.
type client struct {
	sim.Nop
	Wants bool
	Token int // 0 if it has none
}

type again struct{} // a timer

func (c *client) name(env sim.Env) string { return string(rune('a' + env.Self())) }

func (c *client) want(env sim.Env) { c.Wants = true; c.Timer(env, again{}) }

func (c *client) Timer(env sim.Env, _ any) {
	env.Send(0, Acquire{c.name(env)})
	env.SetTimer(again{}, Length)
}

func (c *client) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if a := msg.(Answer); a.OK && c.Wants {
		c.Wants, c.Token = false, a.Token
		env.StopTimer(again{})
	}
}

func (c *client) release(env sim.Env) {
	env.Send(0, Release{c.name(env), c.Token})
	c.Token = 0
}

var system = sim.System{
	Nodes: 3,
	New: func(id sim.NodeID) sim.Service {
		if id == 0 {
			return &node{}
		}
		return &client{}
	},
	Network: netsim.Datagrams{Loss: 1},
	Actions: []sim.AnyAction{
		sim.Action[*client]{Name: "want", Times: 1, Do: (*client).want},
		sim.Action[*client]{Name: "release", When: func(c *client) bool { return c.Token > 0 }, Do: (*client).release},
	},
	Properties: []sim.Property{
		{Name: "tokens differ", Always: func(v *sim.View) bool {
			held := map[int]bool{}
			for _, c := range sim.Nodes[*client](v) {
				if c.Token > 0 && held[c.Token] {
					return false
				}
				held[c.Token] = true
			}
			return true
		}},
		{Name: "whoever wants the lock gets it", Eventually: sim.Each(func(_ sim.NodeID, c *client) bool { return !c.Wants })},
		{Name: "a held lock expires", Always: sim.EachArmed(Expiry{1}, func(_ sim.NodeID, n *node, armed bool) bool {
			return armed || n.Core.Holder == "" || n.Core.Token != 1
		})},
	},
}

func TestLock(t *testing.T) { mctest.Check(t, system) }

// The same core over net/http.
func TestOverHTTP(t *testing.T) {
	s := httptest.NewServer(new(Server))
	defer s.Close()
	for _, c := range []struct {
		ask    string
		status int
		answer Answer
	}{
		{"/acquire?client=a", http.StatusOK, Answer{true, 1}},
		{"/acquire?client=b", http.StatusConflict, Answer{}},
		{"/release?client=b&token=1", http.StatusConflict, Answer{}},
		{"/release?client=a&token=1", http.StatusOK, Answer{true, 1}},
		{"/acquire?client=b", http.StatusOK, Answer{true, 2}},
	} {
		r, err := http.Post(s.URL+c.ask, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got Answer
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.StatusCode != c.status || got != c.answer {
			t.Errorf("%s: %d %+v, %v; want %d %+v", c.ask, r.StatusCode, got, err, c.status, c.answer)
		}
		r.Body.Close()
	}
}
