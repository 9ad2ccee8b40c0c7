package choose

import "fmt"

// Prefix answers from Path and, when that is used up, hands over to Then. A prefix may end inside a
// step. The zero value is an empty prefix.
type Prefix struct {
	Path Path   // only read
	Then Source // nil: [First]

	pos int
	err error
}

// Choose answers from the path. A pick that is out of range for p is remembered, see [Prefix.Err];
// from then on all points are answered like [First] answers them.
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
			x.pos+1, pick, p.describe(), p.Arity)
		return First.Choose(p)
	}
	x.pos++
	return pick
}

// Take consumes the next pick unseen, for drivers that select events themselves. When the path is
// used up, or did not fit, ok is false.
func (x *Prefix) Take() (pick int, ok bool) {
	if x.Done() || x.err != nil {
		return 0, false
	}
	pick = int(x.Path[x.pos])
	x.pos++
	return pick, true
}

// Pos is the number of picks of the path that were consumed.
func (x *Prefix) Pos() int { return x.pos }

// Done reports whether the whole path was consumed.
func (x *Prefix) Done() bool { return x.pos == len(x.Path) }

// Err tells of the first pick that was out of range; nil when there was none.
func (x *Prefix) Err() error { return x.err }

// Seek goes to the place before pick pos of the path, 0 to its length, and forgets any error.
func (x *Prefix) Seek(pos int) { x.pos, x.err = pos, nil }
