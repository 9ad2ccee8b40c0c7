package oracle

// clock is what a node holds of times: two variables, each unset or a reading. Readings come in the order in which they
// were made, and nothing else is known of them, unless it was decided by a comparison or follows from that. As there are
// only two, it is enough to know how they stand to each other, and whether each is known to be before all
// readings to come: that is so when it was decided to be before some reading, since later ones are not before that.
type clock struct {
	set    [2]bool
	rel    relation
	newer  int     // when rel is ordered or before: which one was read later
	passed [2]bool // before every reading to come
}

// relation is how two readings stand to each other.
type relation int

const (
	unrelated relation = iota // one of them is not set
	same                      // they are one reading
	ordered                   // the newer one is not before the other
	before                    // the other one is before the newer
	equal                     // they were decided to be one instant
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

// before reports whether time i is before the other one, asking when nothing decides.
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
		// Is the newer one before the older one? It cannot be, and nothing is learnt.
		return false
	}
	if ask() {
		k.rel, k.passed[i] = before, true
		return true
	}
	k.rel = equal
	// One instant: what holds of one of them to come holds of the other.
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
