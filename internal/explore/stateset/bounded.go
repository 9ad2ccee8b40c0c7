package stateset

import "github.com/macemc/macemc/internal/explore/memory"

// Deepest is the greatest depth bound of an exploration that does not find states by shortest paths.
const Deepest = 1<<15 - 1

// nearness is the data of a bounded set for each state: the least depth at which it was found, and whether it was
// expanded.
type nearness uint16

const expandedFlag nearness = 1

func metAt(depth int32) nearness { return nearness(depth) << 1 }

// meet records that a state was found again, and reports whether it was farther away before.
func (n *nearness) meet(depth int32) bool {
	nearer := int32(*n>>1) > depth
	if nearer {
		*n = metAt(depth) | *n&expandedFlag
	}
	return nearer
}

// open implements [Bounded].
func (n *nearness) open(depth int32) (first, ok bool) {
	if int32(*n>>1) < depth {
		return false, false // found by a shorter path meanwhile
	}
	first = *n&expandedFlag == 0
	*n |= expandedFlag
	return first, true
}

// boundedExact is an exact set for an exploration to a depth.
type boundedExact struct {
	*exact
	near memory.Chunks[nearness]
}

// AddAll implements [Visited].
func (s *boundedExact) AddAll(k *Keys, fresh []uint32) []uint32 {
	s.roots.prefetch(k.Lo)
	for i, root := range k.Lo {
		switch id, added := s.roots.intern(root); {
		case added:
			s.near.Append(metAt(k.Depth))
			fresh = append(fresh, k.Edges[i])
		case s.near.Ref(id).meet(k.Depth):
			fresh = append(fresh, k.Edges[i]|Again)
		}
	}
	return fresh
}

// Open implements [Bounded].
func (s *boundedExact) Open(root, _ uint64, depth int32) (first, ok bool) {
	return s.near.Ref(s.roots.find(root)).open(depth)
}

// Bytes implements [Visited].
func (s *boundedExact) Bytes() (now, growth int) {
	now, growth = s.exact.Bytes()
	return now + s.near.Bytes(), growth
}

// boundedFingerprints maps fingerprints of one or two words to their nearness. It is an open-addressing table, at most
// three quarters full.
type boundedFingerprints struct {
	words int
	keys  []uint64 // words of each slot; a first word of zero means free
	near  []nearness
	n     int
}

const minBounded = 1 << 10

func newBounded(words int) *boundedFingerprints {
	return &boundedFingerprints{words: words, keys: make([]uint64, words*minBounded), near: make([]nearness, minBounded)}
}

// slot returns the slot of a fingerprint, or the free slot for it.
func (s *boundedFingerprints) slot(lo, hi uint64) int {
	lo = max(1, lo)
	mask := len(s.near) - 1
	for i := int(lo>>16) & mask; ; i = (i + 1) & mask {
		key := s.keys[i*s.words:][:s.words]
		if key[0] == 0 || key[0] == lo && (s.words == 1 || key[1] == hi) {
			return i
		}
	}
}

func (s *boundedFingerprints) Width() int { return s.words }

// AddAll implements [Visited].
func (s *boundedFingerprints) AddAll(k *Keys, fresh []uint32) []uint32 {
	for i, lo := range k.Lo {
		hi := uint64(0)
		if s.words == 2 {
			hi = k.Hi[i]
		}
		at := s.slot(lo, hi)
		switch {
		case s.keys[at*s.words] == 0:
			s.put(at, lo, hi, metAt(k.Depth))
			fresh = append(fresh, k.Edges[i])
		case s.near[at].meet(k.Depth):
			fresh = append(fresh, k.Edges[i]|Again)
		}
	}
	return fresh
}

// Open implements [Bounded].
func (s *boundedFingerprints) Open(lo, hi uint64, depth int32) (first, ok bool) {
	return s.near[s.slot(lo, hi)].open(depth)
}

func (s *boundedFingerprints) put(at int, lo, hi uint64, near nearness) {
	copy(s.keys[at*s.words:][:s.words], []uint64{max(1, lo), hi})
	s.near[at] = near
	if s.n++; s.n <= len(s.near)/4*3 {
		return
	}
	old := *s
	*s = boundedFingerprints{words: s.words, keys: make([]uint64, 2*len(old.keys)), near: make([]nearness, 2*len(old.near)), n: s.n}
	for i, near := range old.near {
		key := old.keys[i*s.words:][:s.words]
		if key[0] == 0 {
			continue
		}
		at := s.slot(key[0], key[s.words-1])
		copy(s.keys[at*s.words:], key)
		s.near[at] = near
	}
}

// Places implements [Finder].
func (s *boundedFingerprints) Places() int { return len(s.near) }

// FindAll implements [Finder].
func (s *boundedFingerprints) FindAll(k *Keys, places []uint32) []uint32 {
	for i, lo := range k.Lo {
		hi := uint64(0)
		if s.words == 2 {
			hi = k.Hi[i]
		}
		at := s.slot(lo, hi)
		if places = append(places, uint32(at)); s.keys[at*s.words] == 0 {
			places[len(places)-1] = NoPlace
		}
	}
	return places
}

// Bytes implements [Visited].
func (s *boundedFingerprints) Bytes() (now, growth int) {
	now = 8*len(s.keys) + 2*len(s.near)
	if s.n+len(s.near)/64 < len(s.near)/4*3 {
		return now, 0
	}
	return now, 2 * now
}

// Omission implements [Visited].
func (s *boundedFingerprints) Omission(n int) float64 { return omission(n, s.words) }

// Close implements [Visited].
func (s *boundedFingerprints) Close() {}
