package realnet_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/papers/register"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Nodes on a real network take sets of messages, also after others were killed with some of them, and the recording is that of a run of
// the model.
func TestQuorumsLive(t *testing.T) {
	x := newCluster(t, "register", spec.Config{Params: map[string]string{"quorum": "true", "writes": "3", "reads": "4"}}, true)
	idle := func(s []sim.Service) bool { return !s[0].(*register.Writer).Busy && !s[4].(*register.Reader).Busy }
	for round := range 4 {
		x.act("write", "read")
		x.until("the writer and the reader are done", idle)
		if round == 1 {
			if err := x.nodes[1].end(); err != nil {
				t.Error(err)
			}
			x.nodes[1] = nil
		}
		if round == 2 { // the acknowledgement that was not needed is lost with the reader
			if err := x.nodes[4].end(); err != nil {
				t.Error(err)
			}
			x.start(4)
		}
	}
	x.all(func(s []sim.Service) bool {
		if r, w := s[4].(*register.Reader), s[0].(*register.Writer); r.Read != 1 || w.Stamp != 3 {
			t.Errorf("%d reads, %d writes", r.Read, w.Stamp)
		}
		return true
	})
	m := x.merged()
	agrees(t, m)
	taken := 0
	for _, s := range fileOf(t, m).Steps {
		if len(s.Key) > 6 && s.Key[:6] == "quorum" {
			taken++
		}
	}
	if taken != 7 {
		t.Errorf("%d sets were taken, want 7", taken)
	}
}
