//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"testing"
)

type benchFlat struct {
	A, B, C int
	D       int64
	E       uint32
	F       bool
	G       nodeID
	H       int32
}

type benchPeer struct {
	Last  uint64
	Alive bool
}

type benchState struct {
	ID      nodeID
	Term    uint64
	Voted   nodeID
	Joined  bool
	Name    string
	Peers   map[nodeID]benchPeer
	Store   map[string]int
	Log     []int
	Pending []benchPeer
	Words   []string
}

type benchRef struct {
	ID       nodeID
	Parent   *benchState
	Children []*benchState
	Last     any
	Seen     map[nodeID]struct{}
}

func newBenchState() *benchState {
	return &benchState{
		ID: 3, Term: 17, Voted: 2, Joined: true, Name: "node",
		Peers:   map[nodeID]benchPeer{0: {1, true}, 1: {5, true}, 2: {200, false}, 4: {3, true}, 5: {}},
		Store:   map[string]int{"a": 1, "bb": 2, "ccc": 3, "dddd": 4, "eeeee": 5},
		Log:     []int{1, 2, 3, 4, 5},
		Pending: []benchPeer{{1, true}, {2, false}, {3, true}, {4, true}, {5, false}},
		Words:   []string{"join", "reply", "probe", "root", "x"},
	}
}

func newBenchRef() *benchRef {
	s := newBenchState()
	return &benchRef{1, s, []*benchState{s, newBenchState()}, Ping{1}, map[nodeID]struct{}{1: {}, 2: {}, 3: {}}}
}

type Ping struct{ Seq int }

type benchValue struct {
	name string
	v    any
}

// benchValues builds the values anew, because values of a package variable would not be copied.
func benchValues() []benchValue {
	return []benchValue{
		{"flat", benchFlat{A: 1, B: 2, C: 300, E: 7, F: true, G: 4}},
		{"message", Ping{3}},
		{"state", newBenchState()},
		{"refs", newBenchRef()},
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, bv := range benchValues() {
		b.Run(bv.name, func(b *testing.B) {
			s := newSet(b)
			var e Encoder
			b.ReportAllocs()
			for b.Loop() {
				p, _ := s.Of(bv.v)
				e.Reset()
				e.Add(p, bv.v)
			}
		})
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, bv := range benchValues() {
		b.Run(bv.name, func(b *testing.B) {
			p := planOf(b, newSet(b), bv.v)
			b.ReportAllocs()
			for b.Loop() {
				p.Copy(bv.v)
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	v := newBenchState()
	enc := planOf(b, newSet(b), v).Append(nil, v)
	b.SetBytes(int64(len(enc)))
	b.ReportAllocs()
	for b.Loop() {
		Hash(1, enc)
	}
}

func BenchmarkOf(b *testing.B) {
	s, values := newSet(b), benchValues()
	for b.Loop() {
		for i := range values {
			if _, err := s.Of(values[i].v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
