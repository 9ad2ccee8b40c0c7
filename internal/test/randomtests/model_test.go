package randomtests

import (
	"fmt"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
)

// The ends of small programs are those that a reader finds.
func TestProgram_Ends(t *testing.T) {
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, name := range names {
			m[name] = true
		}
		return m
	}
	locks := func(a, b int) []op {
		return []op{{kind: lock, arg: a}, {kind: lock, arg: b}, {kind: unlock, arg: b}, {kind: unlock, arg: a}}
	}
	for _, c := range []struct {
		name    string
		program Program
		want    Ends
	}{
		{"two additions", Program{goroutines: [][]op{{{kind: add}}, {{kind: add}}}}, Ends{set("b|c", "c|b"), set(), true}},
		{"a failure", Program{goroutines: [][]op{{{kind: add}}, {{kind: add}}}, want: "c|b"}, Ends{set("b|c", "c|b"), set("FAILED TEST"), true}},
		{"opposite locks", Program{goroutines: [][]op{locks(0, 1), locks(1, 0)}}, Ends{set("aaaa|aaaa"), set("DEADLOCK"), true}},
		{"a lost receiver", Program{goroutines: [][]op{{}, {{kind: receive}}}, loose: true}, Ends{set(""), set("LEAK"), false}},
		{"a send and a close", Program{goroutines: [][]op{{{kind: closing, arg: buffered}}, {{kind: send, arg: buffered}}}},
			Ends{set("a|e"), set("PANIC", "DATA RACE"), false}},
		{"a write and a read", Program{goroutines: [][]op{{{kind: write}}, {{kind: read}}}}, Ends{set("a|a", "a|b"), set("DATA RACE"), false}},
		{"a guarded write", Program{goroutines: [][]op{{{kind: lock}, {kind: write}, {kind: unlock}}, {{kind: lock}, {kind: read}, {kind: unlock}}}},
			Ends{set("aaa|aaa", "aaa|aba"), set(), true}},
		{"two ready cases", Program{goroutines: [][]op{{{kind: send, arg: buffered}, {kind: cancel}, {kind: choose, arms: []arm{{channel: buffered}, {channel: child}}}}}},
			Ends{set("eab", "eaf"), set(), true}},
		{"two timers", Program{goroutines: [][]op{{{kind: choose, arms: []arm{{channel: -1}, {channel: -1}}}}}}, Ends{set("a", "f"), set(), true}},
		{"one channel twice", Program{goroutines: [][]op{{{kind: receive}}, {{kind: choose, arms: []arm{{plain, true}, {plain, true}}}}}},
			Ends{set("c|e", "c|j"), set(), true}},
		{"a waiting writer", Program{goroutines: [][]op{{{kind: rlock}, {kind: rlock}, {kind: runlock}, {kind: runlock}}, {{kind: wlock}, {kind: wunlock}}}},
			Ends{set("aaaa|aa"), set("DEADLOCK"), true}},
		{"a signal", Program{goroutines: [][]op{{{kind: kill}, {kind: choose, arms: []arm{{channel: signals}}, fallback: true}}}}, Ends{set("ad", "au"), set(), true}},
	} {
		if got := c.program.Ends(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Time passes at any point of delayed runs.
func TestProgram_DelayedEnds(t *testing.T) {
	p := Program{goroutines: [][]op{{{kind: add}}, {{kind: sleep}, {kind: add}}}}
	usual, delayed := p.Ends(), Ends{map[string]bool{"b|ac": true, "c|ab": true}, map[string]bool{}, true}
	if got, ok := p.DelayedEnds(); !ok || !reflect.DeepEqual(got, delayed) || usual.Results["c|ab"] {
		t.Errorf("delayed %+v, %v, else %+v", got, ok, usual)
	}
}

// The timer of a select may expire before the select begins.
func TestProgram_ExpiredBeforeSelect(t *testing.T) {
	p := Program{goroutines: [][]op{{{kind: choose, arms: []arm{{channel: -1}}, fallback: true}}}}
	if got, ok := p.DelayedEnds(); !ok || len(got.Results) != 2 || len(p.Ends().Results) != 1 {
		t.Errorf("delayed %+v, %v, else %+v", got, ok, p.Ends())
	}
}

// The source of random programs is a package, and the same for the same seed.
func TestSource_Parses(t *testing.T) {
	programs := func() (all []*Program) {
		for n := range 50 {
			all = append(all, Random(uint64(n), Options{Plain: n%2 > 0}))
		}
		return all
	}
	text := Source(programs())
	if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if again := Source(programs()); again != text {
		t.Error("another text for the same seeds")
	}
	if got := fmt.Sprint(Random(7, Options{})); got != fmt.Sprint(Random(7, Options{})) {
		t.Error(got)
	}
}
