package critical_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// maze is a system of one node that is in one of some rooms. What a step leads to is in a table, by the answers that it is given.
type maze struct {
	rooms       [][]*way // by room and door; nil: the door is locked
	live, wrong []bool
	panics      []bool // a property panics, in some of the wrong rooms
}

// way is the result of a step: it makes a choice, or ends.
type way struct {
	ways []*way // by answer; nil: it ends
	to   int    // a room, or how it fails
}

const (
	byPanic = -1 - iota
	byAssertion
	byFinding
	byExit
	mazeFailures = iota
)

func drawMaze(r *rand.Rand) *maze {
	m := &maze{}
	n := 4 + r.IntN(8)
	for range n {
		var doors []*way
		for range 3 {
			if r.IntN(3) == 0 {
				doors = append(doors, nil)
				continue
			}
			doors = append(doors, m.drawWay(r, n, 2))
		}
		wrong := r.IntN(12) == 0
		m.rooms, m.live = append(m.rooms, doors), append(m.live, r.IntN(6) == 0)
		m.wrong, m.panics = append(m.wrong, wrong), append(m.panics, wrong && r.IntN(2) == 0)
	}
	m.wrong[0], m.panics[0], m.live[0] = false, false, false
	return m
}

func (m *maze) drawWay(r *rand.Rand, rooms, depth int) *way {
	if depth > 0 && r.IntN(2) == 0 {
		w := &way{}
		for range 2 + r.IntN(2) {
			w.ways = append(w.ways, m.drawWay(r, rooms, depth-1))
		}
		return w
	}
	if r.IntN(3) == 0 {
		return &way{to: -1 - r.IntN(mazeFailures)}
	}
	return &way{to: r.IntN(rooms)}
}

type walker struct {
	sim.Nop
	Room int
}

func (m *maze) system() sim.System {
	sys := sim.System{
		Name: "maze", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(walker) },
		Properties: []sim.Property{
			{Name: "outside", Eventually: sim.Each(func(_ sim.NodeID, w *walker) bool { return m.live[w.Room] })},
			{Name: "no trap", Always: sim.Each(func(_ sim.NodeID, w *walker) bool {
				if m.panics[w.Room] {
					panic("the property")
				}
				return !m.wrong[w.Room]
			})},
		},
	}
	for door := range 3 {
		sys.Actions = append(sys.Actions, sim.Action[*walker]{
			Name: string(rune('a' + door)), When: func(w *walker) bool { return m.rooms[w.Room][door] != nil },
			Do: func(w *walker, env sim.Env) {
				at := m.rooms[w.Room][door]
				for at.ways != nil {
					at = at.ways[env.Choose("way", len(at.ways))]
				}
				switch at.to {
				case byPanic:
					panic("the handler")
				case byFinding:
					panic(&sim.Finding{Kind: sim.Divergence, Message: "it goes round"})
				case byAssertion:
					env.Assert(false, "it falls")
				case byExit:
					(&testing.T{}).FailNow()
				}
				w.Room = at.to
			},
		})
	}
	return sys
}

// ends lists the rooms that a step leads to, and reports whether it may fail.
func (w *way) ends(to []int) (_ []int, fails bool) {
	if w.ways == nil {
		if w.to < 0 {
			return to, true
		}
		return append(to, w.to), false
	}
	for _, next := range w.ways {
		var f bool
		to, f = next.ends(to)
		fails = fails || f
	}
	return to, fails
}

// ahead lists the rooms that can be reached, without those behind wrong ones.
func (m *maze) ahead(from ...int) (met []int, fails, wrong bool) {
	for _, room := range from {
		if !slices.Contains(met, room) {
			met = append(met, room)
		}
	}
	for i := 0; i < len(met); i++ {
		if m.wrong[met[i]] {
			wrong = true
			continue
		}
		for _, w := range m.rooms[met[i]] {
			if w == nil {
				continue
			}
			to, f := w.ends(nil)
			fails = fails || f
			for _, room := range to {
				if !slices.Contains(met, room) {
					met = append(met, room)
				}
			}
		}
	}
	return met, fails, wrong
}

// recovers reports whether a live room follows.
func (m *maze) recovers(from ...int) bool {
	met, _, _ := m.ahead(from...)
	return slices.ContainsFunc(met, func(room int) bool { return m.live[room] })
}

// taken is a step of a run: by which door, and by which answers.
type taken struct {
	door  *way
	picks []int
	to    int
}

// run draws a run that ends in no live room.
func (m *maze) run(r *rand.Rand) (path choose.Path, steps []taken) {
	room := 0
	for range 1 + r.IntN(12) {
		var open []*way
		for _, w := range m.rooms[room] {
			if w != nil {
				open = append(open, w)
			}
		}
		if len(open) == 0 {
			break
		}
		i := r.IntN(len(open))
		s := taken{door: open[i]}
		at := s.door
		for at.ways != nil {
			k := r.IntN(len(at.ways))
			s.picks, at = append(s.picks, k), at.ways[k]
		}
		if at.to < 0 || m.wrong[at.to] {
			continue
		}
		s.to, room = at.to, at.to
		path = append(path, int32(i))
		for _, k := range s.picks {
			path = append(path, int32(k))
		}
		steps = append(steps, s)
	}
	return path, steps
}

// Critical step, critical choice and proof agree with their definitions although other steps fail. Failing steps lead to
// no state, and nothing is known about the successors of a violation.
func TestFind_Definition(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 60
	}
	kinds := map[critical.Case]int{}
	failing, proven, choices, unproven := 0, 0, 0, 0
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 1))
		m := drawMaze(r)
		path, steps := m.run(r)
		sys := m.system()
		res, err := critical.Find(t.Context(), critical.Config{
			System: sys, Path: path, Walks: 2, WalkSteps: 4, Workers: 1, Expected: int(seed % 5),
			Engine: []string{runloop.ReplayEngine, runloop.TableEngine}[seed%2],
		})
		rooms := []int{0}
		for _, s := range steps {
			rooms = append(rooms, s.to)
		}
		if end := rooms[len(rooms)-1]; m.recovers(end) {
			if err != nil || res.Case != critical.Recovered {
				t.Fatalf("maze %d: %+v, %v; the run recovers", seed, res, err)
			}
			kinds[res.Case]++
			continue
		}
		k := slices.IndexFunc(rooms, func(room int) bool { return !m.recovers(room) })
		_, _, wrong := m.ahead(rooms[k])
		if ended := (*critical.Ended)(nil); wrong && errors.As(err, &ended) {
			continue // it was made longer, as it is not proven that it is dead
		}
		if err != nil {
			t.Fatalf("maze %d: %v", seed, err)
		}
		kinds[res.Case]++
		if res.Proof == critical.Exact {
			proven++
			at := 0
			if res.ProvenAt > 0 {
				at = rooms[min(res.ProvenAt, len(rooms)-1)]
			}
			if met, fails, wrong := m.ahead(at); wrong || m.recovers(at) || res.ProvenAt < len(rooms) && len(met) != res.States || fails != (res.Failing != "") {
				t.Fatalf("maze %d: %+v; %d rooms follow, some step fails: %v, something is wrong: %v", seed, res, len(met), fails, wrong)
			}
			if res.Failing != "" {
				failing++
			}
		} else if unproven++; !wrong || res.Unproven == "" {
			t.Fatalf("maze %d: %+v; dead since step %d", seed, res, k)
		}
		want := critical.Located
		if k == 0 {
			want = critical.DeadFromStart
		}
		if res.Case != want && !(wrong && res.Case == critical.TooLateToTell) {
			t.Fatalf("maze %d: %+v, want %s, dead since step %d", seed, res, want, k)
		}
		if res.Case != critical.Located {
			continue
		}
		if res.Step != k {
			t.Fatalf("maze %d: %+v, dead since step %d", seed, res, k)
		}
		choice, at := -1, steps[k-1].door
		for _, pick := range steps[k-1].picks {
			if to, _ := at.ends(nil); !m.recovers(to...) {
				break
			}
			choice++
			at = at.ways[pick]
		}
		if res.Choice != choice {
			t.Fatalf("maze %d: %+v, the critical choice is %d", seed, res, choice)
		}
		if choice >= 0 {
			choices++
		}
	}
	t.Logf("%v, proven %d, of these %d beside steps that fail, not proven %d, by a choice %d", kinds, proven, failing, unproven, choices)
	if testing.Short() {
		return
	}
	if least := int(n) / 100; kinds[critical.Located] < 5*least || kinds[critical.Recovered] < 10*least || failing < 10*least ||
		choices < 3*least || unproven < least {
		t.Errorf("too little of some kinds was compared")
	}
}
