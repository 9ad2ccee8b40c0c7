// Package choose holds the one primitive of the checker: the choice. Whatever may go one way or
// another in a run is a [Point] that is answered by a [Source]; the answers in order are the run's
// [Path], from which everything else is recomputed.
package choose

// A Point is one choice to be made. It is only valid during the call that it is passed to: Weights
// may be reused by the asker. It has as many words as are passed in registers, so a distinction that strategies need is a
// [Kind] of its own.
type Point struct {
	Kind    Kind
	Arity   int    // number of alternatives, 1 to MaxArity
	Weights []int  // weight of each alternative in a random draw; empty: all equal, see Fair; never all zero
	Label   string // what is decided, for people
}

// Fairly is the Weights of a draw that is fair.
func Fairly() []int { return fairly[:] }

var fairly [0]int

// Fair reports whether in runs without end that make this draw again and again each alternative comes again and again.
func (p Point) Fair() bool { return p.Weights != nil && len(p.Weights) == 0 && p.Kind == Draw }

// Weight returns the weight of alternative i.
func (p Point) Weight(i int) int {
	if len(p.Weights) == 0 {
		return 1
	}
	return p.Weights[i]
}

// A Source answers choice points. Choose returns a number in [0, p.Arity).
type Source interface {
	Choose(p Point) int
}

// SourceFunc is a function used as a [Source].
type SourceFunc func(Point) int

// Choose calls f.
func (f SourceFunc) Choose(p Point) int { return f(p) }

// First answers every point with its first alternative of positive weight.
var First Source = SourceFunc(func(p Point) int {
	for i := range p.Arity {
		if p.Weight(i) > 0 {
			return i
		}
	}
	return 0
})
