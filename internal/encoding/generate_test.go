//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"math"
	"time"
)

// The generated values: a graph of nodes that refer to each other, to slices that may overlap, and
// to maps that may be one. They are a function of a tape of bytes, so that a value can be built
// twice, or with one byte changed.

type (
	nodeID int
	colour uint8
	label  string
	pair   struct {
		from, to nodeID
		tag      string
	}
	empty struct{}
	inner struct {
		half float32
		wave complex64
		deep struct {
			flag bool
			word uint16
		}
	}
	graph struct {
		inner
		id      nodeID
		tint    colour
		name    label
		weight  float64
		table   [3]int32
		pieces  [2]inner
		nums    []int
		more    []int
		words   []string
		raw     []byte
		tail    []byte
		nested  [][]int
		parts   []inner
		cursor  *int
		part    *inner
		next    *graph
		prev    *graph
		kids    []*graph
		count   map[string]int
		copied  map[string]int
		peers   map[nodeID]*graph
		set     map[nodeID]struct{}
		bools   map[colour]bool
		links   map[pair][]int
		mixed   map[any]label
		floats  map[float64]int8
		any1    any
		any2    any
		named   interface{ Tag() string }
		pause   time.Duration
		nothing empty
		blank   *empty
		_       [3]func()
		scratch int `macemc:"-"`
		huge    uint64
		self    **graph
	}
)

func (l label) Tag() string  { return string(l) }
func (g *graph) Tag() string { return string(g.name) }

// tape yields numbers from bytes; beyond its end, zeros.
type tape struct {
	bytes []byte
	at    int
}

func (t *tape) next(n int) int {
	if t.at >= len(t.bytes) {
		return 0
	}
	b := t.bytes[t.at]
	t.at++
	return int(b) % n
}

func (t *tape) text() string {
	return [...]string{"", "a", "b", "a b", "ab:c", "longer than eight", "longer than eighty", "\x00", "é"}[t.next(9)]
}

func (t *tape) float() float64 {
	return [...]float64{0, math.Copysign(0, -1), 1.5, math.NaN(), math.Inf(1), -3,
		math.Float64frombits(0x7ff8000000000099)}[t.next(7)]
}

func (t *tape) int() int { return [...]int{0, 1, -1, 2, 63, 64, -65, 1 << 40, math.MinInt}[t.next(9)] }

// build makes a graph from a tape.
func build(tapeBytes []byte) *graph {
	t := &tape{bytes: tapeBytes}
	nodes := make([]*graph, 1+t.next(5))
	block := make([]graph, 2)
	for i := range nodes {
		if i < 2 && t.next(4) == 1 {
			nodes[i] = &block[i]
		} else {
			nodes[i] = &graph{}
		}
	}
	ints := make([][]int, 3)
	for i := range ints {
		ints[i] = make([]int, t.next(6))
		for k := range ints[i] {
			ints[i][k] = t.int()
		}
	}
	bytes := []byte("some bytes")
	parts := make([]inner, 3)
	maps := []map[string]int{nil, {}, {"a": 1}, {"a": 1, "b": 2, "longer than eight": 3, "longer than eighty": 4}}
	peers := map[nodeID]*graph{}
	intSlice := func() []int {
		s := ints[t.next(len(ints))]
		switch t.next(6) {
		case 0:
			return nil
		case 1:
			return []int{}
		case 2:
			return s
		case 3:
			return append([]int(nil), s...)
		case 4:
			return s[:len(s)/2]
		}
		return s[len(s)/2:]
	}
	value := func(g *graph) any {
		switch t.next(14) {
		case 1:
			return t.int()
		case 2:
			return t.text()
		case 3:
			return label(t.text())
		case 4:
			return pair{nodeID(t.int()), 0, t.text()}
		case 5:
			return nodes[t.next(len(nodes))]
		case 6:
			return intSlice()
		case 7:
			return map[string]any{t.text(): t.int(), "x": intSlice()}
		case 8:
			return *nodes[0]
		case 9:
			return empty{}
		case 10:
			return []any{t.int(), nil, t.text()}
		case 11:
			return &pair{tag: t.text()}
		case 12:
			return [1]*graph{nodes[t.next(len(nodes))]}
		case 13:
			return maps[t.next(len(maps))]
		}
		return nil
	}
	for _, g := range nodes {
		g.id, g.tint, g.name = nodeID(t.int()), colour(t.next(256)), label(t.text())
		g.weight, g.half = t.float(), float32(t.float())
		g.wave = complex(float32(t.float()), 1)
		g.deep.flag, g.deep.word = t.next(2) == 1, uint16(t.int())
		g.table[t.next(3)] = int32(t.int())
		g.pieces[1].half = float32(t.next(2))
		g.nums, g.more = intSlice(), intSlice()
		for range t.next(3) {
			g.words = append(g.words, t.text())
			g.nested = append(g.nested, intSlice())
		}
		from := t.next(5)
		g.raw, g.tail = bytes[:from], bytes[from+t.next(2):]
		if t.next(2) == 1 {
			g.raw = []byte(t.text())
		}
		if t.next(2) == 1 {
			g.tail = g.tail[: len(g.tail)/2 : len(g.tail)/2+1]
		}
		if n := t.next(4); n > 0 {
			g.parts = parts[:n]
		}
		switch t.next(5) {
		case 1:
			g.cursor = new(int)
		case 2:
			if len(g.nums) > 0 {
				g.cursor = &g.nums[t.next(len(g.nums))]
			}
		case 3:
			g.cursor = (*int)(&nodes[t.next(len(nodes))].id)
		}
		switch t.next(5) {
		case 1:
			g.part = &parts[t.next(3)]
		case 2:
			g.part = &nodes[t.next(len(nodes))].inner
		case 3:
			g.part = &g.pieces[t.next(2)]
		}
		if t.next(2) == 1 {
			g.next = nodes[t.next(len(nodes))]
		}
		if t.next(2) == 1 {
			g.prev = nodes[t.next(len(nodes))]
		}
		for range t.next(3) {
			g.kids = append(g.kids, nodes[t.next(len(nodes))])
		}
		g.count, g.copied = maps[t.next(len(maps))], maps[t.next(len(maps))]
		if t.next(2) == 1 {
			g.peers = peers
		}
		if t.next(3) > 0 {
			g.set, g.bools = map[nodeID]struct{}{}, map[colour]bool{}
			for range t.next(20) {
				g.set[nodeID(t.int())] = struct{}{}
				g.bools[colour(t.next(256))] = t.next(2) == 1
			}
		}
		if t.next(3) == 1 {
			g.links = map[pair][]int{{1, 2, t.text()}: intSlice(), {2, 1, ""}: nil}
			g.mixed = map[any]label{t.int(): "a", t.text(): "b", pair{tag: t.text()}: "c", nil: "d"}
			g.floats = map[float64]int8{1.5: int8(t.int())}
		}
		g.any1, g.any2 = value(g), value(g)
		switch t.next(4) {
		case 1:
			g.named = label(t.text())
		case 2:
			g.named = nodes[t.next(len(nodes))]
		}
		g.pause = time.Duration(t.next(3))
		if t.next(2) == 1 {
			g.blank = &empty{}
		}
		g.scratch = t.next(9)
		g.huge = uint64(t.int())
		if t.next(4) == 1 {
			g.self = &g.next
		}
	}
	for i := range t.next(4) {
		peers[nodeID(i)] = nodes[t.next(len(nodes))]
	}
	return nodes[0]
}

func nan() float64 { return math.NaN() }
