package choose

import (
	"math"
	"slices"
	"strings"
)

const (
	// MaxArity is how many alternatives a point may have: picks are kept in 32 bits.
	MaxArity = math.MaxInt32
	// EnumeratedArity is how many alternatives of a draw are enumerated. Of a draw that has more, enumerations
	// offer a sample, see [Point.Sampled].
	EnumeratedArity = 1 << 16

	sampledEnds   = 16 // alternatives at either end of a draw that is sampled
	sampledMiddle = 32
	sampledAll    = 2*sampledEnds + sampledMiddle
	manySampled   = 100
)

// Sampled reports whether p is a draw of more than [EnumeratedArity] alternatives. Enumerations offer 64 of
// them: the first 16, the last 16, and 32 that are spread over the others, always the same ones.
// [Random] draws one of the first or last 16 half of the time.
func (p *Point) Sampled() bool { return p.Arity > EnumeratedArity && p.Kind == Draw }

// Offered is how many alternatives enumerations offer.
func (p *Point) Offered() int {
	if p.Sampled() {
		return sampledAll
	}
	return p.Arity
}

// Alternative is the i-th alternative that enumerations offer.
func (p *Point) Alternative(i int) int {
	switch {
	case !p.Sampled() || i < sampledEnds:
		return i
	case i < 2*sampledEnds:
		return p.Arity - 2*sampledEnds + i
	}
	i -= 2 * sampledEnds
	part := (p.Arity - 2*sampledEnds) / sampledMiddle
	return sampledEnds + i*part + int(mix(uint64(p.Arity)<<8|uint64(i))%uint64(part))
}

// Sampled names draws of which a search took a sample.
type Sampled struct {
	Label string `json:"label"`
	Arity int    `json:"arity"` // the largest
}

// Samples are the draws of which a search took a sample, by label. Only the first hundred labels are kept.
type Samples []Sampled

// Add notes p when it was sampled.
func (s *Samples) Add(p *Point) {
	if p.Sampled() {
		s.note(Sampled{p.Label, p.Arity})
	}
}

// Merge adds what o has.
func (s *Samples) Merge(o Samples) {
	for _, d := range o {
		s.note(d)
	}
}

func (s *Samples) note(d Sampled) {
	i, ok := slices.BinarySearchFunc(*s, d.Label, func(e Sampled, label string) int { return strings.Compare(e.Label, label) })
	switch {
	case ok:
		(*s)[i].Arity = max((*s)[i].Arity, d.Arity)
	case len(*s) < manySampled:
		*s = slices.Insert(*s, i, d)
	}
}
