package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/search/runloop"
)

// noveltySampling: one in that many runs is checked for novelty, which hashes a node's state in each of its steps. With a
// smaller sample of the later runs, defects that need tens of thousands of runs are found later.
const noveltySampling = 8

// One in ordersSampling of the runs in that sample is checked for orders of events, which compares all enabled events in
// each of its steps; of the first ordersEach runs, all in the sample are.
const (
	ordersSampling = 8
	ordersEach     = 512
)

// inOrdersSample reports whether run number k is in the sample.
func inOrdersSample(k int) bool {
	return inNoveltySample(k) && (k < ordersEach || choose.Mix(uint64(k))/noveltySampling%ordersSampling == 0)
}

// novelty collects the changes of local states in a run, by kind of event.
type novelty struct {
	locals []encoding.Fingerprint // by node, after its last step; zero if it has had none
	pairs  []uint64
	on     bool
}

// inNoveltySample reports whether run number k is in the sample.
func inNoveltySample(k int) bool { return choose.Mix(uint64(k))%noveltySampling == 0 }

// begin prepares for a run.
func (n *novelty) begin(on bool, nodes int) {
	n.on, n.pairs = on, n.pairs[:0]
	if on {
		n.locals = append(n.locals[:0], make([]encoding.Fingerprint, nodes)...)
	}
}

// OnStep implements [runloop.Observer].
func (n *novelty) OnStep(at *runloop.Node, step *stepinfo.Step) {
	if !n.on || step.Event.Kind.OfNetwork() {
		return
	}
	node := step.Event.Node
	print := at.Run.World.NodeFingerprint(node)
	n.pairs = append(n.pairs, choose.Mix(uint64(step.Event.Kind)^n.locals[node].Lo)^print.Lo)
	n.locals[node] = print
}
