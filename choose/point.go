package choose

// A Point is one choice to be made. It is valid only during the call to which it is passed: the caller may reuse
// Weights. It has as many words as fit into registers, so a further distinction for strategies needs a [Kind] of its
// own.
type Point struct {
	Kind    Kind
	Arity   int    // number of alternatives, 1 to MaxArity
	Weights []int  // weight of each alternative in a random draw; empty means equal, see Fair; never all zero
	Label   string // the decision, for people
}

// Fairly returns the Weights of a fair draw.
func Fairly() []int { return fairly[:] }

var fairly [0]int

// Fair reports whether a run that makes this draw infinitely often draws each alternative infinitely often.
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
