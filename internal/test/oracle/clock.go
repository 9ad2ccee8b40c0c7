package oracle

// clock is the knowledge of a node about times: two variables, each unset or a reading. Readings are numbered in
// the order in which they were made. Nothing else is known about them except decisions by comparisons and their
// consequences. With only two variables it suffices to know their relation, and whether each is before all future
// readings. It is if it was decided to be before some reading, since later readings are not before that one.
type clock struct {
	set    [2]bool
	rel    relation
	newer  int     // for ordered or before: the index of the later reading
	passed [2]bool // before all future readings
}

// relation is the relation of two readings.
type relation int

const (
	unrelated relation = iota // one of them is unset
	same                      // the same reading
	ordered                   // the newer one is not before the other
	before                    // the older one is before the newer one
	equal                     // decided to be the same instant
)

func (k *clock) read(i int) {
	other := 1 - i
	k.set[i], k.passed[i] = true, false
	k.rel = unrelated
	if k.set[other] {
		k.rel, k.newer = ordered, i
		if k.passed[other] {
			k.rel = before
		}
	}
}

func (k *clock) copy(i int) {
	other := 1 - i
	k.set[i], k.passed[i] = k.set[other], k.passed[other]
	k.rel = unrelated
	if k.set[i] {
		k.rel = same
	}
}

// before reports whether time i is before the other one. It calls ask if nothing decides.
func (k *clock) before(i int, ask func() bool) bool {
	other := 1 - i
	switch {
	case !k.set[i] || !k.set[other]:
		return !k.set[i] && k.set[other]
	case k.rel == same || k.rel == equal:
		return false
	case k.rel == before:
		return i != k.newer
	case i == k.newer:
		// The newer one cannot be before the older one, and nothing is learned.
		return false
	}
	if ask() {
		k.rel, k.passed[i] = before, true
		return true
	}
	k.rel = equal
	// Same instant: the future of one is that of the other.
	k.passed[i] = k.passed[i] || k.passed[other]
	k.passed[other] = k.passed[i]
	return false
}

func (k *clock) encode(c *code) {
	c.flag(k.set[0], k.set[1], k.passed[0], k.passed[1])
	c.num(int(k.rel))
	if k.rel == ordered || k.rel == before {
		c.num(k.newer)
	}
}
