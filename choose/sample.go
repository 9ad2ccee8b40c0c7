package choose

import (
	"math"
	"slices"
	"strings"
)

const (
	// MaxArity is the maximum number of alternatives of a point: picks are stored in 32 bits.
	MaxArity = math.MaxInt32
	// EnumeratedArity is the maximum number of alternatives that enumerations explore completely. For a draw with more
	// alternatives they offer a sample, see [Point.Sampled].
	EnumeratedArity = 1 << 16

	sampledEnds   = 16 // alternatives at either end of a sampled draw
	sampledMiddle = 32
	sampledAll    = 2*sampledEnds + sampledMiddle
	sampledSeeds  = 16
	manySampled   = 100
)

// Sampled reports whether p is a draw of more than [EnumeratedArity] alternatives, a [Seed] or a [Reseed]. Enumerations offer
// 64 alternatives of such a draw: the first 16, the last 16, and 32 spread over the others, always the same ones. [Random]
// draws one of the first or last 16 half of the time. Enumerations offer 16 seeds: 0, and 15 spread over the others. They
// offer no new seed.
func (p *Point) Sampled() bool { return p.Arity > EnumeratedArity && p.Kind == Draw || p.Kind.Seeds() }

// Offered returns the number of alternatives that enumerations offer.
func (p *Point) Offered() int {
	switch {
	case p.Kind == Reseed:
		return 1
	case p.Kind == Seed:
		return min(sampledSeeds, p.Arity)
	case p.Sampled():
		return sampledAll
	}
	return p.Arity
}

// Alternative returns the i-th alternative that enumerations offer.
func (p *Point) Alternative(i int) int {
	switch {
	case p.Kind == Seed && i > 0:
		part := p.Arity / p.Offered()
		return i*part + int(Mix(uint64(i))%uint64(part))
	case !p.Sampled() || i < sampledEnds:
		return i
	case i < 2*sampledEnds:
		return p.Arity - 2*sampledEnds + i
	}
	i -= 2 * sampledEnds
	part := (p.Arity - 2*sampledEnds) / sampledMiddle
	return sampledEnds + i*part + int(Mix(uint64(p.Arity)<<8|uint64(i))%uint64(part))
}

// Sampled holds the number of alternatives of a choice that a search took without enumerating them.
type Sampled struct {
	Label string `json:"label"`
	Arity int    `json:"arity"` // the largest; [MaxArity] or more means without limit
	// Taken counts different alternatives. It is a lower bound from mostTaken on, and after a merge of values read from
	// reports.
	Taken int `json:"taken"`

	picks map[int]struct{} // the taken alternatives; nil if only Taken is known
}

// mostTaken is the maximum number of different alternatives that are counted for a choice.
const mostTaken = EnumeratedArity

// Samples holds the choices that a search sampled, by label, for the first hundred labels.
type Samples []Sampled

// Add records an answer to p if p is sampled.
func (s *Samples) Add(p Point, pick int) {
	if !p.Sampled() {
		return
	}
	d := s.find(p.Label)
	if d == nil {
		return
	}
	d.Arity = max(d.Arity, p.Arity)
	d.take(pick)
}

// Merge adds the entries of o.
func (s *Samples) Merge(o Samples) {
	for i := range o {
		e := &o[i]
		d := s.find(e.Label)
		if d == nil {
			continue
		}
		d.Arity = max(d.Arity, e.Arity)
		for pick := range e.picks {
			d.take(pick)
		}
		d.Taken = max(d.Taken, e.Taken)
	}
}

// find returns the entry of a label, adding it if there is room, or nil.
func (s *Samples) find(label string) *Sampled {
	i, ok := slices.BinarySearchFunc(*s, label, func(e Sampled, label string) int { return strings.Compare(e.Label, label) })
	if !ok {
		if len(*s) == manySampled {
			return nil
		}
		*s = slices.Insert(*s, i, Sampled{Label: label})
	}
	return &(*s)[i]
}

func (d *Sampled) take(pick int) {
	if len(d.picks) == mostTaken {
		return
	}
	if d.picks == nil {
		d.picks = map[int]struct{}{}
	}
	d.picks[pick] = struct{}{}
	d.Taken = max(d.Taken, len(d.picks))
}
