package realnet_test

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/macemc/macemc/internal/test/papers/commit"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Machines run on a network unchanged, and the recording is that of a run of the model.
func TestMachines(t *testing.T) {
	x := newCluster(t, "commit", spec.Config{Params: map[string]string{"writes": "4"}}, true)
	x.until("all clients are done", func(s []sim.Service) bool {
		return s[3].(*machine.Host).State() == "done" && s[4].(*machine.Host).State() == "done"
	})
	agrees(t, x.merged())
}

// A delayed participant gets more messages than fit into the buffer of a stream, since the coordinator aborts
// without it and continues with the next transaction. All messages wait, and when the participant continues all
// transactions end.
func TestCommitOnSmallBuffer(t *testing.T) {
	const clients, writes, aborted = 3, 99, 15
	x := newCluster(t, "commit", spec.Config{Nodes: 3 + clients, Params: map[string]string{
		"clients": strconv.Itoa(clients), "writes": strconv.Itoa(writes), "over": "streams"}}, true)
	asked := func(s []sim.Service) (n int) {
		for _, c := range s[3:] {
			n += c.(*machine.Host).Vars.(*commit.Client).Next
		}
		return n
	}
	late, before := x.nodes[0], 0
	if err := late.Freeze(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.all(func(s []sim.Service) bool { before = asked(s); return true })
	x.until("transactions are aborted", func(s []sim.Service) bool { return asked(s) >= before+aborted })
	if err := late.Thaw(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.until("all clients are done", func(s []sim.Service) bool {
		return !slices.ContainsFunc(s[3:], func(c sim.Service) bool { return c.(*machine.Host).State() != "done" })
	})
	m := x.merged()
	// The note names the longest queue only: on a busy machine still more may wait between two others.
	if note := regexp.MustCompile(`messages from n\d to n\d waited, more than the 20 that the buffer`); len(m.Notes) != 1 || !note.MatchString(m.Notes[0]) {
		t.Errorf("%q", m.Notes)
	}
	m.Notes = nil
	agrees(t, m)
}

// Whichever replica of a chain dies while clients are at work, the others do all commands, and the recording is that of a run of the model in
// which it has crashed.
func TestMachines_Chain(t *testing.T) {
	const clients, commands = 2, 40
	for dies := clients + 1; dies < clients+4; dies++ {
		x := newCluster(t, "chain", spec.Config{Nodes: clients + 4, Params: map[string]string{
			"clients": strconv.Itoa(clients), "requests": strconv.Itoa(commands), "fail": "crash", "pause": "50"}}, true)
		sum := func(s []sim.Service) (n int) {
			for _, c := range s[:clients] {
				n = max(n, c.(*machine.Host).Vars.(*smr.Client).Last)
			}
			return n
		}
		x.until("half of the commands are done", func(s []sim.Service) bool { return sum(s) > clients*commands/2 })
		x.kill(sim.NodeID(dies))
		x.until("all commands are done", func(s []sim.Service) bool {
			for _, c := range s[:clients] {
				if h := c.(*machine.Host); h.State() != "asked" || h.Vars.(*smr.Client).Waiting > 0 {
					return false
				}
			}
			return sum(s) == clients*commands
		})
		agrees(t, x.merged())
	}
}
