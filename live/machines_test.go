package live_test

import (
	"testing"

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
