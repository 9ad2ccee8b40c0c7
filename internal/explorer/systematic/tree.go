package systematic

import (
	"slices"
	"strconv"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// Independent reports whether the order of two operations with these masks does not matter. Masks without a common object are independent,
// but ^0, of operations that let time pass and others that may affect anything, depends on every mask: also a goroutine that uses no object
// may read the clock or set a timer.
func Independent(mask, other uint64) bool {
	const all = ^uint64(0)
	return mask&other == 0 && mask != all && other != all
}

// node is a decision of the current run.
type node struct {
	kind        uint32
	options     []testsched.Option
	taken       uint32
	asleep      []uint64 // sleep set: goroutines whose choice leads to explored runs
	preemptions int      // number of preemptions before the decision
}

// orders reports whether the options are goroutines and timers.
func (n *node) orders() bool { return n.kind == testsched.AtPoint || n.kind == testsched.AtEnd }

// cost returns the number of preemptions of an option. Time that passes although a goroutine could continue counts as one, and so do an
// unusual value of a pool, and a goroutine that continues after runtime.Gosched before others (Musuvathi and Qadeer, PLDI 2008).
func (n *node) cost(option uint32) int {
	costs := false
	switch n.kind {
	case testsched.AtPoint, testsched.AtPool:
		costs = option > 0
	case testsched.AtEnd:
		costs = !n.options[0].Timer() && n.options[option].Timer() || option > 0 && n.options[option].Yielded
	}
	if costs {
		return 1
	}
	return 0
}

// Tree enumerates runs in depth-first order.
type Tree struct {
	Bound   int // maximum number of preemptions
	Reduce  bool
	nodes   []node
	Skipped bool          // whether an option exceeded the bound
	timers  bool          // Coverage.Timers
	values  bool          // Coverage.Values
	Delays  time.Duration // Coverage.Delays
	Drawn   testsched.Sampled
}

// Plan returns the plan of the next run.
func (t *Tree) Plan() *testsched.Plan {
	p := &testsched.Plan{Reduce: t.Reduce}
	for i := range t.nodes {
		p.Taken = append(p.Taken, t.nodes[i].taken)
	}
	if n := len(t.nodes); n > 0 {
		p.Asleep = t.nodes[n-1].after()
	}
	return p
}

// after returns the sleep set after the decision.
func (n *node) after() (asleep []uint64) {
	if !n.orders() {
		return n.asleep
	}
	mask := n.options[n.taken].Mask
	for _, who := range n.asleep {
		for _, o := range n.options {
			if o.Who == who && Independent(o.Mask, mask) {
				asleep = append(asleep, who)
			}
		}
	}
	return asleep
}

// Add adds the decisions of a run. It returns false if the run deviated from the plan.
func (t *Tree) Add(decisions []testsched.Decision) bool {
	if len(decisions) < len(t.nodes) {
		return false
	}
	for i, d := range decisions {
		if i < len(t.nodes) {
			n := &t.nodes[i]
			if n.kind != d.Kind || n.taken != d.Taken || !slices.EqualFunc(n.options, d.Options, testsched.Option.Same) {
				return false
			}
			continue
		}
		n := node{kind: d.Kind, taken: d.Taken, options: slices.Clone(d.Options)}
		if i > 0 {
			last := &t.nodes[i-1]
			n.preemptions = last.preemptions + last.cost(last.taken)
			if t.Reduce {
				n.asleep = last.after()
			}
		}
		t.nodes = append(t.nodes, n)
		if n.orders() && slices.Contains(n.asleep, n.options[n.taken].Who) {
			break // the rest is explored already
		}
	}
	return true
}

// Next takes another option of the last decision that has one. It returns false if none is left.
func (t *Tree) Next() bool {
	for len(t.nodes) > 0 {
		n := &t.nodes[len(t.nodes)-1]
		k := n.taken + 1
		if t.Reduce && n.orders() {
			n.asleep = append(slices.Clone(n.asleep), n.options[n.taken].Who)
			k = 0
		}
		for ; k < uint32(len(n.options)); k++ {
			if n.orders() && slices.Contains(n.asleep, n.options[k].Who) {
				continue
			}
			t.timers = t.timers || n.orders() && n.cost(k) > 0 && n.options[k].Timer()
			t.values = t.values || n.kind == testsched.AtPool
			if n.preemptions+n.cost(k) > t.Bound {
				t.Skipped = true
				continue
			}
			n.taken = k
			return true
		}
		t.nodes = t.nodes[:len(t.nodes)-1]
	}
	return false
}

// Clone returns a copy of the tree.
func (t *Tree) Clone() *Tree {
	c := *t
	c.nodes = slices.Clone(t.nodes)
	return &c
}

// Coverage describes the runs of the tree, whose number is given, with at most so many preemptions.
func (t *Tree) Coverage(runs, preemptions int, race bool) *Coverage {
	return &Coverage{Schedules: runs, Preemptions: preemptions, Timers: t.timers, Values: t.values, Race: race, Delays: t.Delays, Reduced: t.Reduce,
		Drawn: t.Drawn}
}

// Key returns a text that identifies a plan among those of its tree.
func Key(plan *testsched.Plan) string {
	var key []byte
	for _, taken := range plan.Taken {
		key = append(strconv.AppendUint(key, uint64(taken), 36), ' ')
	}
	for _, who := range plan.Asleep {
		key = strconv.AppendUint(append(key, '-'), who, 36)
	}
	return string(key)
}
