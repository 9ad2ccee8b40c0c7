// Package fpset provides the set of states that iterative deepening visited, by fingerprint. Strategies that visit states
// use the sets of package internal/explore/stateset, which store no remaining depth.
package fpset

import (
	"unsafe"

	"github.com/macemc/macemc/internal/encoding"
)

// Set is a set of states, by fingerprint. It stores for each the depth left when the state was explored, and flags. It
// is an open-addressing table with 18 bytes per slot, at most three quarters full, because memory limits an exhaustive
// search.
type Set struct {
	Keys []encoding.Fingerprint
	Info []Info // 0 means that the slot is free
	N    int
}

// Info holds the depth left plus one (0 if the state was not explored) above the flags.
type Info uint16

const (
	WalkedFlag   Info = 1 << iota // a walk continued from the state
	RecoversFlag                  // the recovery relation led from it to a live state
	OccupiedFlag
	infoFlags = 3
	FlagMask  = 1<<infoFlags - 1
	MaxDepth  = 1<<(16-infoFlags) - 2
)

func Explored(left int) Info { return Info(left+1) << infoFlags }

// Covers reports whether the state was explored with at least that much depth left.
func (i Info) Covers(left int) bool { return i>>infoFlags > Info(left) }

// Merge returns the union of the information.
func (i Info) Merge(j Info) Info {
	return max(i&^FlagMask, j&^FlagMask) | (i|j)&FlagMask
}

const (
	minVisited  = 1 << 6  // slots
	keptVisited = 1 << 16 // maximum number of slots that a set keeps when it is emptied
)

func New() *Set {
	return &Set{Keys: make([]encoding.Fingerprint, minVisited), Info: make([]Info, minVisited)}
}

// Reset empties the set. It releases large tables.
func (v *Set) Reset() {
	if len(v.Info) > keptVisited {
		*v = *New()
		return
	}
	clear(v.Info)
	v.N = 0
}

// slot returns the slot of f, or the free slot for it.
func (v *Set) slot(f encoding.Fingerprint) int {
	mask := len(v.Info) - 1
	i := int(f.Lo) & mask
	for v.Info[i] != 0 && v.Keys[i] != f {
		i = (i + 1) & mask
	}
	return i
}

// Get returns the information about a state, or 0 if there is none.
func (v *Set) Get(f encoding.Fingerprint) Info { return v.Info[v.slot(f)] }

// Add merges info into the information about a state, and reports whether the state is new.
func (v *Set) Add(f encoding.Fingerprint, info Info) bool {
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

// slotBytes is the size of a slot.
const slotBytes = int(unsafe.Sizeof(encoding.Fingerprint{}) + unsafe.Sizeof(Info(0)))

// Need returns the maximum number of bytes of the set while that many states are added, including the copy made for
// growth.
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
	v.Keys, v.Info = make([]encoding.Fingerprint, 2*len(old.Keys)), make([]Info, 2*len(old.Info))
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
