package realnet_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Recordings that were tampered with, events that are missing, doubled, changed or in another order, end
// the run where they stop making sense. Whatever is left can be followed.
func TestMergeOfWrongRecordings(t *testing.T) {
	x := newCluster(t, "randtree", spec.Config{Nodes: 4}, true)
	x.act("joinOverlay")
	x.until("one tree", oneTree)
	if err := x.nodes[1].end(); err != nil {
		t.Fatal(err)
	}
	x.start(1)
	x.act("joinOverlay")
	x.until("one tree again", oneTree)
	x.stop()
	codec, err := wire.NewTypes(x.base.Messages...)
	if err != nil {
		t.Fatal(err)
	}
	whole := len(fileOf(t, merge(t, x.sys, x.base)).Steps)
	rapid.Check(t, func(t *rapid.T) {
		set, err := recording.ReadDir(x.base.Record.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			starts := set.Starts[rapid.IntRange(0, 3).Draw(t, "node")]
			r := starts[rapid.IntRange(0, len(starts)-1).Draw(t, "start")]
			if len(r.Events) < 3 {
				continue
			}
			i := rapid.IntRange(1, len(r.Events)-2).Draw(t, "event")
			e := &r.Events[i]
			switch rapid.IntRange(0, 7).Draw(t, "change") {
			case 0:
				r.Events = append(r.Events[:i:i], r.Events[i+1:]...)
			case 1:
				r.Events = append(r.Events[:i:i], append([]recording.Event{*e}, r.Events[i:]...)...)
			case 2:
				r.Events[i], r.Events[i+1] = r.Events[i+1], r.Events[i]
			case 3:
				e.Peer = sim.NodeID(rapid.IntRange(0, 3).Draw(t, "peer"))
			case 4:
				e.Time += rapid.Int64Range(-1e9, 1e9).Draw(t, "time")
			case 5:
				e.Answers = append(e.Answers, recording.Answer{Kind: choose.Draw, Arity: 2, Pick: 1})
			case 6:
				e.Effects = append(e.Effects, recording.Effect{Kind: stepinfo.StreamEffect, Peer: 2})
			default:
				r.Events = r.Events[:i]
			}
		}
		m, err := recording.Merge(x.sys, set, codec, pathfile.Header{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Origins) > whole+4 {
			t.Fatalf("%d steps were made of %d", len(m.Origins), whole)
		}
		left := 0
		for _, n := range m.Left {
			left += n
		}
		if m.Disagreement == nil && len(m.Notes) == 0 && left > 0 {
			t.Fatalf("%d events are left out, and this is not reported", left)
		}
	})
}
