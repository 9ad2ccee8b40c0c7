package testsched

import "math"

// Unbounded means that any number of preemptions is explored.
const Unbounded = math.MaxInt

// Bounds of the exhaustive exploration of a test that flags do not ask for.
const (
	exhaustiveRuns    = 2000
	exhaustiveChoices = 100 // points with a choice in the first run
)

// reduceFrom is the bound after which all orders are explored with sleep sets, before the next bound.
const reduceFrom = 2

// Plan says how a run under policy Systematic decides.
type Plan struct {
	Taken  []uint32 // the options of the first decisions
	Asleep []uint64 // goroutines that do not go on next after these, until an operation that does not commute with their next one
	Reduce bool     // decisions with one option are recorded
}

// Decision is a choice of a run. Kind is one of the constants below.
type Decision struct {
	Kind, Taken uint32
	Options     []Option
}

const (
	atPoint  = iota // another goroutine may go on in place of the one that runs, which is the first option
	atEnd           // the goroutine that ran cannot go on
	atSelect        // several cases are ready
)

// Option is what a decision may take.
type Option struct {
	Who  uint64 // a goroutine, the number of a case, or 1 if time passes
	Mask uint64 // of the objects of its next operation: two that do not commute have a bit in common
}

// Sampled is what a run has drawn that no decision determines, as bits.
type Sampled uint32

const (
	sampledNumbers Sampled = 1 << iota
	sampledMaps
	sampledCases
)

func (s Sampled) String() string {
	switch {
	case s&sampledNumbers != 0:
		return "random numbers are sampled"
	case s&sampledMaps != 0:
		return "the order of maps is sampled"
	case s&sampledCases != 0:
		return "the cases of a select with one channel twice are sampled"
	}
	return ""
}

// Coverage is what an exploration has covered completely.
type Coverage struct {
	Schedules   int
	Preemptions int  // at most; Unbounded means any number
	Race        bool // the race detector looked for data races
	Reduced     bool // schedules that differ from these lead to the same states (sleep sets; Godefroid, 1996)
}

// node is a decision of the run in progress.
type node struct {
	kind        uint32
	options     []Option
	taken       uint32
	asleep      []uint64 // goroutines whose turn leads to runs that were explored
	preemptions int      // before the decision
}

// cost returns how many preemptions an option is.
func (n *node) cost(option uint32) int {
	if n.kind == atPoint && option > 0 {
		return 1
	}
	return 0
}

// tree enumerates runs in depth-first order.
type tree struct {
	bound   int // preemptions
	reduce  bool
	nodes   []node
	skipped bool // options over the bound
}

// plan returns how the next run decides.
func (t *tree) plan() *Plan {
	p := &Plan{Reduce: t.reduce}
	for i := range t.nodes {
		p.Taken = append(p.Taken, t.nodes[i].taken)
	}
	if n := len(t.nodes); n > 0 {
		p.Asleep = t.nodes[n-1].after()
	}
	return p
}

// after returns which goroutines are asleep after the decision.
func (n *node) after() (asleep []uint64) {
	if n.kind == atSelect {
		return n.asleep
	}
	mask := n.options[n.taken].Mask
	for _, who := range n.asleep {
		for _, o := range n.options {
			if o.Who == who && o.Mask&mask == 0 {
				asleep = append(asleep, who)
			}
		}
	}
	return asleep
}

// add adds the decisions of a run. It reports false if the run did not decide as planned.
func (t *tree) add(decisions []Decision) bool {
	if len(decisions) < len(t.nodes) {
		return false
	}
	for i, d := range decisions {
		if i < len(t.nodes) {
			n := &t.nodes[i]
			if n.kind != d.Kind || n.taken != d.Taken || !sameOptions(n.options, d.Options) {
				return false
			}
			continue
		}
		n := node{kind: d.Kind, taken: d.Taken, options: append([]Option(nil), d.Options...)}
		if i > 0 {
			last := &t.nodes[i-1]
			n.preemptions = last.preemptions + last.cost(last.taken)
			if t.reduce {
				n.asleep = last.after()
			}
		}
		t.nodes = append(t.nodes, n)
		if n.kind != atSelect && contains(n.asleep, n.options[n.taken].Who) {
			break // what follows was explored
		}
	}
	return true
}

// sameOptions compares who can go on. Addresses differ between runs, and so do masks.
func sameOptions(a, b []Option) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Who != b[i].Who {
			return false
		}
	}
	return true
}

func contains(list []uint64, who uint64) bool {
	for _, w := range list {
		if w == who {
			return true
		}
	}
	return false
}

// next changes the last decision that has another option. It reports false if there is none.
func (t *tree) next() bool {
	for len(t.nodes) > 0 {
		n := &t.nodes[len(t.nodes)-1]
		if t.reduce && n.kind != atSelect {
			n.asleep = append(append([]uint64(nil), n.asleep...), n.options[n.taken].Who)
		}
		k := n.taken + 1
		if t.reduce && n.kind != atSelect {
			k = 0
		}
		for ; k < uint32(len(n.options)); k++ {
			if n.kind != atSelect && contains(n.asleep, n.options[k].Who) {
				continue
			}
			if n.preemptions+n.cost(k) > t.bound {
				t.skipped = true
				continue
			}
			n.taken = k
			return true
		}
		t.nodes = t.nodes[:len(t.nodes)-1]
	}
	return false
}

// exhaust explores all schedules with no preemption, with one, and so on (Musuvathi and Qadeer, PLDI 2007), and all orders with sleep sets.
// It ends after so many runs; 0 means no limit. It reports whether the exploration of the test is over.
func (r *Result) exhaust(c *Config, step func(*Schedule) bool, start stopwatch, limit int) bool {
	if c.Intrinsics && !c.Exhaustive {
		return false
	}
	preemptions := Unbounded
	if c.Exhaustive {
		preemptions = c.Preemptions
	}
	defer func() {
		if c.Intrinsics && r.Complete != nil {
			r.Complete, r.Missing = nil, "functions of package sync/atomic are not scheduling points in "+c.Package
		}
	}()
	first := r.Schedules
	left := func(part int) bool {
		switch {
		case c.Schedules > 0 && r.Schedules >= c.Schedules, r.over(c, start, part):
			r.Missing = "the limits of the exploration were reached"
		case limit > 0 && (r.Schedules-first)*part >= limit:
			r.Missing = "the test is not small"
		default:
			return true
		}
		return false
	}
	for bound := 0; ; bound++ {
		t := &tree{bound: bound}
		runs, ended := r.level(c, t, step, func() bool { return left(1) })
		if ended {
			return true
		}
		if runs == 0 {
			break
		}
		r.Complete = &Coverage{Schedules: runs, Preemptions: bound, Race: c.Race}
		if !t.skipped {
			r.Complete.Preemptions = Unbounded
			break
		}
		if bound >= preemptions {
			break
		}
		if bound == reduceFrom && preemptions == Unbounded {
			t := &tree{bound: Unbounded, reduce: true}
			runs, ended := r.level(c, t, step, func() bool { return left(2) })
			if ended {
				return true
			}
			if runs > 0 {
				r.Complete = &Coverage{Schedules: runs, Preemptions: Unbounded, Reduced: true, Race: c.Race}
				break
			}
		}
	}
	if r.Complete == nil || r.Complete.Preemptions < preemptions {
		return false
	}
	r.Missing = ""
	return true
}

// level executes the runs of a tree, and returns how many these are; 0 means that some are missing. ended means that nothing more is to
// be explored.
func (r *Result) level(c *Config, t *tree, step func(*Schedule) bool, left func() bool) (runs int, ended bool) {
	for {
		if !left() {
			return 0, false
		}
		if step(&Schedule{Seed: mix(c.Seed), Policy: Systematic, Plan: t.plan()}) {
			return 0, true
		}
		o := r.Last
		switch {
		case o.Long || o.Kind == NoEnd:
			r.Missing = "a run is too long"
		case o.Sampled != 0:
			r.Missing = o.Sampled.String()
		case o.Outside:
			r.Missing = "it waits for something outside the test"
		case !t.add(o.Decisions):
			r.Missing = "a run depends on package variables that earlier runs changed"
		default:
			if !o.Cut {
				runs++
			}
			if !t.next() {
				return runs, false
			}
			continue
		}
		r.Complete = nil
		return 0, false
	}
}
