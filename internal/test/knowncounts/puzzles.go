package knowncounts

import "math/bits"

// jugs hold 5 and 3 gallons; the goal is 4.
type jugs struct{ Big, Small int }

func (jugs) first(drawer) jugs { return jugs{} }

func (j jugs) next() []jugs {
	toBig, toSmall := min(j.Small, 5-j.Big), min(j.Big, 3-j.Small)
	return []jugs{
		{5, j.Small}, {j.Big, 3}, {0, j.Small}, {j.Big, 0},
		{j.Big + toBig, j.Small - toBig}, {j.Big - toSmall, j.Small + toSmall},
	}
}

func (j jugs) holds() bool { return j.Big != 4 }

// dieHard has 16 states, and reaches 4 gallons after 6 steps.
func dieHard() System {
	return System{Name: "DieHard", Source: examples + "DieHard/DieHard.tla", System: relation[jugs](), States: 16, Depth: 6}
}

// can holds beans. A step replaces two of them by one.
type can struct{ Black, White int }

func (can) first(draw drawer) can {
	beans := 1 + draw(100)
	black := draw(beans + 1)
	return can{black, beans - black}
}

func (c can) next() (out []can) {
	if c.Black >= 2 {
		out = append(out, can{c.Black - 1, c.White})
	}
	if c.White >= 2 {
		out = append(out, can{c.Black + 1, c.White - 2})
	}
	if c.Black >= 1 && c.White >= 1 {
		out = append(out, can{c.Black - 1, c.White})
	}
	return out
}

func (c can) holds() bool { return c.Black+c.White >= 1 }

// coffeeCan starts with 1 to 100 beans.
func coffeeCan() System {
	return System{Name: "CoffeeCan", Source: examples + "CoffeeCan/CoffeeCan100Beans.cfg", System: relation[can](), States: 5150}
}

// grid has 4 x 4 cells, one bit each.
type grid uint16

func (grid) first(draw drawer) grid { return grid(draw.bits(16)) }

func (g grid) alive(x, y int) int {
	if x < 0 || y < 0 || x > 3 || y > 3 {
		return 0
	}
	return int(g>>(4*y+x)) & 1
}

func (g grid) next() []grid {
	var after grid
	for y := range 4 {
		for x := range 4 {
			n := -g.alive(x, y)
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					n += g.alive(x+dx, y+dy)
				}
			}
			if n == 3 || n == 2 && g.alive(x, y) == 1 {
				after |= 1 << (4*y + x)
			}
		}
	}
	return []grid{after}
}

func (g grid) holds() bool { return true }

// gameOfLife starts with any grid.
func gameOfLife() System {
	return System{Name: "GameOfLife 4x4", Source: examples + "GameOfLife/GameOfLife.cfg", System: relation[grid](), States: 65_536}
}

// hunt searches for a cat in six boxes by looking into the inner four.
type hunt struct {
	Cat, Look int
	Right     bool
}

func (hunt) first(draw drawer) hunt { return hunt{1 + draw(6), 2 + draw(4), draw(2) == 1} }

func (h hunt) next() (out []hunt) {
	look, right := h.Look-1, h.Right
	if right {
		look = h.Look + 1
	}
	if look < 2 || look > 5 {
		look, right = h.Look, !right
	}
	for _, c := range []int{h.Cat - 1, h.Cat + 1} {
		if c >= 1 && c <= 6 {
			out = append(out, hunt{c, look, right})
		}
	}
	return out
}

func (hunt) holds() bool { return true }

func cat() System {
	return System{Name: "Cat, 6 boxes", Source: examples + "Moving_Cat_Puzzle/EvenBoxes.cfg", System: relation[hunt](), States: 48}
}

// room has two switches. Each of four prisoners, except the counter, which has no entry, turns A on twice.
type room struct {
	A, B  bool
	Times [3]int
	Count int
}

func (room) first(draw drawer) room { return room{A: draw(2) == 1, B: draw(2) == 1} }

func (r room) next() (out []room) {
	counter := r
	if r.A {
		counter.A, counter.Count = false, r.Count+1
	} else {
		counter.B = !r.B
	}
	out = append(out, counter)
	for i := range r.Times {
		other := r
		if !r.A && r.Times[i] < 2 {
			other.A = true
			other.Times[i]++
		} else {
			other.B = !r.B
		}
		out = append(out, other)
	}
	return out
}

func (r room) holds() bool {
	done := r.Count == 2*len(r.Times)
	for _, n := range r.Times {
		if done && n == 0 {
			return false
		}
	}
	return true
}

func prisoners() System {
	return System{Name: "Prisoners", Source: examples + "Prisoners/Prisoners.cfg", System: relation[room](), States: 214}
}

// lamp is a room with one switch and three prisoners. The lamp is known to be off at first.
type lamp struct {
	Count          int
	Lit, Announced bool
	Signalled      uint // bit i: prisoner i has lit the lamp
	Visited        uint
}

func (lamp) first(drawer) lamp { return lamp{Count: 1} }

func (l lamp) next() (out []lamp) {
	for p := range 3 {
		n := l
		n.Visited |= 1 << p
		switch {
		case p == 0: // the counter
			if l.Lit {
				n.Lit, n.Count = false, l.Count+1
			}
			n.Announced = n.Count >= 3
		case !l.Lit && l.Signalled>>p&1 == 0:
			n.Lit, n.Signalled = true, l.Signalled|1<<p
		}
		out = append(out, n)
	}
	return out
}

func (l lamp) holds() bool { return !l.Announced || bits.OnesCount(l.Visited) == 3 }

func singleSwitch() System {
	return System{Name: "Prisoners, single switch", Source: examples + "Prisoners_Single_Switch/Prisoner.cfg",
		System: relation[lamp](), States: 16}
}
