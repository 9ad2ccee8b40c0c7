package explore

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// shown is a judge that is shown all states several times, up and down, and compares what it is shown with the edges that the graph was drawn
// with. It wants some of the rows to be kept, and now and then all are let go of.
type shown struct {
	g       *randomGraph
	loop    *Loop
	numbers map[int]uint32 // by state: in the order of a dumb search
	order   []int
	every   uint32 // one of so many states is not wanted
	names   bool
	forget  uint32 // the state at which all rows are let go of while states are visited
	drop    int    // the pass before which all rows are let go of; -1: none
	within  int    // the pass in which they are, while one is shown; -1: none
	spoil   func(row, names []uint32)
	early   int // rows that were kept before anything was shown
	long    int // of these, of more than three edges
	failed  error
}

func (*shown) Bytes() int             { return 0 }
func (j *shown) Wants(id uint32) bool { return id%j.every != 0 }
func (j *shown) Names() bool          { return j.names }
func (j *shown) Met(id uint32, _ bool, _ uint8) error {
	if id == j.forget {
		j.loop.rows.drop()
	}
	return nil
}

func (j *shown) Judge(ctx context.Context, s *Space) error {
	if int(s.Len()) != len(j.order) {
		return fmt.Errorf("%d states, not %d", s.Len(), len(j.order))
	}
	for id := range s.Len() {
		if r := &j.loop.rows; r.has(id) {
			j.early++
			row := r.of(id, false)
			if len(row) > 3 {
				j.long++
			}
			if j.spoil != nil {
				j.spoil(row, r.of(id, true)[len(row):])
			}
		}
	}
	for pass, down := range []bool{true, false, true, false} {
		if pass == j.drop {
			j.loop.rows.drop()
		}
		wanted := func(id uint32) bool { return pass > 0 || id%3 != 0 }
		var ids []uint32
		err := s.Pass(ctx, down, wanted, func(id uint32, row Shown, to []uint32) {
			if ids = append(ids, id); pass == j.within && len(ids) == int(s.Len())/2 {
				j.loop.rows.drop()
			}
			if err := j.compare(id, row, to); err != nil && j.failed == nil {
				j.failed = fmt.Errorf("pass %d: state %d: %w", pass, id, err)
			}
		})
		if err != nil {
			return err
		}
		var want []uint32
		for id := range s.Len() {
			if !s.Holds() || wanted(id) {
				want = append(want, id)
			}
		}
		if down && s.Holds() {
			slices.Reverse(want)
		}
		if !s.Holds() { // others are shown on the way
			ids, want = slices.DeleteFunc(ids, func(id uint32) bool { return !wanted(id) }), slices.DeleteFunc(want, func(id uint32) bool { return !wanted(id) })
		}
		if !slices.Equal(ids, want) && j.failed == nil {
			j.failed = fmt.Errorf("pass %d shows %v, not %v", pass, ids, want)
		}
	}
	return nil
}

// compare compares what is shown of a state with its edges.
func (j *shown) compare(id uint32, row Shown, to []uint32) error {
	n := j.order[id]
	if !slices.Equal(row.From(), j.g.state(n)) {
		return fmt.Errorf("is %v, not %v", row.From(), j.g.state(n))
	}
	if len(to) != len(j.g.edges[n]) {
		return fmt.Errorf("has %d edges, not %d", len(to), len(j.g.edges[n]))
	}
	for k, edge := range j.g.edges[n] {
		if j.names && row.Names()[k] != edgeName(n, k) {
			return fmt.Errorf("edge %d is named %x", k, row.Names()[k])
		}
		if to[k] != j.numbers[edge.to] || row.Recovers(k) != edge.recovery {
			return fmt.Errorf("edge %d leads to %d, recovery %v, not to %d, %v", k, to[k], row.Recovers(k), j.numbers[edge.to], edge.recovery)
		}
	}
	return nil
}

// show has states shown, and returns what differs.
func (j *shown) show(opts Options) error {
	return j.over(&readGraph{randomGraph: j.g, width: 10, verified: map[int]int{}}, opts)
}

func (j *shown) over(g Graph, opts Options) error {
	j.numbers, j.order = map[int]uint32{}, j.g.dumb(0).order
	for k, n := range j.order {
		j.numbers[n] = uint32(k)
	}
	opts.Judge = j
	l, err := New(g, opts)
	if err != nil {
		return err
	}
	j.loop = l
	out := l.Run(context.Background())
	return cmp.Or(out.Err, j.failed)
}

func drawShown(seed uint64) *randomGraph {
	g := rapid.Custom(drawGraph).Example(int(seed))
	rnd := rand.New(rand.NewPCG(seed, 2))
	for n := range g.edges { // long rows, that are seldom drawn
		for range rnd.IntN(6) {
			g.edges[n] = append(g.edges[n], randomEdge{rnd.IntN(len(g.edges)), rnd.IntN(2) == 0})
		}
	}
	g.bad, g.failing = -1, -1
	if seed%2 == 0 {
		g.sleep(0, rnd)
	}
	return g
}

// What is shown of states is what the graph was drawn with, and in order: whichever rows are kept, whenever they are let go of, and for any number
// of workers.
func TestRowsAreThoseOfTheGraph(t *testing.T) {
	early, long := 0, 0
	for seed := range uint64(24) {
		g := drawShown(seed)
		for _, set := range VisitedSets {
			for drop := -1; drop < 4; drop++ {
				for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
					j := &shown{g: g, every: 1 + uint32(seed%4), names: seed%3 != 1, drop: drop, within: -1, forget: 1 << 30}
					if drop > 0 {
						j.forget = uint32(int(seed)*drop) % uint32(len(g.edges))
					}
					little := FrontierKind{Name: "little", Shortest: true, New: func(words int) Frontier { return little{newQueue(words).(*queue)} }}
					if err := j.show(Options{Visited: set, Go: workers, Frontier: little}); err != nil {
						t.Fatalf("seed %d, %s, let go of in pass %d: %v", seed, set.Name, drop, err)
					}
					early, long = early+j.early, long+j.long
				}
			}
		}
	}
	if early == 0 || long < early/10 {
		t.Errorf("%d rows were kept, %d of them long", early, long)
	}
}

// So it is when a pass has more edges than are looked up together, some of which are of states whose rows are not kept, and when rows are let go of while one is shown.
func TestRowsOfManyBatches(t *testing.T) {
	const states = 240
	g, rnd := &randomGraph{words: 5, roots: []int{0}, edges: make([][]randomEdge, states), live: make([]bool, states), bad: -1, failing: -1}, rand.New(rand.NewPCG(1, 2))
	for n := range g.edges {
		g.edges[n] = append(g.edges[n], randomEdge{(n + 1) % states, true})
		for range 560 + rnd.IntN(60) { // so many that the rows are not the collector's
			g.edges[n] = append(g.edges[n], randomEdge{rnd.IntN(states), rnd.IntN(2) == 0})
		}
	}
	for _, set := range VisitedSets {
		for within := -1; within < 4; within++ {
			for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
				j := &shown{g: g, every: 5, names: true, drop: -1, within: within, forget: 1 << 30}
				if err := j.show(Options{Visited: set, Go: workers}); err != nil {
					t.Fatalf("%s, let go of in pass %d: %v", set.Name, within, err)
				}
			}
		}
	}
}

// What is wrong in one row is noticed: an edge that leads elsewhere, in rows of any length, or whose mark is lost.
func TestSpoiltRowsAreNoticed(t *testing.T) {
	for name, spoil := range map[string]func(row, names []uint32) bool{
		"the last edge of a long row is redirected": func(row, _ []uint32) bool {
			if len(row) < 4 {
				return false
			}
			row[len(row)-1] ^= 1
			return true
		},
		"the only edge is redirected": func(row, _ []uint32) bool {
			if len(row) != 1 {
				return false
			}
			row[0] ^= 1
			return true
		},
		"a mark of recovery is lost": func(row, _ []uint32) bool {
			k := slices.IndexFunc(row, func(edge uint32) bool { return edge&kept != 0 })
			if k >= 0 {
				row[k] &^= kept
			}
			return k >= 0
		},
		"a name is another one": func(row, names []uint32) bool {
			if len(row) > 0 {
				names[len(row)-1]++
			}
			return len(row) > 0
		},
	} {
		spoilt := 0
		for seed := range uint64(30) {
			done := false
			j := &shown{g: drawShown(seed), every: 1 << 30, names: true, drop: -1, within: -1, forget: 1 << 30, spoil: func(row, names []uint32) {
				done = done || spoil(row, names)
			}}
			err := j.show(Options{})
			if done {
				spoilt++
			}
			if done != (err != nil) {
				t.Fatalf("%s: seed %d: %v, and noticed is %v", name, seed, done, err)
			}
		}
		if spoilt == 0 {
			t.Errorf("%s in no graph", name)
		}
	}
}

// A row says of each edge where it leads, which may be no state that was visited, and whether it is one of recovery.
func TestRowIsKept(t *testing.T) {
	l := &Loop{}
	l.out.States = 9
	s, r := &Space{loop: l}, &l.rows
	notes, to := []uint8{Recovery | 3, 3, Recovery, 0}, []uint32{8, 7, NoPlace, NoPlace}
	l.names = true
	l.keepRow(4, notes, to, []uint32{4, 3, 2, 1})
	l.keepRow(2, nil, nil, nil)
	row := r.of(4, true)
	if got := placesOf(row[:4], nil); !slices.Equal(got, to) || !slices.Equal(row[4:], []uint32{4, 3, 2, 1}) || !r.has(2) || r.has(3) {
		t.Errorf("%v, %v", got, row)
	}
	for k := range to {
		if shown := (Shown{space: s, kept: row}); shown.Recovers(k) != (notes[k]&Recovery != 0) {
			t.Errorf("edge %d", k)
		}
	}
	if row := r.of(2, true); len(row) > 0 {
		t.Errorf("%v", row)
	}
}

// sheet is a graph of pairs of numbers, each of which grows, or falls back to half.
type sheet struct {
	randomGraph
	limit func() error
}

const sheetSide = 120

func (*sheet) Words() int          { return 2 }
func (*sheet) Together() [][]int32 { return nil }
func (*sheet) Fingerprint(v []uint32) Fingerprint {
	return Fingerprint{Lo: hash(uint64(v[0])<<32 | uint64(v[1]) + 1), Hi: uint64(v[0])<<32 | uint64(v[1])}
}

func (s *sheet) Roots(e *Edges) error {
	e.End(s.Fingerprint([]uint32{0, 0}), 0)
	return nil
}

func (s *sheet) Expand(v []uint32, _ int, e *Edges) error {
	if v[0]%32 == 0 {
		if err := s.limit(); err != nil {
			return err
		}
	}
	to := func(word int, value uint32, note uint8) {
		next := slices.Clone(v)
		next[word] = value
		e.Change(word, value)
		e.End(s.Fingerprint(next), note)
	}
	for word := range v {
		if v[word] < sheetSide-1 {
			to(word, v[word]+1, Recovery*uint8(word))
		}
		to(word, v[word]/2, Recovery)
	}
	return nil
}

func (*sheet) Check(m *Met) (bool, error) { return m.State[0] > 100 && m.State[1] == 3, nil }

// hungry looks for dead states, twice, and at what memory is taken when it is shown something.
type hungry struct {
	DeadStates
	own, takes, most, kept int
	bare                   int // states that were shown without edges

	every uint32
	loop  *Loop
}

// Wants leaves some out, so that some rows are kept and others are not.
func (h *hungry) Wants(id uint32) bool { return id%h.every != 0 }

func (h *hungry) Met(id uint32, live bool, note uint8) error {
	h.kept = max(h.kept, h.loop.rows.bytes())
	return h.DeadStates.Met(id, live, note)
}

func (h *hungry) Bytes() int { return h.DeadStates.Bytes() + h.own }

func (h *hungry) Judge(ctx context.Context, s *Space) error {
	for pass := range 2 {
		err := s.Pass(ctx, true, func(uint32) bool { return true }, func(id uint32, _ Shown, to []uint32) {
			if len(to) < 2 {
				h.bare++
			}
			if pass == 1 || id < s.Len()/2 {
				h.own = h.takes
			}
			if id%16 == 0 {
				h.most, h.kept = max(h.most, s.loop.inUse()), max(h.kept, s.loop.rows.bytes())
			}
		})
		if err != nil {
			return err
		}
	}
	return h.DeadStates.Judge(ctx, s)
}

// Judges keep to the memory that there is: what was kept is let go of, and where that does not suffice they stop. What they find is the
// same, whatever was kept.
func TestJudgesKeepToTheMemory(t *testing.T) {
	for _, every := range []uint32{1 << 30, 3} {
		judgesKeepToTheMemory(t, every)
	}
}

func judgesKeepToTheMemory(t *testing.T, every uint32) {
	run := func(most, takes int, set VisitedSet) (*hungry, Result) {
		h := &hungry{takes: takes, every: every}
		g := &sheet{}
		l, err := New(g, Options{Judge: h, MaxBytes: most, Visited: set})
		if err != nil {
			t.Fatal(err)
		}
		h.loop, g.limit = l, func() error { return l.Limit(context.Background()) }
		return h, l.Run(context.Background())
	}
	for _, set := range VisitedSets {
		if every == 3 && set.Name != "exact" {
			continue // nothing is kept
		}
		free, out := run(0, 0, set)
		if !free.Checked || free.Dead == 0 || out.States != sheetSide*sheetSide || (free.kept > 0) != (set.Name == "exact") {
			t.Fatalf("%s: %+v, %+v", set.Name, free, out)
		}
		some, all := 0, 0
		for most := out.Bytes; most < out.Bytes+2<<20; most += 250_000 {
			h, x := run(most, 0, set)
			switch {
			case x.Stopped == "memory":
				continue
			case h.bare > 0:
				t.Errorf("%s: %d states are shown without edges", set.Name, h.bare)
			case h.most > most:
				t.Errorf("%s: %d bytes in use, of %d", set.Name, h.most, most)
			case h.Checked && (h.Dead != free.Dead || h.Nearest != free.Nearest):
				t.Errorf("%s: %d are dead, not %d", set.Name, h.Dead, free.Dead)
			}
			if h.kept > 0 && h.kept < free.kept {
				some++
			} else if h.kept == free.kept {
				all++
			}
		}
		if h, x := run(out.Bytes+2<<20, 3<<20, set); h.Checked || h.Dead > 0 || x.Err != nil || !x.Complete {
			t.Errorf("%s: without memory %v, %d are dead", set.Name, h.Checked, h.Dead)
		}
		if h, _ := run(out.Bytes+3<<19, 900<<10, set); !h.Checked || h.Dead != free.Dead {
			t.Errorf("%s: with what was kept let go of %v, %d are dead", set.Name, h.Checked, h.Dead)
		} else if h.bare > 0 {
			t.Errorf("%s: %d states are shown without edges", set.Name, h.bare)
		}
		if set.Name == "exact" && (some == 0 || all == 0) {
			t.Errorf("%s: %d times something was kept, %d times all", set.Name, some, all)
		}
	}
}
