package steptree

import (
	"math/bits"
	"slices"
)

// Verdicts remember lately what properties together said of the local states that they read: these come again, and states that differ in what is between
// nodes alone are many. What is remembered is no more than stays near the processor.
type Verdicts struct {
	Entries []uint32 // by hash: local states, and what was said
	last    int      // the entry that was asked for last
}

// What was said.
const (
	IsSound = 1 << iota // all Always properties hold
	IsLive              // all Eventually properties do
	NotLive             // one fails
)

const verdictWords = 1 << 15 // of all entries

// Of is what is remembered of local states, to be added to.
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
