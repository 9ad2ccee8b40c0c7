package bubble

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/macemc/macemc/sim"
)

// running is a node together with its position in a history. Copies of a state share it. The first copy that executes a step continues it;
// for the others, the history is executed anew when they need a node.
type running struct {
	n    *node     // nil means that the node was evicted
	at   *input    // nil means that the position is unknown or not reusable
	left [2]uint64 // hash of the last input at the eviction
	used uint64    // time of the last use, in uses of the cache
}

// nodeCache is an LRU cache of the process's running nodes.
var nodeCache = struct {
	all    []*running
	used   uint64
	limit  int // capacity, see fewRuns
	missed int // number of steps in the current window with an evicted node
}{limit: fewRuns}

// A cached node keeps its goroutines and everything they reference in memory, so the initial capacity suffices for a run or two. Systems
// with more nodes, and searches with more workers, cause misses. The capacity doubles when more than one in missedShare of the last window
// steps missed.
const (
	fewRuns     = 8
	mostRuns    = 256
	window      = 256
	missedShare = 4
)

// cacheNode adds a node to the cache. The lock stepping must be held.
func cacheNode(r *running) {
	for len(nodeCache.all) >= nodeCache.limit {
		oldest := 0
		for i, o := range nodeCache.all {
			if o.at == nil || o.used < nodeCache.all[oldest].used {
				oldest = i
				if o.at == nil {
					break
				}
			}
		}
		o := nodeCache.all[oldest]
		nodeCache.all = slices.Delete(nodeCache.all, oldest, oldest+1)
		if o.at != nil {
			o.left, o.at = o.at.hash, nil
		}
		o.n.discard()
		o.n = nil // states in memory reference o; drop the node's memory
	}
	nodeCache.all = append(nodeCache.all, r)
}

// resume returns a node with the history p. The result has no node if p has not booted.
func (p *history) resume() (*running, error) {
	nodeCache.used++
	if nodeCache.used%window == 0 {
		if nodeCache.missed > window/missedShare {
			nodeCache.limit = min(2*nodeCache.limit, mostRuns)
		}
		nodeCache.missed = 0
	}
	if r := p.run; r != nil && p.last != nil {
		if r.at == p.last {
			r.used = nodeCache.used
			return r, nil
		}
		if r.left == p.last.hash {
			nodeCache.missed++
		}
	}
	if runtime.GOMAXPROCS(0) != 1 {
		runtime.GOMAXPROCS(1)
	}
	var all []*input
	for in := p.last; in != nil; in = in.before {
		all = append(all, in)
	}
	r := &running{used: nodeCache.used}
	p.run = r
	if len(all) == 0 {
		return r, nil
	}
	slices.Reverse(all)
	r.n = start(*all[0].boot)
	cacheNode(r)
	for _, in := range all {
		if err := r.n.repeatStep(in, p.program); err != nil {
			return nil, err
		}
	}
	r.at = p.last
	return r, nil
}

// extend executes one more step through settle, which is called with the node.
func (p *history) extend(in *input, settle func(*node)) error {
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
		r.n = start(*in.boot)
		cacheNode(r)
	}
	r.at = nil
	n := r.n
	settle(n)
	in.next = n.next
	in.setEffectIDs(n)
	in.seal()
	p.last, r.at = in, in
	return nil
}

// clockTime formats a clock reading as the time since the first boot.
func clockTime(t int64) string {
	if t == 0 {
		return "never"
	}
	return fmt.Sprint(time.Duration(t - epoch))
}
