package stateset

import (
	"unsafe"

	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/spill"
)

// Spill configures where an exploration holds states that do not fit into memory.
type Spill struct {
	Dir   string // an existing folder; files in it are unlinked
	Bytes int    // approximate memory to use for states
	Young int    // for tests, if not 0: the approximate number of states in memory, with the cache of recent states disabled
}

// MostPending is the number of states that may be looked up while a set is due for Flush.
const MostPending = 1 << 16

// Shares of [Spill.Bytes]. The rest is for data that is kept for all states.
const (
	tableShare    = 3
	filterShare   = 4
	suspectsShare = 8
	SpoolShare    = 32 // there are three spools
)

// Spilled is a set of fingerprints with young ones in memory, and the others in sorted runs. A fingerprint that is not
// young is a suspect unless a filter excludes it from all runs. Suspects are looked up later, together, in their order.
type Spilled struct {
	young    *Fingerprints
	Filter   SpillFilter
	runs     *spill.Runs
	bytes    int // of the filter
	most     int // maximum number of young ones
	Suspects []spill.Wanted
	memory   memory.Arena // of Suspects
	limit    int          // maximum number of suspects
	Number   uint32       // number of states reported as new
}

func NewSpilled(words int, s *Spill) *Spilled {
	lines := max(minLines, s.Bytes/tableShare/(8*lineWords))
	d := &Spilled{young: NewFingerprints(words), runs: spill.NewRuns(s.Dir, words), bytes: s.Bytes / filterShare,
		limit: s.Bytes / suspectsShare / suspectBytes}
	d.young.most = uint64(lines)
	d.most = lines * lineWords / words / 6 * 5
	d.most -= min(d.most/4, MostPending) // room for batches on the way
	if s.Young > 0 {
		d.most = s.Young
	}
	return d
}

const suspectBytes = int(unsafe.Sizeof(spill.Wanted{}))

func (s *Spilled) Width() int { return s.young.words }

// Pending implements [Deferred].
func (s *Spilled) Pending() bool { return !s.runs.Empty() }

// Due implements [Deferred].
func (s *Spilled) Due() bool { return s.young.n >= s.most || len(s.Suspects) > s.limit }

// AddAll implements [Visited].
func (s *Spilled) AddAll(k *Keys, fresh []uint32) []uint32 {
	from := len(fresh)
	fresh = s.young.AddAll(k, fresh)
	if !s.Pending() {
		return fresh
	}
	i := 0
	for _, edge := range fresh[from:] {
		for k.Edges[i] != edge {
			i++
		}
		if lo := max(1, k.Lo[i]); s.Filter.has(lo) {
			key := spill.Key{Lo: lo}
			if s.young.words == 2 {
				key.Hi = k.Hi[i]
			}
			s.Suspects = append(s.Suspects, spill.Wanted{Key: key, Number: s.Number})
		}
		s.Number++
	}
	return fresh
}

// Flush implements [Deferred].
func (s *Spilled) Flush(old func(number uint32)) error {
	if len(s.Suspects) > 0 {
		if err := s.runs.Find(s.Suspects, old); err != nil {
			return err
		}
	}
	s.Suspects, s.Number = s.Suspects[:0], 0
	if s.young.n < s.most {
		return nil
	}
	return s.flush()
}

// flush moves the young fingerprints into a run.
func (s *Spilled) flush() error {
	if !s.Pending() {
		s.Filter = NewSpillFilter(s.bytes)
		s.memory.Grow((s.limit + MostPending) * suspectBytes / 8)
		all := unsafe.Slice((*spill.Wanted)(unsafe.Pointer(unsafe.SliceData(s.memory.Words))), len(s.memory.Words)*8/suspectBytes)
		s.Suspects = all[:0]
	}
	err := s.runs.Add(func(yield func(spill.Key) bool) {
		for k := range s.young.each {
			s.Filter.add(k.Lo)
			if !yield(k) {
				return
			}
		}
	})
	s.young.empty()
	return err
}

// Places implements [Finder].
func (s *Spilled) Places() int { return s.young.Places() }

// FindAll implements [Finder]. It must not be called if anything is on disk.
func (s *Spilled) FindAll(k *Keys, places []uint32) []uint32 { return s.young.FindAll(k, places) }

// Omission implements [Visited].
func (s *Spilled) Omission(n int) float64 { return s.young.Omission(n) }

// Bytes implements [Visited].
func (s *Spilled) Bytes() (now, growth int) {
	now, growth = s.young.Bytes()
	return now + 8*len(s.Filter.memory.Words) + s.runs.Bytes() + suspectBytes*cap(s.Suspects), growth
}

// Disk implements [Deferred].
func (s *Spilled) Disk() int64 { return s.runs.Disk() }

// Close implements [Visited].
func (s *Spilled) Close() {
	s.young.Close()
	s.Filter.memory.Free()
	s.memory.Free()
	s.runs.Close()
}
