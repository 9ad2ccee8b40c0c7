package steptree

import (
	"math/bits"
	"slices"
)

// Verdicts is a direct-mapped cache of the joint verdicts of the properties by the local states that they read.
// These recur, since many states differ only in messages. Its size fits a processor cache.
type Verdicts struct {
	Entries []uint32 // by hash: local states, and the verdict
	last    int      // index of the last look-up
}

// Verdicts.
const (
	IsSound = 1 << iota // all Always properties hold
	IsLive              // all Eventually properties hold
	NotLive             // an Eventually property fails
)

const verdictWords = 1 << 15 // of all entries

// Of returns the cached verdict of local states, for reading and adding flags.
func (c *Verdicts) Of(v []uint32) *uint32 {
	n := len(v) + 1
	if c.Entries == nil {
		c.Entries = make([]uint32, max(1, verdictWords/n)*n)
	}
	e := c.Entries[c.last:][:n]
	if !slices.Equal(e[:len(v)], v) {
		h := uint64(0)
		for _, id := range v {
			h = bits.RotateLeft64(h, 13) + uint64(id)
		}
		at, _ := bits.Mul64(h*0x9E3779B97F4A7C15, uint64(len(c.Entries)/n))
		c.last = int(at) * n
		if e = c.Entries[c.last:][:n]; !slices.Equal(e[:len(v)], v) {
			copy(e, v)
			e[len(v)] = 0
		}
	}
	return &e[len(v)]
}
