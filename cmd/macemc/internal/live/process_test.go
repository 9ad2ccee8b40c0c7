package live

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/sim"
)

// orders is the standard input of a node without a process.
type orders func(line string)

func (o orders) Write(b []byte) (int, error) { o(strings.TrimSpace(string(b))); return len(b), nil }
func (orders) Close() error                  { return nil }

// upProcess returns a node that has booted and executes orders.
func upProcess(node int) *process {
	h := &host{nodes: []int{node}, done: make(chan struct{})}
	p := &process{host: h, node: node, up: make(chan struct{}), frozen: make(chan struct{}, 1), acted: make(chan string, 1)}
	close(p.up)
	p.stdin = orders(func(line string) {
		switch number, what, _ := strings.Cut(line, " "); {
		case number != strconv.Itoa(node):
		case what == "freeze":
			p.frozen <- struct{}{}
		case what == "stop":
			close(p.done)
		}
	})
	return p
}

// A node that ends by itself while all nodes are being stopped has crashed.
func TestLiveStopTellsOfCrashes(t *testing.T) {
	bad := upProcess(2)
	bad.stdin = orders(func(string) {})
	bad.err = errors.New("exit status 7")
	close(bad.done)
	x := &fleet{nodes: []*process{upProcess(0), nil, bad}}
	x.stop()
	if want := []string{"n2: exit status 7"}; !slices.Equal(x.crashed, want) {
		t.Errorf("crashed %q, want %q", x.crashed, want)
	}
	if text := (&host{}).end(); text != "exit status 0" {
		t.Errorf("a node that ends without an error: %q", text)
	}
}

// settle waits for nodes that have not booted yet, but not for those that have ended or hang.
func TestLiveSettle(t *testing.T) {
	late, gone, hangs := upProcess(2), upProcess(3), upProcess(4)
	for _, p := range []*process{late, gone, hangs} {
		p.up = make(chan struct{})
	}
	close(gone.done)
	event := "boot"
	hangs.stuck.Store(&event)
	x := &fleet{nodes: []*process{nil, upProcess(1), late, gone, hangs}}
	time.AfterFunc(30*time.Millisecond, func() { close(late.up) })
	x.settle(t.Context(), time.Minute)
	if !late.isUp() {
		t.Error("returned before n2 has booted")
	}
}

// A late answer of a node to an earlier order is not an answer to the next one.
func TestLiveLateAnswer(t *testing.T) {
	p := upProcess(0)
	p.acted <- "not done"
	p.stdin = orders(func(string) {
		select {
		case p.acted <- "done":
		default:
		}
	})
	var out bytes.Buffer
	x := &fleet{a: &task.Process{Stdout: &out}, flags: &options{}, nodes: []*process{p}, subject: &check.Subject{
		System: sim.System{Actions: []sim.AnyAction{sim.Action[sim.Nop]{Name: "join"}}},
	}}
	x.act(0, "join")
	if !strings.Contains(out.String(), "n0 does join") {
		t.Error(out.String())
	}
}

// A node that has ended by itself is not reported as killed.
func TestLiveKillAfterTheEnd(t *testing.T) {
	p := upProcess(0)
	close(p.done)
	var out bytes.Buffer
	x := &fleet{a: &task.Process{Stdout: &out}, flags: &options{}, nodes: []*process{p}}
	x.do(scheduledAction{kill: true})
	if x.nodes[0] != p || out.Len() > 0 {
		t.Errorf("%v: %s", x.nodes, out.String())
	}
}

// A node whose queue exceeds its limit has not crashed. It reports why it ends, and there is no violation.
func TestLiveQueueTooLong(t *testing.T) {
	full := upProcess(1)
	full.err = errors.New("exit status 3")
	full.receive("full live: 7 messages wait")
	x := &fleet{nodes: []*process{upProcess(0), full}}
	x.failed(full.host)
	if want := []string{"live: 7 messages wait"}; !slices.Equal(x.gaveUp, want) || len(x.crashed) > 0 {
		t.Errorf("%q, crashed %q", x.gaveUp, x.crashed)
	}
}

// As many processes may be down as the system's limit of halts. Processes that crashed, and nodes that have not booted, do not count.
func TestLiveMissing(t *testing.T) {
	sys := sim.System{Nodes: 5, Halts: 1, MayHalt: func(id sim.NodeID) bool { return id > 0 }, Containers: [][]sim.NodeID{{1, 2}}}
	boots := upProcess(3)
	boots.up = make(chan struct{})
	for _, c := range []struct {
		up   []int
		p    *process
		want string
	}{
		{[]int{0, 1, 2, 3, 4}, nil, ""},
		{[]int{0, 1, 2, 3}, nil, ""},
		{[]int{0, 3, 4}, nil, ""},
		{[]int{1, 2, 3, 4}, nil, "n0"},
		{[]int{0, 1, 2}, nil, "n3, n4"},
		{[]int{0, 4}, nil, "n1, n2, n3"},
		{[]int{0, 1, 2, 4}, boots, "n3"},
	} {
		x := &fleet{nodes: make([]*process, 5), subject: &check.Subject{System: sys}}
		for _, node := range c.up {
			x.nodes[node] = upProcess(node)
		}
		if c.p != nil {
			x.nodes[c.p.node] = c.p
		}
		if got := x.missing(); got != c.want {
			t.Errorf("up %v: %q is missing, want %q", c.up, got, c.want)
		}
	}
}

// If a node of a process fails, the others still record the events that they have handled. A node that does not end is not waited for.
func TestLiveMatesEnd(t *testing.T) {
	for hangs, patience := range map[bool]time.Duration{false: time.Minute, true: 10 * time.Millisecond} {
		ends, stopped, recorded := make(chan error, 2), make(chan struct{}), false
		go func() {
			<-stopped
			if hangs {
				return
			}
			time.Sleep(10 * time.Millisecond)
			recorded = true
			ends <- nil
		}()
		bad := errors.New("a finding")
		ends <- bad
		if err := together(ends, 2, func() { close(stopped) }, patience); err != bad || !hangs && !recorded {
			t.Errorf("%v, recorded: %t", err, recorded)
		}
	}
}
