package por

// Assumptions are the claims that the reduction relies on, and those that were refuted.
type Assumptions struct {
	decided map[Claim]bool // in this round
	list    []Claim        // claims that hold and were used
	listed  map[Claim]bool
	Refuted map[Claim]bool // in all rounds
	All     map[Claim]bool // in this round: claims that hold under all permutations of nodes
}

// Claim is about an event in a local state.
type Claim struct{ Local, Act uint32 }

func (l *Assumptions) Begin() {
	l.decided, l.list, l.listed, l.All = map[Claim]bool{}, nil, map[Claim]bool{}, map[Claim]bool{}
	if l.Refuted == nil {
		l.Refuted = map[Claim]bool{}
	}
}

// assume reports whether a claim holds, for all interchangeable nodes.
func (r *ReducedGraph) assume(l *Assumptions, c Claim, decide func(Claim) bool) bool {
	if r.Permuter != nil {
		return r.Permuter.HoldsForAll(l, c, decide)
	}
	return l.Holds(c, decide)
}

// Holds decides a claim once in a round, and records that it is used.
func (l *Assumptions) Holds(c Claim, decide func(Claim) bool) bool {
	if l.Refuted[c] {
		return false
	}
	ok, known := l.decided[c]
	if !known {
		ok = decide(c)
		l.decided[c] = ok
	}
	if ok && !l.listed[c] {
		l.listed[c] = true
		l.list = append(l.list, c)
	}
	return ok
}

// check decides the used claims again, and reports whether one is refuted.
func (l *Assumptions) check(decide func(Claim) bool) (refuted bool) {
	for _, c := range l.list {
		if !l.Refuted[c] && !decide(c) {
			l.Refuted[c] = true
			refuted = true
		}
	}
	return refuted
}
