package choose

import "fmt"

// Prefix answers from Path and, once that is used up, from Then. A prefix may end inside a step. The zero value is an
// empty prefix.
type Prefix struct {
	Path Path   // read only
	Then Source // nil means [First]

	pos int
	err error
}

// Choose answers from the path. A pick that is out of range for p is recorded, see [Prefix.Err]; from then on all
// points are answered like [First] answers them.
func (x *Prefix) Choose(p Point) int {
	switch {
	case !p.InPath():
		return 0
	case x.err != nil:
		return First.Choose(p)
	case x.pos == len(x.Path):
		if x.Then == nil {
			return First.Choose(p)
		}
		return x.Then.Choose(p)
	}
	pick := int(x.Path[x.pos])
	if uint(pick) >= uint(p.Arity) {
		x.err = fmt.Errorf("choice %d of the path picks alternative %d, but %s has %d (counted from 0)",
			x.pos+1, pick, p.Describe(), p.Arity)
		return First.Choose(p)
	}
	x.pos++
	return pick
}

// Take consumes the next pick without a point, for drivers that select events themselves. ok is false if the path is
// used up or an earlier pick was out of range.
func (x *Prefix) Take() (pick int, ok bool) {
	if x.Done() || x.err != nil {
		return 0, false
	}
	pick = int(x.Path[x.pos])
	x.pos++
	return pick, true
}

// Pos returns the number of consumed picks.
func (x *Prefix) Pos() int { return x.pos }

// Done reports whether the whole path was consumed.
func (x *Prefix) Done() bool { return x.pos == len(x.Path) }

// Err returns an error for the first pick that was out of range, or nil.
func (x *Prefix) Err() error { return x.err }

// Seek moves to the position before pick pos of the path, 0 to its length, and clears any error.
func (x *Prefix) Seek(pos int) { x.pos, x.err = pos, nil }
