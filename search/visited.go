package search

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/sim"
)

// Visited says how the states are kept that were seen: one of the constants or, for deepening, a
// number of bits, from 1 to 128, to which fingerprints are cut. States with equal fingerprints are
// taken for one: a short fingerprint saves nothing but loses states, and what follows them; it is
// there to compare with searches that have only such a hash.
type Visited string

const (
	AllStates       Visited = "none"  // of deepening: no state is kept, each is explored as often as it is reached
	ExactStates     Visited = "exact" // of bfs and dfs: whole states
	Fingerprints64  Visited = "64"    // fingerprints of 64 bits: states may be missed
	Fingerprints128 Visited = "128"
)

// fits tells what is wrong with v for a strategy.
func (v Visited) fits(s Name) error {
	switch {
	case v == "":
		return nil
	case s.Can(Deepens):
		if n, err := strconv.Atoi(string(v)); v != AllStates && (err != nil || n < 1 || n > 128) {
			return fmt.Errorf("visited set %q of strategy %s is neither %s nor a number of bits, 1 to 128", v, s, AllStates)
		}
	default:
		if _, err := stateset.Named(string(v)); err != nil {
			return fmt.Errorf("strategy %s: %w", s, err)
		}
	}
	return nil
}

// key is how states are told apart: by the bits of their fingerprints in mask, or not at all.
type key struct {
	none bool
	bits int
	mask sim.Fingerprint
}

// key returns that of deepening.
func (v Visited) key() key {
	if v == AllStates {
		return key{none: true}
	}
	n, err := strconv.Atoi(string(v))
	if err != nil {
		n = 128
	}
	// A shift by 64 and more gives 0.
	return key{bits: n, mask: sim.Fingerprint{Lo: ^(^uint64(0) << n), Hi: ^(^uint64(0) << max(0, n-64))}}
}

func (k key) of(at *Node) sim.Fingerprint {
	if k.none {
		return sim.Fingerprint{}
	}
	f := at.Fingerprint()
	return sim.Fingerprint{Lo: f.Lo & k.mask.Lo, Hi: f.Hi & k.mask.Hi}
}

// MostOmission is the largest bound on the probability that a state was missed with which a search is still called
// complete. A verdict is never better than its bound.
const MostOmission = 1e-3

// omission bounds the probability that among n states and the one that would have been the next, two
// had the same key.
func (k key) omission(n int) float64 {
	if k.none {
		return 0
	}
	return min(1, float64(n)*float64(n+1)/2*math.Pow(2, -float64(k.bits)))
}

// visited is a set of states, by fingerprint, with what is to be remembered of each: how much depth
// was left when the state was explored, and flags. It is an open-addressing table, because memory is
// what limits an exhaustive search; 18 bytes per slot, at most three quarters of them in use.
type visited struct {
	keys []sim.Fingerprint
	info []stateInfo // 0: the slot is free
	n    int
}

// stateInfo packs the depth left plus one (0: the state was not explored) above the flags.
type stateInfo uint16

const (
	walkedFlag   stateInfo = 1 << iota // a walk went on from the state
	recoversFlag                       // a live state was reached from it by the recovery relation
	occupiedFlag
	infoFlags = 3
	flagMask  = 1<<infoFlags - 1
	maxDepth  = 1<<(16-infoFlags) - 2
)

func explored(left int) stateInfo { return stateInfo(left+1) << infoFlags }

// covers reports whether the state was explored with at least that much depth left.
func (i stateInfo) covers(left int) bool { return i>>infoFlags > stateInfo(left) }

// merge returns the more that is known.
func (i stateInfo) merge(j stateInfo) stateInfo {
	return max(i&^flagMask, j&^flagMask) | (i|j)&flagMask
}

const (
	minVisited  = 1 << 6  // slots
	keptVisited = 1 << 16 // slots that a set keeps when it is emptied
)

func newVisited() *visited {
	return &visited{keys: make([]sim.Fingerprint, minVisited), info: make([]stateInfo, minVisited)}
}

// reset empties the set. It gives large tables back.
func (v *visited) reset() {
	if len(v.info) > keptVisited {
		*v = *newVisited()
		return
	}
	clear(v.info)
	v.n = 0
}

// slot returns where f is, or would be.
func (v *visited) slot(f sim.Fingerprint) int {
	mask := len(v.info) - 1
	i := int(f.Lo) & mask
	for v.info[i] != 0 && v.keys[i] != f {
		i = (i + 1) & mask
	}
	return i
}

// get returns what is known of a state, 0 if nothing is.
func (v *visited) get(f sim.Fingerprint) stateInfo { return v.info[v.slot(f)] }

// add merges info into what is known of a state, and reports whether the state is new.
func (v *visited) add(f sim.Fingerprint, info stateInfo) bool {
	i := v.slot(f)
	if old := v.info[i]; old != 0 {
		v.info[i] = old.merge(info)
		return false
	}
	v.keys[i], v.info[i] = f, info|occupiedFlag
	if v.n++; v.n > len(v.info)/4*3 {
		v.grow()
	}
	return true
}

// slotBytes is what a slot takes.
const slotBytes = int(unsafe.Sizeof(sim.Fingerprint{}) + unsafe.Sizeof(stateInfo(0)))

// need is how many bytes the set takes, at most, while that many states are added: to grow it is copied.
func (v *visited) need(more int) int {
	slots := len(v.info)
	for v.n+more > slots/4*3 {
		slots *= 2
	}
	if slots == len(v.info) {
		return slots * slotBytes
	}
	return (slots + slots/2) * slotBytes
}

func (v *visited) grow() {
	old := *v
	v.keys, v.info = make([]sim.Fingerprint, 2*len(old.keys)), make([]stateInfo, 2*len(old.info))
	for i, info := range old.info {
		if info != 0 {
			j := v.slot(old.keys[i])
			v.keys[j], v.info[j] = old.keys[i], info
		}
	}
}

// addAll merges all of w into v, and returns how many of its explored states are new.
func (v *visited) addAll(w *visited) int {
	n := 0
	for i, info := range w.info {
		if info != 0 && v.add(w.keys[i], info) {
			n++
		}
	}
	return n
}
