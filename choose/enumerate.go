package choose

import "fmt"

// Enumerate is a [Source] that gives a repeatedly called function every sequence of answers exactly once, in
// lexicographic order. It ignores weights, and enumerates only the sample of draws that are [Point.Sampled]. The zero
// value is ready to use:
//
//	var e choose.Enumerate
//	for e.Next() {
//		f(&e)
//	}
//
// The function must reach the same points whenever it got the same answers; Enumerate panics if it does not. Memory is
// linear in the number of points of one call. After tigerbeetle's exhaustigen.
type Enumerate struct {
	picks   []enumerated
	pos     int
	started bool
}

type enumerated struct{ turn, offered, pick, arity int }

// Next prepares the next sequence of answers. It returns false if all sequences were used.
func (e *Enumerate) Next() bool {
	if !e.started {
		e.started = true
		return true
	}
	if e.pos != len(e.picks) {
		panic(fmt.Sprintf("choose: Enumerate: %d points instead of %d: the function depends on more than the answers",
			e.pos, len(e.picks)))
	}
	e.pos = 0
	for i := len(e.picks) - 1; i >= 0; i-- {
		if last := &e.picks[i]; last.turn+1 < last.offered {
			last.turn++
			e.picks = e.picks[:i+1]
			return true
		}
	}
	e.picks = e.picks[:0]
	return false
}

// Reset restarts the enumeration and keeps the memory of e.
func (e *Enumerate) Reset() { e.picks, e.pos, e.started = e.picks[:0], 0, false }

// Choose answers with the current alternative of the point.
func (e *Enumerate) Choose(p Point) int {
	if !p.InPath() {
		return 0
	}
	if e.pos == len(e.picks) {
		e.picks = append(e.picks, enumerated{0, p.Offered(), 0, p.Arity})
	}
	now := &e.picks[e.pos]
	if now.arity != p.Arity {
		panic(fmt.Sprintf("choose: Enumerate: point %d, %s, has %d alternatives instead of %d: the function depends on more than the answers",
			e.pos+1, p.Describe(), p.Arity, now.arity))
	}
	e.pos++
	now.pick = p.Alternative(now.turn)
	return now.pick
}

// Path returns a new slice with the answers since Next.
func (e *Enumerate) Path() Path {
	path := make(Path, e.pos)
	for i := range path {
		path[i] = int32(e.picks[i].pick)
	}
	return path
}
