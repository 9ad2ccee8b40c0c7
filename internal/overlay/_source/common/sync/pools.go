// Pools, whose contents do not depend on other runs.

package sync

import (
	"internal/race"
	_ "unsafe"
)

//go:linkname macemcBubbled runtime.macemcBubbled
func macemcBubbled() bool

// macemcPool holds the values that goroutines of an explored test have put into a pool.
type macemcPool struct {
	pool   *Pool
	values []any
}

// macemcPools are the pools of a run. A field of Pool would change the memory layout of programs.
var macemcPools struct {
	run  uint64
	list []macemcPool
}

//go:linkname macemcPooling runtime.macemcPooling
func macemcPooling(pool *Pool, pc uintptr) (run uint64)

//go:linkname macemcPooled runtime.macemcPooled
func macemcPooled(n int) int

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
}

// macemcGet is Get in a bubble.
func macemcGet(p *Pool, pc uintptr) any {
	if own := macemcPoolOf(p, pc); own != nil && len(own.values) > 0 {
		if i, last := macemcPooled(len(own.values)), len(own.values)-1; i <= last {
			x := own.values[i]
			own.values[i], own.values[last] = own.values[last], nil
			own.values = own.values[:last]
			if race.Enabled {
				race.Acquire(poolRaceAddr(x))
			}
			return x
		}
	}
	if p.New != nil {
		return p.New()
	}
	return nil
}
