package machine

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Coverage records which rules of which states were used, over all runs of a [System] in this process. Package mctest
// runs in another process unless -macemc.in-process is set. The zero value is empty. It is safe for concurrent use.
type Coverage struct {
	mu   sync.Mutex
	used map[pair]bool
}

type pair struct {
	kind  *Kind
	state State
	event reflect.Type
}

func (c *Coverage) note(k *Kind, s State, event reflect.Type) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		c.used = map[pair]bool{}
	}
	c.used[pair{k, s, event}] = true
}

// Used reports whether the rule of a state for events of the type of ev was used.
func (c *Coverage) Used(k *Kind, s State, ev any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used[pair{k, s, reflect.TypeOf(ev)}]
}

// Table lists, for each kind, the number of its pairs of state and event that were taken, and the pairs that never
// were. It omits rules that defer, because deferred events are taken in other states. It says so if nothing was
// recorded.
func (c *Coverage) Table(kinds ...*Kind) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.used) == 0 {
		return "nothing was recorded: no run was in this process (mctest: -macemc.in-process)\n"
	}
	var b strings.Builder
	for _, k := range kinds {
		used, all := 0, 0
		var never []string
		for _, s := range k.states {
			for _, r := range s.rules {
				if r.reaction == deferred {
					continue
				}
				if all++; c.used[pair{k, s.name, r.event}] {
					used++
				} else {
					never = append(never, fmt.Sprintf("  never: %s in state %s\n", eventName(r.event), s.name))
				}
			}
		}
		fmt.Fprintf(&b, "%s: %d of %d\n%s", k.name, used, all, strings.Join(never, ""))
	}
	return b.String()
}
