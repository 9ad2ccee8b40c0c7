package bubble

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/macemc/macemc/sim"
)

// running is a node with the history that it has. Copies of a state share it: the first one that makes a step goes on with it,
// the others are executed anew when they need to be.
type running struct {
	n    *node     // nil: it has given way to others
	at   *input    // nil: it is of no use any more
	left [2]uint64 // the hash of where it was when it gave way
	used uint64
}

// runs are the nodes of the process that can go on. Those used longest ago give way.
var runs = struct {
	all    []*running
	used   uint64
	limit  int // how many are kept, see fewRuns
	missed int // of the last steps, those of nodes that had given way
}{limit: fewRuns}

// Each node that is kept takes the memory of its goroutines and all that they hold, so few are: those of a run or two. When a system has
// more nodes, or a search more workers, steps find that their node has given way: when one in missedShare of the last window steps
// does, twice as many are kept.
const (
	fewRuns     = 8
	mostRuns    = 256
	window      = 256
	missedShare = 4
)

// keep makes room for a node. The lock stepping is held.
func keep(r *running) {
	for len(runs.all) >= runs.limit {
		oldest := 0
		for i, o := range runs.all {
			if o.at == nil || o.used < runs.all[oldest].used {
				oldest = i
				if o.at == nil {
					break
				}
			}
		}
		o := runs.all[oldest]
		runs.all = slices.Delete(runs.all, oldest, oldest+1)
		if o.at != nil {
			o.left, o.at = o.at.hash, nil
		}
		o.n.discard()
		o.n = nil // states that are kept know o; they must not keep all that the node had
	}
	runs.all = append(runs.all, r)
}

// resume returns a node with that history; nil stands for one that has not booted.
func (p *past) resume() (*running, error) {
	runs.used++
	if runs.used%window == 0 {
		if runs.missed > window/missedShare {
			runs.limit = min(2*runs.limit, mostRuns)
		}
		runs.missed = 0
	}
	if r := p.run; r != nil && p.last != nil {
		if r.at == p.last {
			r.used = runs.used
			return r, nil
		}
		if r.left == p.last.hash {
			runs.missed++
		}
	}
	if runtime.GOMAXPROCS(0) != 1 {
		runtime.GOMAXPROCS(1)
	}
	var all []*input
	for in := p.last; in != nil; in = in.before {
		all = append(all, in)
	}
	r := &running{used: runs.used}
	p.run = r
	if len(all) == 0 {
		return r, nil
	}
	slices.Reverse(all)
	r.n = start(all[0].boot)
	keep(r)
	for _, in := range all {
		if err := r.n.again(in, p.program); err != nil {
			return nil, err
		}
	}
	r.at = p.last
	return r, nil
}

// extend makes one more step. settle is given the node when the step is over.
func (p *past) extend(in *input, settle func(*node)) error {
	stepping.Lock()
	defer stepping.Unlock()
	r, err := p.resume()
	if err != nil {
		return &sim.Finding{Kind: sim.Nondeterminism, Message: err.Error()}
	}
	in.before, in.number = p.last, 1
	if p.last != nil {
		in.number = p.last.number + 1
	}
	if r.n == nil {
		r.n = start(in.boot)
		keep(r)
	}
	r.at = nil
	n := r.n
	settle(n)
	in.next = n.next
	for i := range n.effects {
		in.marks = append(in.marks, n.effects[i].mark())
	}
	in.acts = n.acts()
	in.seal()
	p.last, r.at = in, in
	return nil
}

// clockTime is a reading of a node's clock for people: since the first boot.
func clockTime(t int64) string {
	if t == 0 {
		return "never"
	}
	return fmt.Sprint(time.Duration(t - epoch))
}
