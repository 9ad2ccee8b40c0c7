package choose

import "fmt"

// Enumerate answers so that a function that is called again and again sees every sequence of
// answers exactly once, in lexicographic order; weights are ignored, and of draws that are [Point.Sampled] only
// the sample is taken. The zero value is ready:
//
//	var e choose.Enumerate
//	for e.Next() {
//		f(&e)
//	}
//
// The function must ask the same whenever it was answered the same; Enumerate panics when it does
// not. Memory is linear in the number of points of one call. After tigerbeetle's exhaustigen.
type Enumerate struct {
	picks   []enumerated
	pos     int
	started bool
}

type enumerated struct{ turn, offered, pick, arity int }

// Next prepares the next sequence of answers; false: all were seen.
func (e *Enumerate) Next() bool {
	if !e.started {
		e.started = true
		return true
	}
	if e.pos != len(e.picks) {
		panic(fmt.Sprintf("choose: Enumerate: %d points were asked where %d had been: the function depends on more than the answers",
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

// Reset makes e as new, but keeps its memory.
func (e *Enumerate) Reset() { e.picks, e.pos, e.started = e.picks[:0], 0, false }

// Choose answers with the alternative whose turn it is.
func (e *Enumerate) Choose(p Point) int {
	if !p.InPath() {
		return 0
	}
	if e.pos == len(e.picks) {
		e.picks = append(e.picks, enumerated{0, p.Offered(), 0, p.Arity})
	}
	now := &e.picks[e.pos]
	if now.arity != p.Arity {
		panic(fmt.Sprintf("choose: Enumerate: point %d, %s, has %d alternatives where it had %d: the function depends on more than the answers",
			e.pos+1, p.describe(), p.Arity, now.arity))
	}
	e.pos++
	now.pick = p.Alternative(now.turn)
	return now.pick
}

// Path returns the answers since Next, as a new slice.
func (e *Enumerate) Path() Path {
	path := make(Path, e.pos)
	for i := range path {
		path[i] = int32(e.picks[i].pick)
	}
	return path
}
