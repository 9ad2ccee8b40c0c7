package bubble

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Without the changed runtime a program does not start, and the error gives advice.
func TestCommand_Unhooked(t *testing.T) {
	if hooked {
		t.Skip("this binary has the changed runtime")
	}
	sys := sim.System{Name: "s", Nodes: 1, State: Rules, New: func(sim.NodeID) sim.Service { return Service(nil) }}
	if _, err := kernel.NewWorld(&sys, kernel.Options{}); err == nil || !strings.Contains(err.Error(), "macemc test ./PKG") {
		t.Errorf("error %v", err)
	}
}

// Main functions of several packages have variables of their own, unless those of the package are shared. The compiler's are.
func TestCommand_SeveralPackages(t *testing.T) {
	c := &command{pkg: "example.org/proxy."}
	if c.shares([]string{"example.org/proxy..inittask", "example.org/proxy2.limit", "example.org/server.proxy"}) {
		t.Error("variables of the compiler count as those of the program")
	}
	if !c.shares([]string{"example.org/proxy.limit"}) {
		t.Error("a shared variable of the program is not noticed")
	}
	defer func() {
		if v := recover(); v == nil || !strings.Contains(v.(string), "-addr") {
			t.Errorf("arguments without a name are accepted: %v", v)
		}
	}()
	Command(func() {}, []string{"-addr", ":80"}, nil)
}

func TestDeadlock(t *testing.T) {
	const has, wants, shares = 1, 0, 3
	for _, c := range []struct {
		name  string
		holds []lockUse
		want  string
	}{
		{"nobody waits", []lockUse{{lock: 10, gid: 1, state: has}, {lock: 20, gid: 2, state: has}}, ""},
		{"who has it goes on", []lockUse{{lock: 10, gid: 1, state: has}, {lock: 10, gid: 2, state: wants}}, ""},
		{"one lock twice", []lockUse{{lock: 10, gid: 1, state: has}, {lock: 10, gid: 1, state: wants}}, "goroutine 1 waits for a lock that it has itself"},
		{"two", []lockUse{{lock: 10, gid: 1, state: has}, {lock: 20, gid: 2, state: has}, {lock: 20, gid: 1, state: wants}, {lock: 10, gid: 2, state: wants}},
			"goroutine 1 waits for a lock of goroutine 2 waits for a lock of goroutine 1"},
		{"one waits for a cycle", []lockUse{{lock: 30, gid: 3, state: has}, {lock: 10, gid: 1, state: has}, {lock: 20, gid: 2, state: has}, {lock: 10, gid: 3, state: wants}, {lock: 20, gid: 1, state: wants}, {lock: 10, gid: 2, state: wants}},
			"goroutine 1 waits for a lock of goroutine 2 waits for a lock of goroutine 1"},
		{"one of several readers", []lockUse{{lock: 10, gid: 1, state: shares}, {lock: 10, gid: 2, state: shares}, {lock: 10, gid: 3, state: wants}, {lock: 20, gid: 3, state: has}, {lock: 20, gid: 2, state: wants}},
			"goroutine 3 waits for a lock of goroutine 2 waits for a lock of goroutine 3"},
	} {
		var ctl control
		ctl.nlocks = int32(copy(ctl.locks[:], c.holds))
		nobody := func(uint64, uint64, []uint64) bool { return false }
		if got := ctl.deadlock(nil, nobody); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := new(control).deadlock(c.holds, nobody); got != c.want {
			t.Errorf("%s, locks of files: %q, want %q", c.name, got, c.want)
		}
		for i := range ctl.locks {
			ctl.locks[i].since = 10 * ctl.locks[i].gid
		}
		if got := ctl.deadlock(nil, func(by, since uint64, _ []uint64) bool { return by == 1 && since == 10 }); got != "" && strings.Contains(got, " 1 ") {
			t.Errorf("%s: %q though goroutine 1 has started one that goes on", c.name, got)
		}
		ctl.locksOverflowed = true
		if got := ctl.deadlock(nil, nobody); got != "" {
			t.Errorf("%s: %q though not all locks are known", c.name, got)
		}
	}
}

func TestResolve(t *testing.T) {
	h := newHost(boot{self: 1, nodes: 300})
	h.hosts = Hosts{"db": 2, "n5": 7, "gone": 300}
	resolve := func(addr string) (sim.NodeID, int, error) {
		ip, port, err := h.resolve(addr)
		if err != nil {
			return 0, 0, err
		}
		node, err := h.owner(ip)
		return node, port, err
	}
	for _, c := range []struct {
		addr string
		node sim.NodeID
		port int
	}{
		{":80", 1, 80}, {"localhost:1", 1, 1}, {"127.0.0.1:1", 1, 1}, {"0.0.0.0:0", 1, 0},
		{"n0:80", 0, 80}, {"n299:5", 299, 5}, {"db:5", 2, 5}, {"db.:5", 2, 5}, {"n5:5", 7, 5}, {"[::1]:1", 1, 1}, {"[::]:1", 1, 1}, {Addr(0, 7), 0, 7}, {Addr(249, 7), 249, 7}, {Addr(250, 7), 250, 7},
	} {
		if node, port, err := resolve(c.addr); err != nil || node != c.node || port != c.port {
			t.Errorf("%s: node %d, port %d, %v", c.addr, node, port, err)
		}
	}
	for _, addr := range []string{"n300:80", "n-1:80", "n01:80", "n+1:80", "gone:80", "example.org:80", "10.0.9.1:80", "10.1.0.1:80", "n0", "n0:http", "n0:70000"} {
		if node, port, err := resolve(addr); err == nil {
			t.Errorf("%s is node %d, port %d", addr, node, port)
		}
	}
}

// A node can bind only its own address and loopback addresses.
func TestBind(t *testing.T) {
	h := newHost(boot{self: 1, nodes: 3})
	for _, c := range []struct{ addr, want string }{
		{":80", "10.0.0.2"}, {"0.0.0.0:80", "10.0.0.2"}, {"[::]:80", "10.0.0.2"}, {"n1:80", "10.0.0.2"}, {"10.0.0.2:80", "10.0.0.2"},
		{"localhost:80", "127.0.0.1"}, {"127.0.0.1:80", "127.0.0.1"}, {"[::1]:80", "127.0.0.1"},
		{"n0:80", "<nil>"}, {"10.0.0.1:80", "<nil>"}, {"8.8.8.8:80", "<nil>"},
	} {
		if ip, _, _, err := h.own(c.addr); ip.String() != c.want || (err == nil) != (c.want != "<nil>") {
			t.Errorf("%s: %v, %v, want %s", c.addr, ip, err, c.want)
		}
	}
}

// Texts of messages are parts of stable keys, so different messages need different texts.
func TestMessageText(t *testing.T) {
	long := strings.Repeat("x", 100)
	seen := map[string]Message{}
	for _, m := range []Message{
		{Kind: Datagram, From: 1, To: 2, Data: "a"}, {Kind: Datagram, From: 1, To: 2, Data: "b"}, {Kind: Datagram, From: 2, To: 1, Data: "a"},
		{Kind: Data, Conn: ConnID{0, 0, 1}, Data: long}, {Kind: Data, Conn: ConnID{0, 0, 1}, Data: long + "x"},
		{Kind: Data, Conn: ConnID{0, 0, 1}, Data: long[1:] + "y"}, {Kind: Data, Conn: ConnID{0, 1, 1}, Data: long}, {Kind: Finish, Conn: ConnID{0, 0, 1}},
		{Kind: Data, Conn: ConnID{0, 0, 1}, Back: true, Data: long}, {Kind: Finish, Conn: ConnID{0, 0, 1}, Back: true},
		{Kind: Dial, Conn: ConnID{0, 0, 1}, From: 5, To: 80}, {Kind: Reset, Conn: ConnID{0, 0, 1}},
	} {
		if other, twice := seen[m.String()]; twice {
			t.Errorf("%+v and %+v are both %s", m, other, m)
		}
		seen[m.String()] = m
	}
}

// Every report lists what is not covered, and lists more when only one schedule is tried.
func TestUncovered(t *testing.T) {
	p := Service(nil).(simext.Limited)
	for how, want := range map[sim.Interleave]string{sim.Rotate: "(rotate)", sim.FIFO: "other schedules", sim.Random: "(random)", 3: "(pct:3)"} {
		if got := p.Uncovered(how); !strings.Contains(got, want) || !strings.Contains(got, "not drawn") || !strings.Contains(got, "docs/goroutines.md") {
			t.Errorf("%v: %s", how, got)
		}
		if got := p.Uncovered(how); (how != sim.FIFO) != strings.Contains(got, "delayed for more than one step") {
			t.Errorf("%v: %s", how, got)
		}
	}
}
