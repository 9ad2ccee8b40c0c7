package observe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/sim"
)

// automaton is a monitor given by a table: state and letter lead to a state; -1: violated.
type automaton struct {
	table *[3][3]int
	State int
}

func (a *automaton) Observe(_ sim.NodeID, event any) error {
	if a.State = a.table[a.State][event.(int)]; a.State < 0 {
		return errors.New("violated")
	}
	return nil
}

var rules = []sim.StateRule{sim.IgnoreField[automaton]("table"), sim.CopyBy(func(t *[3][3]int) *[3][3]int { return t })}

// random returns a history of few nodes, with causes from a run of theirs.
func random(r *rand.Rand) (History, func() sim.Monitor) {
	nodes := 1 + r.IntN(3)
	h := make(History, nodes)
	before := make([][]int, nodes)
	for i := range before {
		before[i] = make([]int, nodes)
	}
	for range r.IntN(8) {
		n := r.IntN(nodes)
		if other := r.IntN(nodes); r.IntN(2) == 0 { // it hears of the other
			for i, k := range before[other] {
				before[n][i] = max(before[n][i], k)
			}
		}
		h[n] = append(h[n], Announcement{Event: r.IntN(3), After: slices.Clone(before[n])})
		before[n][n]++
	}
	table := &[3][3]int{}
	for s := range table {
		for l := range table[s] {
			if table[s][l] = r.IntN(3); r.IntN(7) == 0 {
				table[s][l] = -1
			}
		}
	}
	return h, func() sim.Monitor { return &automaton{table: table} }
}

// byDefinition passes each order to a separate monitor.
func byDefinition(h History, monitor func() sim.Monitor) (verdict Verdict, least int) {
	violated, fine := false, false
	least = 1 << 30
	var orders func(done []Place)
	orders = func(done []Place) {
		whole := true
		for node := range h {
			next := Announcement{}
			k := 0
			for _, p := range done {
				if int(p.Node) == node {
					k++
				}
			}
			if k == len(h[node]) {
				continue
			}
			whole, next = false, h[node][k]
			allowed := true
			for other, n := range next.After {
				for i := range n {
					allowed = allowed && slices.Contains(done, Place{sim.NodeID(other), i})
				}
			}
			if allowed {
				orders(append(slices.Clone(done), Place{sim.NodeID(node), k}))
			}
		}
		if !whole {
			return
		}
		m := monitor()
		for i, p := range done {
			if m.Observe(p.Node, h[p.Node][p.Index].Event) != nil {
				violated, least = true, min(least, i+1)
				return
			}
		}
		fine = true
	}
	orders(nil)
	switch {
	case !violated:
		return None, 0
	case fine:
		return Some, least
	}
	return Every, least
}

func disagrees(seed uint64, spoil func(History)) (how string, want Verdict) {
	h, monitor := random(rand.New(rand.NewPCG(seed, 3)))
	want, least := byDefinition(h, monitor)
	if spoil != nil {
		spoil(h)
	}
	j, err := Judge(context.Background(), h, monitor, rules, 10_000)
	switch {
	case err != nil:
		return err.Error(), want
	case j.Verdict != want || !j.All:
		return fmt.Sprintf("%s, by definition %s", j.Verdict, want), want
	case want != None && len(j.Order) != least:
		return fmt.Sprintf("%d announcements, by definition %d", len(j.Order), least), want
	}
	m := monitor()
	for i, p := range j.Order {
		if err := m.Observe(p.Node, h[p.Node][p.Index].Event); (err != nil) != (i == len(j.Order)-1) {
			return "the order that is shown does not violate it by its last announcement", want
		}
	}
	return "", want
}

func TestDefinition_Agrees(t *testing.T) {
	of := map[Verdict]int{}
	for seed := range uint64(10_000) {
		how, want := disagrees(seed, nil)
		if how != "" {
			t.Fatalf("history %d: %s", seed, how)
		}
		of[want]++
	}
	if t.Log(of); of[None] < 1000 || of[Some] < 1000 || of[Every] < 1000 {
		t.Error("the histories are not worth much")
	}
}

func TestDefinition_DefectsFound(t *testing.T) {
	for name, spoil := range map[string]func(History){
		"causes are forgotten": func(h History) {
			for _, list := range h {
				for i := range list {
					list[i].After = make([]int, len(h))
				}
			}
		},
		"everything is a cause": func(h History) {
			for n, list := range h {
				for i := range list {
					for other := range n {
						list[i].After[other] = len(h[other])
					}
				}
			}
		},
		"one announcement is lost": func(h History) {
			if n := len(h[0]); n > 0 && len(h) == 1 {
				h[0] = h[0][:n-1]
			}
		},
	} {
		noticed := false
		for seed := uint64(0); seed < 3000 && !noticed; seed++ {
			how, _ := disagrees(seed, spoil)
			noticed = how != ""
		}
		if !noticed {
			t.Errorf("not noticed: %s", name)
		}
	}
}

func TestLimit(t *testing.T) {
	h := History{}
	for n := range 4 {
		list := []Announcement{}
		for i := range 5 {
			after := make([]int, 4)
			after[n] = i
			list = append(list, Announcement{Event: i % 3, After: after})
		}
		h = append(h, list)
	}
	fine := &[3][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}
	j, err := Judge(context.Background(), h, func() sim.Monitor { return &automaton{table: fine} }, rules, 50)
	if err != nil || j.Verdict != Undecided || j.All {
		t.Errorf("%+v, %v", j, err)
	}
}

// A history without a possible order is not judged as correct in every order.
func TestHistoriesWithoutOrders(t *testing.T) {
	monitor := func() sim.Monitor { return &automaton{table: &[3][3]int{{-1, -1, -1}}} }
	for name, h := range map[string]History{
		"nowhere": {{{Event: 0, After: []int{0, 1}}}, nil},
		"a ring":  {{{Event: 0, After: []int{0, 1}}}, {{Event: 0, After: []int{1}}}},
	} {
		if j, err := Judge(context.Background(), h, monitor, rules, 100); err == nil {
			t.Errorf("%s: %+v", name, j)
		}
	}
}
