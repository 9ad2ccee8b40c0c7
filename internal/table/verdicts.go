package table

import (
	"math/bits"
	"slices"
)

// verdicts remember lately what properties together said of the local states that they read: these come again, and states that differ in what is between
// nodes alone are many. What is remembered is no more than stays near the processor.
type verdicts struct {
	entries []uint32 // by hash: local states, and what was said
	last    int      // the entry that was asked for last
}

// What was said.
const (
	isSound = 1 << iota // all Always properties hold
	isLive              // all Eventually properties do
	notLive             // one fails
)

const verdictWords = 1 << 15 // of all entries

// said is what is remembered of local states, to be added to.
func (c *verdicts) said(v []uint32) *uint32 {
	n := len(v) + 1
	if c.entries == nil {
		c.entries = make([]uint32, max(1, verdictWords/n)*n)
	}
	e := c.entries[c.last:][:n]
	if !slices.Equal(e[:len(v)], v) {
		h := uint64(0)
		for _, id := range v {
			h = bits.RotateLeft64(h, 13) + uint64(id)
		}
		at, _ := bits.Mul64(h*0x9E3779B97F4A7C15, uint64(len(c.entries)/n))
		c.last = int(at) * n
		if e = c.entries[c.last:][:n]; !slices.Equal(e[:len(v)], v) {
			copy(e, v)
			e[len(v)] = 0
		}
	}
	return &e[len(v)]
}
