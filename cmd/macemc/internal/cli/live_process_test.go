package cli

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/sim"
)

// orders is the standard input of a node that is no process.
type orders func(line string)

func (o orders) Write(b []byte) (int, error) { o(strings.TrimSpace(string(b))); return len(b), nil }
func (orders) Close() error                  { return nil }

// upProcess is a node that has booted and does as it is told.
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

// A node that ends by itself while all are being stopped has crashed.
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

// Nodes that have not booted yet are waited for; those that have ended, or hang, are not.
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

// What a node said too late to an earlier order is no answer to the next one.
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
	x := &fleet{a: &app{Process: task.Process{Stdout: &out}}, flags: &liveFlags{}, nodes: []*process{p}, subject: &check.Subject{
		System: sim.System{Actions: []sim.AnyAction{sim.Action[sim.Nop]{Name: "join"}}},
	}}
	x.act(0, "join")
	if !strings.Contains(out.String(), "n0 does join") {
		t.Error(out.String())
	}
}

// A node that has ended by itself is not said to have been killed.
func TestLiveKillAfterTheEnd(t *testing.T) {
	p := upProcess(0)
	close(p.done)
	var out bytes.Buffer
	x := &fleet{a: &app{Process: task.Process{Stdout: &out}}, flags: &liveFlags{}, nodes: []*process{p}}
	x.do(deed{kill: true})
	if x.nodes[0] != p || out.Len() > 0 {
		t.Errorf("%v: %s", x.nodes, out.String())
	}
}
