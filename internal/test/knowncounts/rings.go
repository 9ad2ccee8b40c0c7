package knowncounts

// probe is Dijkstra's termination detection on a ring of three nodes (EWD 840). Sets of nodes are bits.
type probe struct {
	Active, Black uint
	Token         int
	TokenBlack    bool
}

func (probe) first(draw drawer) probe { return probe{draw.bits(3), draw.bits(3), draw(3), true} }

func (p probe) next() (out []probe) {
	if p.Token == 0 && (p.TokenBlack || p.Black&1 == 1) {
		out = append(out, probe{p.Active, p.Black &^ 1, 2, false})
	}
	for i := range 3 {
		active, black := p.Active>>i&1 == 1, p.Black>>i&1 == 1
		if i > 0 && p.Token == i && (!active || black || p.TokenBlack) {
			out = append(out, probe{p.Active, p.Black &^ (1 << i), i - 1, p.TokenBlack || black})
		}
		if !active {
			continue
		}
		out = append(out, probe{p.Active &^ (1 << i), p.Black, p.Token, p.TokenBlack})
		for j := range 3 {
			if j == i {
				continue
			}
			n := p
			n.Active |= 1 << j
			if j > i {
				n.Black |= 1 << i
			}
			out = append(out, n)
		}
	}
	return out
}

// holds checks that termination is detected only when no node is active.
func (p probe) holds() bool {
	detected := p.Token == 0 && !p.TokenBlack && p.Black&1 == 0 && p.Active&1 == 0
	return !detected || p.Active == 0
}

func ewd840() System {
	return System{Name: "EWD840, 3 nodes", Source: examples + "ewd840/EWD840.cfg", System: relation[probe](), States: 302}
}

// counters are those of a self-stabilizing token ring of six nodes (EWD 426).
type counters [6]uint8

func (counters) first(draw drawer) (c counters) {
	for i := range c {
		c[i] = uint8(draw(6))
	}
	return c
}

func (c counters) next() (out []counters) {
	if c[0] == c[5] {
		n := c
		n[0] = (c[5] + 1) % 6
		out = append(out, n)
	}
	for i := 1; i < len(c); i++ {
		if c[i] != c[i-1] {
			n := c
			n[i] = c[i-1]
			out = append(out, n)
		}
	}
	return out
}

func (c counters) tokens() (n int) {
	if c[0] == c[5] {
		n++
	}
	for i := 1; i < len(c); i++ {
		if c[i] != c[i-1] {
			n++
		}
	}
	return n
}

func (c counters) holds() bool { return c.tokens() >= 1 }

func ewd426() System {
	s := System{Name: "EWD426, 6 nodes", Source: examples + "ewd426/TokenRing.cfg", System: relation[counters](), States: 46_656}
	s.Properties = append(s.Properties, eventually("one token", func(c counters) bool { return c.tokens() == 1 }))
	return s
}

// activity of seven nodes, and whether termination was detected.
type activity struct {
	Active   uint
	Detected bool
}

func (activity) first(draw drawer) activity {
	a := draw.bits(7)
	return activity{a, a == 0 && draw(2) == 1}
}

func (a activity) next() (out []activity) {
	if a.Active == 0 {
		out = append(out, activity{0, true})
	}
	for i := range 7 {
		if a.Active>>i&1 == 0 {
			continue
		}
		rest := a.Active &^ (1 << i)
		out = append(out, activity{rest, a.Detected}, activity{rest, rest == 0})
		for j := range 7 {
			out = append(out, activity{a.Active | 1<<j, a.Detected})
		}
	}
	return out
}

func (a activity) holds() bool { return !a.Detected || a.Active == 0 }

func syncTermination() System {
	s := System{Name: "SyncTerminationDetection, 7 nodes", Source: examples + "ewd840/SyncTerminationDetection.cfg",
		System: relation[activity](), States: 129}
	s.Properties = append(s.Properties, eventually("detected", func(a activity) bool { return a.Detected }))
	return s
}

// election on a ring of three nodes (Chang, Roberts 1979), any of which may be a candidate. Sets of nodes are bits.
type election struct {
	Started, Standing uint
	State             [3]phase // working: candidate, aborted: lost, committed: won
	Inbox             [3]uint  // set of identities
}

func (election) first(draw drawer) election {
	e := election{Standing: draw.bits(3)}
	for i := range e.State {
		if e.Standing>>i&1 == 0 {
			e.State[i] = aborted
		}
	}
	return e
}

func (e election) next() (out []election) {
	for i := range e.State {
		after := (i + 1) % 3
		if e.Started>>i&1 == 0 {
			n := e
			n.Started |= 1 << i
			if e.Standing>>i&1 == 1 {
				n.Inbox[after] |= 1 << i
			}
			out = append(out, n)
			continue
		}
		for id := range 3 {
			if e.Inbox[i]>>id&1 == 0 {
				continue
			}
			n := e
			n.Inbox[i] &^= 1 << id
			switch {
			case e.State[i] == aborted:
				n.Inbox[after] |= 1 << id
			case id < i:
				n.State[i] = aborted
				n.Inbox[after] |= 1 << id
			case id == i:
				n.State[i] = committed
			}
			out = append(out, n)
		}
	}
	return out
}

func (e election) holds() bool {
	for i, p := range e.State {
		if p != committed {
			continue
		}
		for j, q := range e.State {
			if j != i && (q != aborted || j < i && e.Standing>>j&1 == 1) {
				return false
			}
		}
	}
	return true
}

func changRoberts() System {
	return System{Name: "ChangRoberts, 3 nodes", Source: examples + "chang_roberts/MCChangRoberts.cfg", System: relation[election](),
		States: 137}
}
