package realnet_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// When the process of two replicas dies and is started again while a client is at work, the others do all commands, and the recording is that of a run in
// which both have crashed at once. What one step sends to both is refused by both.
func TestProcessOfTwoDies(t *testing.T) {
	const commands = 40
	x := newCluster(t, "multipaxos", spec.Config{Nodes: 8, Params: map[string]string{
		"requests": "40", "fail": "crash", "process": "2", "changes": "0", "pause": "50"}}, true)
	client := func(s []sim.Service) *smr.Client { return s[0].(*machine.Host).Vars.(*smr.Client) }
	x.until("half of the commands are done", func(s []sim.Service) bool { return client(s).Last > commands/2 })
	process := x.sys.Process(2)
	x.kill(process...)
	x.until("more commands are done", func(s []sim.Service) bool { return client(s).Last > 3*commands/4 })
	for _, id := range process {
		x.start(id)
	}
	x.until("all commands are done", func(s []sim.Service) bool {
		return client(s).Last == commands && client(s).Waiting == 0 && s[2] != nil && s[3] != nil
	})
	m := x.merged()
	agrees(t, m)
	if len(process) != 2 || m.System.Crashes != 1 {
		t.Errorf("the run has %d crashes of the processes of %v", m.System.Crashes, process)
	}
	crashes := 0
	for _, s := range fileOf(t, m).Steps {
		if s.Key == "crash n2 with n3" {
			crashes++
		}
	}
	if crashes != 1 {
		t.Errorf("%d crashes of n2 with n3", crashes)
	}
}
