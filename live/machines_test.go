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
