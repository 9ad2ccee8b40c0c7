// Package fpset has the set of states that iterative deepening visited, by fingerprint.
package fpset

import (
	"unsafe"

	"github.com/macemc/macemc/sim"
)

// Set is a set of states, by fingerprint, with what is to be remembered of each: how much depth
// was left when the state was explored, and flags. It is an open-addressing table, because memory is
// what limits an exhaustive search; 18 bytes per slot, at most three quarters of them in use.
type Set struct {
	Keys []sim.Fingerprint
	Info []Info // 0: the slot is free
	N    int
}

// Info packs the depth left plus one (0: the state was not explored) above the flags.
type Info uint16

const (
	WalkedFlag   Info = 1 << iota // a walk went on from the state
	RecoversFlag                  // a live state was reached from it by the recovery relation
	OccupiedFlag
	infoFlags = 3
	FlagMask  = 1<<infoFlags - 1
	MaxDepth  = 1<<(16-infoFlags) - 2
)

func Explored(left int) Info { return Info(left+1) << infoFlags }

// Covers reports whether the state was explored with at least that much depth left.
func (i Info) Covers(left int) bool { return i>>infoFlags > Info(left) }

// Merge returns the more that is known.
func (i Info) Merge(j Info) Info {
	return max(i&^FlagMask, j&^FlagMask) | (i|j)&FlagMask
}

const (
	minVisited  = 1 << 6  // slots
	keptVisited = 1 << 16 // slots that a set keeps when it is emptied
)

func New() *Set {
	return &Set{Keys: make([]sim.Fingerprint, minVisited), Info: make([]Info, minVisited)}
}

// Reset empties the set. It gives large tables back.
func (v *Set) Reset() {
	if len(v.Info) > keptVisited {
		*v = *New()
		return
	}
	clear(v.Info)
	v.N = 0
}

// slot returns where f is, or would be.
func (v *Set) slot(f sim.Fingerprint) int {
	mask := len(v.Info) - 1
	i := int(f.Lo) & mask
	for v.Info[i] != 0 && v.Keys[i] != f {
		i = (i + 1) & mask
	}
	return i
}

// Get returns what is known of a state, 0 if nothing is.
func (v *Set) Get(f sim.Fingerprint) Info { return v.Info[v.slot(f)] }

// Add merges info into what is known of a state, and reports whether the state is new.
func (v *Set) Add(f sim.Fingerprint, info Info) bool {
	i := v.slot(f)
	if old := v.Info[i]; old != 0 {
		v.Info[i] = old.Merge(info)
		return false
	}
	v.Keys[i], v.Info[i] = f, info|OccupiedFlag
	if v.N++; v.N > len(v.Info)/4*3 {
		v.grow()
	}
	return true
}

// slotBytes is what a slot takes.
const slotBytes = int(unsafe.Sizeof(sim.Fingerprint{}) + unsafe.Sizeof(Info(0)))

// Need is how many bytes the set takes, at most, while that many states are added: to grow it is copied.
func (v *Set) Need(more int) int {
	slots := len(v.Info)
	for v.N+more > slots/4*3 {
		slots *= 2
	}
	if slots == len(v.Info) {
		return slots * slotBytes
	}
	return (slots + slots/2) * slotBytes
}

func (v *Set) grow() {
	old := *v
	v.Keys, v.Info = make([]sim.Fingerprint, 2*len(old.Keys)), make([]Info, 2*len(old.Info))
	for i, info := range old.Info {
		if info != 0 {
			j := v.slot(old.Keys[i])
			v.Keys[j], v.Info[j] = old.Keys[i], info
		}
	}
}

// AddAll merges all of w into v, and returns how many of its explored states are new.
func (v *Set) AddAll(w *Set) int {
	n := 0
	for i, info := range w.Info {
		if info != 0 && v.Add(w.Keys[i], info) {
			n++
		}
	}
	return n
}
