// Package choose holds the one primitive of the checker: the choice. Whatever may go one way or
// another in a run is a [Point] that is answered by a [Source]; the answers in order are the run's
// [Path], from which everything else is recomputed.
package choose

// Kind says what a choice point decides.
type Kind uint8

const (
	Event   Kind = iota // which of the enabled events runs next
	Draw                // an alternative that a handler draws
	Compare             // how two time values compare
	Fault               // whether a fault strikes inside the step; alternative 0 is "no fault"
	Outcome             // what a fault that has struck leaves behind, e.g. which unsynced writes survive
	Seed                // which pseudo-random numbers code draws; the alternatives are alike but for 0, and always [Point.Sampled]
)

// A Point is one choice to be made. It is only valid during the call that it is passed to: Weights
// may be reused by the asker.
type Point struct {
	Kind    Kind
	Arity   int    // number of alternatives, 1 to MaxArity
	Weights []int  // weight of each alternative in a random draw; empty: all equal, see Fair; never all zero
	Label   string // what is decided, for people
	// A field more, and strategies would be handed points in memory, not in registers.
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
