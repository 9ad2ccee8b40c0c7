// Pools, whose contents do not depend on other runs.

package sync

import "internal/race"

func macemcBubbled() bool

// macemcPool holds the values that goroutines of an explored test have put into a pool.
type macemcPool struct {
	pool    *Pool
	values  []any
	private bool // the first value is that of the processor, which precedes the others
}

// macemcPools are the pools of a run. A field of Pool would change the memory layout of programs.
var macemcPools struct {
	run  uint64
	list []macemcPool
}

func macemcPooling(pool *Pool, pc uintptr) (run uint64)
func macemcPooled(n, usual int) int

// macemcPoolOf returns the pool of a run; nil means that the pool keeps no values.
func macemcPoolOf(p *Pool, pc uintptr) *macemcPool {
	run, all := macemcPooling(p, pc), &macemcPools
	if run == 0 {
		return nil
	}
	if all.run != run {
		all.run, all.list = run, nil
	}
	for i := range all.list {
		if all.list[i].pool == p {
			return &all.list[i]
		}
	}
	all.list = append(all.list, macemcPool{pool: p})
	return &all.list[len(all.list)-1]
}

// macemcPut is Put in a bubble. Only the pools of explored tests keep values there.
func macemcPut(p *Pool, x any, pc uintptr) {
	own := macemcPoolOf(p, pc)
	if own == nil || x == nil {
		return
	}
	if race.Enabled {
		race.ReleaseMerge(poolRaceAddr(x))
	}
	own.values = append(own.values, x)
	if !own.private {
		for i := len(own.values) - 1; i > 0; i-- { // unlike copy, not a write to the race detector
			own.values[i] = own.values[i-1]
		}
		own.values[0], own.private = x, true
	}
}

// macemcGet is Get in a bubble. Usually it takes the value of the processor, or else the one that was put last, as on an idle machine with
// one processor. A new value means that a garbage collection has removed all.
func macemcGet(p *Pool, pc uintptr) any {
	if own := macemcPoolOf(p, pc); own != nil && len(own.values) > 0 {
		usual, n := 0, len(own.values)
		if !own.private {
			usual = n - 1
		}
		if i := macemcPooled(n, usual); i < n {
			x, first := own.values[i], i == 0
			for ; i < n-1; i++ {
				own.values[i] = own.values[i+1]
			}
			own.values[n-1] = nil
			own.values = own.values[:n-1]
			own.private = own.private && !first
			if race.Enabled {
				race.Acquire(poolRaceAddr(x))
			}
			return x
		}
		own.values, own.private = nil, false
	}
	if p.New != nil {
		return p.New()
	}
	return nil
}
