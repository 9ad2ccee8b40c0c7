package explore

import (
	"unsafe"

	"github.com/macemc/macemc/internal/explore/spill"
)

// Spill says where an exploration holds states that do not fit into memory.
type Spill struct {
	Dir   string // a folder, which must be there; files in it have no names
	Bytes int    // of memory that are to be used for states, about
	young int    // for tests, when it is not 0: how many states are in memory, about, and none is passed over since it came lately
}

// Shares of [Spill.Bytes]. The rest is for what is kept for all states.
const (
	tableShare    = 3
	filterShare   = 4
	suspectsShare = 8
	spoolShare    = 32 // there are three
)

// Deferred is a visited set that takes a state for new until Settle says that it is not.
type Deferred interface {
	Visited
	// Pending reports whether states that AddAll takes for new may turn out not to be.
	Pending() bool
	// Due reports whether Settle should be called soon.
	Due() bool
	// Flush calls old with the numbers of states that AddAll took for new since it was called last, counted from 0, and that are not.
	// The error is one of what is kept on disk: the set is no good any more.
	Flush(old func(number uint32)) error
	// Disk is how many bytes are on disk.
	Disk() int64
}

// spilled is a set of fingerprints of which the young ones are in memory, the others in sorted runs. What is not among the young
// ones is a suspect if a filter does not say that it is in no run, and looked up later, together with others, in their order.
type spilled struct {
	young    *fingerprints
	filter   bloom
	runs     *spill.Runs
	bytes    int // of the filter
	most     int // young ones
	suspects []spill.Wanted
	memory   arena  // of these
	limit    int    // suspects
	number   uint32 // of states that were taken for new
}

func newSpilled(words int, s *Spill) *spilled {
	lines := max(minLines, s.Bytes/tableShare/(8*lineWords))
	d := &spilled{young: newFingerprints(words), runs: spill.NewRuns(s.Dir, words), bytes: s.Bytes / filterShare, limit: s.Bytes / suspectsShare / suspectBytes}
	d.young.most = uint64(lines)
	d.most = lines * lineWords / words / 6 * 5
	d.most -= min(d.most/4, maxAway*gathered) // more may be on the way
	if s.young > 0 {
		d.most = s.young
	}
	return d
}

const suspectBytes = int(unsafe.Sizeof(spill.Wanted{}))

func (s *spilled) Width() int { return s.young.words }

// Pending implements [Deferred].
func (s *spilled) Pending() bool { return !s.runs.Empty() }

// Due implements [Deferred].
func (s *spilled) Due() bool { return s.young.n >= s.most || len(s.suspects) > s.limit }

// AddAll implements [Visited].
func (s *spilled) AddAll(k *Keys, fresh []uint32) []uint32 {
	from := len(fresh)
	fresh = s.young.AddAll(k, fresh)
	if !s.Pending() {
		return fresh
	}
	i := 0
	for _, name := range fresh[from:] {
		for k.Names[i] != name {
			i++
		}
		if lo := max(1, k.Lo[i]); s.filter.has(lo) {
			key := spill.Key{Lo: lo}
			if s.young.words == 2 {
				key.Hi = k.Hi[i]
			}
			s.suspects = append(s.suspects, spill.Wanted{Key: key, Number: s.number})
		}
		s.number++
	}
	return fresh
}

// Flush implements [Deferred].
func (s *spilled) Flush(old func(number uint32)) error {
	if len(s.suspects) > 0 {
		if err := s.runs.Find(s.suspects, old); err != nil {
			return err
		}
	}
	s.suspects, s.number = s.suspects[:0], 0
	if s.young.n < s.most {
		return nil
	}
	return s.flush()
}

// flush moves the young ones into a run.
func (s *spilled) flush() error {
	if !s.Pending() {
		s.filter = newBloom(s.bytes)
		s.memory.grow((s.limit + maxAway*gathered) * suspectBytes / 8)
		all := unsafe.Slice((*spill.Wanted)(unsafe.Pointer(unsafe.SliceData(s.memory.words))), len(s.memory.words)*8/suspectBytes)
		s.suspects = all[:0]
	}
	err := s.runs.Add(func(yield func(spill.Key) bool) {
		for k := range s.young.each {
			s.filter.add(k.Lo)
			if !yield(k) {
				return
			}
		}
	})
	s.young.empty()
	return err
}

// Places implements [Finder].
func (s *spilled) Places() int { return s.young.Places() }

// FindAll implements [Finder]. It is not to be called when anything is on disk.
func (s *spilled) FindAll(k *Keys, places []uint32) []uint32 { return s.young.FindAll(k, places) }

// Omission implements [Visited].
func (s *spilled) Omission(n int) float64 { return s.young.Omission(n) }

// Bytes implements [Visited].
func (s *spilled) Bytes() (now, growth int) {
	now, growth = s.young.Bytes()
	return now + 8*len(s.filter.memory.words) + s.runs.Bytes() + suspectBytes*cap(s.suspects), growth
}

// Disk implements [Deferred].
func (s *spilled) Disk() int64 { return s.runs.Disk() }

// Close implements [Visited].
func (s *spilled) Close() {
	s.young.Close()
	s.filter.memory.free()
	s.memory.free()
	s.runs.Close()
}
