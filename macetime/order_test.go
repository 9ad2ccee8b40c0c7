package macetime_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/macetime"
)

// history executes a program of some steps over a model, driven by choices. Each step reads the clock, compares two
// times, drops one, or moves one. It returns the held times.
func history(m *macetime.Model, steps int, src choose.Source) (held []macetime.Time) {
	draw := func(n int) int { return src.Choose(choose.Point{Kind: choose.Draw, Arity: n}) }
	for range steps {
		switch i := draw(4); {
		case i == 0 || len(held) == 0:
			held = append(held, m.Now())
		case i == 1:
			at := draw(len(held))
			held = slices.Delete(held, at, at+1)
			m.Retain(held)
		case i == 2:
			at := draw(len(held))
			held = append(held, held[at].Add(1))
		case len(held) > 1:
			a := draw(len(held))
			b := (a + 1 + draw(len(held)-1)) % len(held)
			m.Before(held[a], held[b], func([]int) int { return draw(2) })
		}
	}
	return held
}

// behaviour describes the comparisons of every two times that are held, or are read next, under small moves.
func behaviour(m *macetime.Model, held []macetime.Time) string {
	var b strings.Builder
	var probe macetime.Model
	now := func() { probe.CopyFrom(m) }
	now()
	all := append(slices.Clone(held), probe.Now())
	for _, x := range all {
		for _, y := range all {
			for move := time.Duration(-3); move <= 3; move++ {
				now()
				probe.Now()
				answer := byte('?')
				open := false
				yes := probe.Before(x.Add(move), y, func([]int) int { open = true; return 0 })
				switch {
				case yes:
					answer = '<'
				case !open:
					answer = '-'
				}
				b.WriteByte(answer)
			}
		}
	}
	return b.String()
}

// equated reports whether times of different readings are known to be the same instant.
func equated(m *macetime.Model, held []macetime.Time) bool {
	var probe macetime.Model
	probe.CopyFrom(m)
	for _, x := range held {
		for _, y := range held {
			for move := time.Duration(-3); move <= 3; move++ {
				i, _, _ := x.Raw()
				j, _, _ := y.Raw()
				open := false
				ask := func([]int) int { open = true; return 0 }
				if i != j && !probe.Before(x.Add(move), y, ask) && !probe.Before(y, x.Add(move), ask) && !open {
					return true
				}
				probe.CopyFrom(m)
			}
		}
	}
	return false
}

// Over all small histories, clocks with equal encodings behave alike. Clocks that behave alike have equal encodings,
// unless they hold one instant as times of different readings.
func TestAppendOrderIsExact(t *testing.T) {
	var e choose.Enumerate
	byEncoding, byBehaviour := map[string]string{}, map[string]string{}
	histories := 0
	for e.Next() {
		var m macetime.Model
		held := history(&m, 5, &e)
		histories++
		distinct := slices.Clone(held)
		slices.SortStableFunc(distinct, func(a, b macetime.Time) int {
			return slices.Index(held, a) - slices.Index(held, b)
		})
		distinct = slices.Compact(distinct)
		// With the positions, as the state's encoding has them.
		code := ""
		for _, h := range held {
			code += fmt.Sprint(slices.Index(distinct, h), " ")
		}
		code += fmt.Sprintf("%x", m.AppendOrder(nil, distinct))
		b := fmt.Sprint(len(held), behaviour(&m, held))
		if other, ok := byEncoding[code]; ok && other != b {
			t.Fatalf("path %v: encoded like a clock that behaves otherwise: %s\n%s\n%s", e.Path(), code, b, other)
		}
		byEncoding[code] = b
		if equated(&m, held) {
			continue
		}
		if other, ok := byBehaviour[b]; ok && other != code {
			t.Fatalf("path %v: behaves like a clock that is encoded otherwise: %s\n%s\n%s", e.Path(), b, code, other)
		}
		byBehaviour[b] = code
	}
	t.Logf("%d histories, %d states", histories, len(byEncoding))
	if len(byEncoding) < 100 || histories < 10*len(byEncoding) {
		t.Errorf("%d histories lead to %d states: too few for a test", histories, len(byEncoding))
	}
}

// The encoding is independent of the numbers of readings, and of dropped times.
func TestAppendOrderDoesNotShowNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		var plain, shifted macetime.Model
		for range rapid.IntRange(1, 200).Draw(t, "more readings") {
			shifted.Now()
		}
		steps := rapid.IntRange(1, 30).Draw(t, "steps")
		a := history(&plain, steps, choose.NewRandom(seed, 0))
		b := history(&shifted, steps, choose.NewRandom(seed, 0))
		x, y := plain.AppendOrder(nil, a), shifted.AppendOrder(nil, b)
		if !slices.Equal(x, y) {
			t.Fatalf("%x for %v, %x for %v", x, a, y, b)
		}
		plain.Retain(a)
		if z := plain.AppendOrder(nil, a); !slices.Equal(x, z) {
			t.Fatalf("%x, after Retain %x", x, z)
		}
		plain.Tick()
		if z := plain.AppendOrder(nil, a); slices.Equal(x, z) {
			t.Fatal("the monotone counter is not encoded")
		}
	})
}

func TestAppendOrderOfOtherTimes(t *testing.T) {
	var m, other macetime.Model
	other.Reset(7)
	own, zero := m.Now(), macetime.Time{}
	codes := map[string]string{}
	for name, held := range map[string][]macetime.Time{
		"own": {own}, "zero": {zero}, "foreign": {other.Now()}, "foreign, zero": {other.Now(), zero},
	} {
		code := string(m.AppendOrder(nil, held))
		if twin, ok := codes[code]; ok {
			t.Errorf("%s and %s are encoded alike", name, twin)
		}
		codes[code] = name
	}
	if a, b := m.AppendOrder(nil, []macetime.Time{other.Now()}), m.AppendOrder(nil, []macetime.Time{own.Detach()}); !slices.Equal(a, b) {
		t.Error("two foreign times are encoded differently, although nothing is known of either")
	}
}
