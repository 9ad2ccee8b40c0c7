package shrink_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/internal/test/cases"
	"github.com/macemc/macemc/sim"
	"pgregory.net/rapid"
)

// The oracle supports only automata: a run is a list of moves with their picks.
type move struct{ number, pick int }

// follow goes the moves that fit, like tolerant execution does, and returns them and the states after
// them. It stops in a bad state.
func follow(tab *automaton.Table, moves []move) (taken []move, states []int) {
	state := 0
	for _, m := range moves {
		if slices.Contains(tab.Bad, state) {
			break
		}
		if tab.Moves[m.number].From != state {
			continue
		}
		state = tab.Moves[m.number].To[m.pick]
		taken, states = append(taken, m), append(states, state)
	}
	return taken, states
}

// path is the path of moves that fit.
func pathOf(tab *automaton.Table, moves []move) choose.Path {
	var path choose.Path
	state := 0
	for _, m := range moves {
		index := int32(0)
		for i := range m.number {
			if tab.Moves[i].From == state {
				index++
			}
		}
		path = append(path, index)
		if len(tab.Moves[m.number].To) > 1 {
			path = append(path, int32(m.pick))
		}
		state = tab.Moves[m.number].To[m.pick]
	}
	return path
}

// movesOf is the inverse of pathOf.
func movesOf(tab *automaton.Table, path choose.Path) (moves []move) {
	state := 0
	for at := 0; at < len(path); {
		index := int(path[at])
		at++
		for i, m := range tab.Moves {
			if m.From != state {
				continue
			}
			if index--; index >= 0 {
				continue
			}
			next := move{number: i}
			if len(m.To) > 1 {
				next.pick = int(path[at])
				at++
			}
			moves, state = append(moves, next), m.To[next.pick]
			break
		}
	}
	return moves
}

// draw draws an automaton and moves in it, up to a state that stop accepts, or returns nil.
func draw(t *rapid.T, bad []int, live []int, stop func(tab *automaton.Table, state int) bool) (automaton.Table, []move) {
	states := rapid.IntRange(3, 8)
	tab := automaton.Table{Bad: bad, Live: live}
	for range rapid.IntRange(3, 14).Draw(t, "moves") {
		m := automaton.Move{From: states.Draw(t, "from") - 3}
		for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
			m.To = append(m.To, states.Draw(t, "to")-3)
		}
		tab.Moves = append(tab.Moves, m)
	}
	var moves []move
	for state := 0; len(moves) < 60; {
		if stop(&tab, state) {
			return tab, moves
		}
		var fit []int
		for i, m := range tab.Moves {
			if m.From == state {
				fit = append(fit, i)
			}
		}
		if len(fit) == 0 {
			break
		}
		m := move{number: rapid.SampledFrom(fit).Draw(t, "move")}
		m.pick = rapid.IntRange(0, len(tab.Moves[m.number].To)-1).Draw(t, "pick")
		moves, state = append(moves, m), tab.Moves[m.number].To[m.pick]
	}
	return tab, nil
}

// A shrunk run still violates, and does not when any one of its steps is dropped.
func TestSafetyIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := []int{5}
		tab, moves := draw(t, bad, nil, func(_ *automaton.Table, state int) bool { return slices.Contains(bad, state) })
		if len(moves) == 0 {
			t.Skip("the bad state was not reached")
		}
		r, err := shrink.Run(t.Context(), shrink.Config{Walks: critical.Config{System: tab.System()}, Path: pathOf(&tab, moves), Finding: safe})
		if err != nil {
			t.Fatal(err)
		}
		small := movesOf(&tab, r.Path)
		violates := func(moves []move) bool {
			_, states := follow(&tab, moves)
			return len(states) > 0 && slices.Contains(bad, states[len(states)-1])
		}
		if taken, _ := follow(&tab, small); len(taken) != len(small) || !violates(small) || len(small) != r.Steps || r.Steps > len(moves) || r.From != len(moves) {
			t.Fatalf("%v was shrunk to %v: %+v", moves, small, r)
		}
		for i := range small {
			if violates(slices.Concat(small[:i], small[i+1:])) {
				t.Fatalf("step %d of %v can be dropped", i+1, small)
			}
		}
		if !r.Minimal {
			t.Error("not reported as minimal")
		}
	})
}

// chances are, for each state, the probability that a walk gets live, computed by iteration.
func chances(tab *automaton.Table) (p [6]float64) {
	for range 2000 {
		for s := range p {
			if slices.Contains(tab.Live, s) {
				p[s] = 1
				continue
			}
			sum, n := 0.0, 0
			for _, m := range tab.Moves {
				if m.From == s {
					of := 0.0
					for _, to := range m.To {
						of += p[to]
					}
					sum, n = sum+of/float64(len(m.To)), n+1
				}
			}
			if n > 0 {
				p[s] = sum / float64(n)
			}
		}
	}
	return p
}

// A shrunk dead run is dead after its critical step and not before, exactly; and of the steps to the
// critical one none can be dropped such that this step still does it.
func TestDeadIsMinimal(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cases.Check(t, 30, func(t *rapid.T) {
		live := []int{5}
		tab, moves := draw(t, nil, live, func(tab *automaton.Table, state int) bool { return chances(tab)[state] == 0 })
		if len(moves) == 0 {
			t.Skip("no dead state was reached, or the first one is dead")
		}
		p := chances(&tab)
		for _, x := range p {
			if 0 < x && x < 0.25 {
				t.Skip("a state recovers too seldom for few walks")
			}
		}
		sys := tab.System()
		// A dead end, or a tail of moves forever.
		state := tab.Moves[moves[len(moves)-1].number].To[moves[len(moves)-1].pick]
		kind := sim.Deadlock
		long := slices.Clone(moves)
		for range 200 {
			i := slices.IndexFunc(tab.Moves, func(m automaton.Move) bool { return m.From == state })
			if i < 0 {
				break
			}
			long, state = append(long, move{number: i}), tab.Moves[i].To[0]
		}
		if len(long) == len(moves)+200 {
			kind = sim.Liveness
		}
		cfg := critical.Config{System: sys, Path: pathOf(&tab, long), WalkSteps: 200, Walks: 60, Workers: 1}
		dead, err := critical.Find(t.Context(), cfg)
		if err != nil || dead.Case != critical.Located || dead.Step != len(moves) {
			t.Fatalf("%v: %+v, %v", moves, dead, err)
		}
		r, err := shrink.Run(t.Context(), shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: kind, Property: "live"}})
		if err != nil {
			t.Fatal(err)
		}
		small := movesOf(&tab, r.Path)
		cause := small[:r.Dead.Step]
		last := cause[len(cause)-1].number
		kills := func(moves []move) bool {
			taken, states := follow(&tab, moves)
			n := len(taken)
			return n > 0 && taken[n-1].number == last && p[states[n-1]] == 0 && (n == 1 || p[states[n-2]] > 0) && p[0] > 0
		}
		if taken, _ := follow(&tab, small); len(taken) != len(small) || !kills(cause) || len(cause) > len(moves) || last != moves[len(moves)-1].number {
			t.Fatalf("%v was shrunk to %v with critical step %d", moves, small, r.Dead.Step)
		}
		if !r.Minimal {
			return // whether it is stuck was not the same in all walks
		}
		_, ends := follow(&tab, small)
		if (len(small) < len(cause)+200) != (kind == sim.Deadlock) {
			t.Fatalf("%s became %v, ending in %d", kind, small, ends[len(ends)-1])
		}
		for i := range cause {
			if kills(slices.Concat(cause[:i], cause[i+1:])) && kind == sim.Liveness {
				t.Fatalf("step %d of %v can be dropped", i+1, cause)
			}
		}
	})
}
