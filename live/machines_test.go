package live_test

import (
	"strconv"
	"testing"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/smr"
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

// Whichever replica of a chain dies while clients are at work, the others do all commands, and the recording is that of a run of the model in
// which it has crashed.
func TestChainGoesOn(t *testing.T) {
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
		if err := x.nodes[dies].end(); err != nil {
			t.Error(err)
		}
		x.nodes[dies] = nil
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

// A boss creates workers on other nodes, each of which creates one more; they do jobs.
type (
	boss   struct{ Left, Sum int }
	worker struct{ Job job }
	helper struct{ Creator machine.ID }
	job    struct { // what workers are created with
		Boss machine.ID
		N    int
	}
	square  struct{ Of int } // to a helper
	squared struct{ N int }
)

var bossKind = machine.Define[boss]("boss", machine.In("waiting",
	machine.Entry(func(b *boss, x *machine.Ctx) {
		for n := range b.Left {
			machine.New[worker](x, job{x.Self(), n + 1})
		}
	}),
	machine.On(func(b *boss, _ *machine.Ctx, s squared) { b.Left--; b.Sum += s.N })))

var workerKind = machine.Define[worker]("worker", machine.In("working",
	machine.EntryWith(func(w *worker, x *machine.Ctx, j job) {
		w.Job = j
		x.Send(machine.New[helper](x, x.Self()), square{j.N})
	}),
	machine.On(func(w *worker, x *machine.Ctx, s squared) { x.Send(w.Job.Boss, s); x.Halt() })))

var helperKind = machine.Define[helper]("helper", machine.In("idle",
	machine.EntryWith(func(h *helper, _ *machine.Ctx, creator machine.ID) { h.Creator = creator }),
	machine.On(func(h *helper, x *machine.Ctx, s square) { x.Send(h.Creator, squared{s.Of * s.Of}) })))

// Machines are created on other nodes, by such that were created themselves, and the recording is that of a run of the model.
func TestMachinesCreated(t *testing.T) {
	var ms machine.System
	first := ms.Pool(ms.Add(bossKind, boss{Left: 2}), 2, workerKind)
	ms.Pool(first, 1, helperKind)
	ms.Pool(first+1, 1, helperKind)
	x := custom(t, ms.Sim("created"), machine.Events(bossKind, workerKind, helperKind)...)
	x.until("the jobs are done", func(s []sim.Service) bool { return s[0].(*machine.Host).Vars.(*boss).Sum == 1*1+2*2 })
	agrees(t, x.merged())
}
