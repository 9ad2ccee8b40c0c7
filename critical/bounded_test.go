package critical_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A rule is what a node of a random system does in a state at an event: it goes to another state, sends messages, and
// sets or stops a timer.
type rule struct {
	next, send, set, stop int // send, set and stop: kind, or -1; to send 2 means one message of each kind
	after                 time.Duration
}

func (u *rule) sends(kind int) bool { return u.send == kind || u.send == 2 }

// A protocol is a random system of two nodes. Its rules are by node, state and event: boot, two messages, two timers.
// Node 0 has recovered in the states after the first. A message is answered by at most one.
type protocol struct {
	rules [2][3][5]rule
	bound time.Duration
}

func drawProtocol(r *rand.Rand) *protocol {
	p := &protocol{bound: 100 * time.Millisecond}
	for node := range p.rules {
		for state := range p.rules[node] {
			for event := range p.rules[node][state] {
				u := rule{r.IntN(3), r.IntN(4) - 2, r.IntN(4) - 2, r.IntN(6) - 4,
					[]time.Duration{0, 60, 150, 1000}[r.IntN(4)] * time.Millisecond}
				if (event == 0 || event > 2) && r.IntN(4) == 0 {
					u.send = 2
				}
				u.send, u.set, u.stop = max(u.send, -1), max(u.set, -1), max(u.stop, -1)
				p.rules[node][state][event] = u
			}
		}
	}
	return p
}

func (p *protocol) system(timing sim.Timing) sim.System {
	return sim.System{
		Name: "protocol", Nodes: 2, Network: netsim.Datagrams{Loss: 1}, Timing: timing,
		New:   func(sim.NodeID) sim.Service { return &player{of: p} },
		State: []sim.StateRule{sim.IgnoreField[player]("of"), sim.CopyBy(func(p *protocol) *protocol { return p })},
		Properties: []sim.Property{{Name: "recovered", Eventually: func(v *sim.View) bool {
			return v.Service(0).(*player).State > 0
		}}},
	}
}

// player is a node of a protocol.
type player struct {
	of    *protocol
	State int
}

func (p *player) do(env sim.Env, event int) {
	u := p.of.rules[env.Self()][p.State][event]
	p.State = u.next
	for kind := range 2 {
		if u.sends(kind) {
			env.Send(1-env.Self(), kind)
		}
	}
	if u.set >= 0 {
		env.SetTimer(u.set, u.after)
	}
	if u.stop >= 0 {
		env.StopTimer(u.stop)
	}
}

func (p *player) Boot(env sim.Env)                           { p.do(env, 0) }
func (p *player) Receive(env sim.Env, _ sim.NodeID, msg any) { p.do(env, 1+msg.(int)) }
func (p *player) Timer(env sim.Env, t any)                   { p.do(env, 3+t.(int)) }

// A defect is a mistake of the brute force, which the comparison must notice.
type defect string

const (
	none         defect = ""
	noBound      defect = "timers do not wait for messages"
	noRestart    defect = "a link has to deliver all its messages in time"
	ownClocks    defect = "timers do not wait for those of other nodes"
	lostRecovers defect = "the loss of a message is part of recovery"
)

// moment is a state of the brute force. Times are absolute. A link is named by its receiver.
type moment struct {
	state  [2]int
	due    [2][2]time.Duration // by node and timer; -1 if it is not armed
	clock  [2]time.Duration    // of a node with timers: when the last of them fired, or the first was set
	count  [2][2]int           // messages by receiver and kind
	since  [2]time.Duration    // from when a link with messages has to deliver
	losses int
}

func (m *moment) armed(node int) bool   { return max(m.due[node][0], m.due[node][1]) >= 0 }
func (m *moment) waiting(node int) bool { return m.count[node][0]+m.count[node][1] > 0 }

// next returns the earliest due time of a node with timers.
func (m *moment) next(node int) time.Duration {
	a, b := m.due[node][0], m.due[node][1]
	if a < 0 || b >= 0 && b < a {
		a = b
	}
	return a
}

// now returns the latest time of a clock or a link.
func (m *moment) now() (now time.Duration) {
	for i := range 2 {
		if m.armed(i) {
			now = max(now, m.clock[i])
		}
		if m.waiting(i) {
			now = max(now, m.since[i])
		}
	}
	return now
}

// do lets a node handle an event. took is whether it was a message. The clock of a node whose timer fired has been set.
func (m moment) do(p *protocol, node, event int, now time.Duration, before moment, d defect) moment {
	u := p.rules[node][m.state[node]][event]
	m.state[node] = u.next
	for kind := range 2 {
		if u.sends(kind) {
			m.count[1-node][kind]++
		}
	}
	if u.set >= 0 {
		at := now // the clock of a node without timers starts with the first
		if before.armed(node) {
			at = m.clock[node]
		}
		m.due[node][u.set] = at + u.after
	}
	if u.stop >= 0 {
		m.due[node][u.stop] = -1
	}
	return m.settle(before, node, 1 <= event && event <= 2, now, d)
}

// settle updates the clocks and links after a step from before.
func (m moment) settle(before moment, node int, took bool, now time.Duration, d defect) moment {
	for i := range 2 {
		if !m.armed(i) {
			m.clock[i] = 0
		} else if !before.armed(i) {
			m.clock[i] = now
		}
		switch {
		case !m.waiting(i):
			m.since[i] = 0
		case !before.waiting(i), took && i == node && d != noRestart:
			m.since[i] = now
		}
	}
	return m.canonical()
}

// canonical makes the earliest time 0.
func (m moment) canonical() moment {
	first := time.Duration(1 << 62)
	for i := range 2 {
		if m.armed(i) {
			first = min(first, m.clock[i])
		}
		if m.waiting(i) {
			first = min(first, m.since[i])
		}
	}
	for i := range 2 {
		if m.armed(i) {
			m.clock[i] -= first
			for k := range 2 {
				if m.due[i][k] >= 0 {
					m.due[i][k] = max(m.due[i][k]-first, m.clock[i])
				}
			}
		}
		if m.waiting(i) {
			m.since[i] -= first
		}
	}
	return m
}

// an edge is a step: a delivery or timer by node and kind, or a loss.
type edge struct {
	kind     eventkind.Kind
	node, of int
	to       moment
}

// edges lists the steps of a state.
func (m moment) edges(p *protocol, d defect) (list []edge) {
	limit := time.Duration(1 << 62)
	for i := range 2 {
		if m.armed(i) && d != ownClocks {
			limit = min(limit, m.next(i))
		}
		if m.waiting(i) && d != noBound {
			limit = min(limit, m.since[i])
		}
	}
	for i := range 2 {
		for k := range 2 {
			if m.count[i][k] > 0 {
				to := m
				to.count[i][k]--
				list = append(list, edge{eventkind.Deliver, i, k, to.do(p, i, 1+k, m.now(), m, d)})
				if m.losses > 0 {
					lost := to
					lost.losses--
					list = append(list, edge{eventkind.Lose, i, k, lost.settle(m, i, false, m.now(), d)})
				}
			}
			if at := m.due[i][k]; at >= 0 && at == m.next(i) && at <= limit+p.bound {
				to := m
				to.clock[i], to.due[i][k] = at, -1
				for j := range 2 {
					if to.due[i][j] >= 0 {
						to.due[i][j] = max(to.due[i][j], at)
					}
				}
				now := max(m.now(), at)
				list = append(list, edge{eventkind.FireTimer, i, k, to.do(p, i, 3+k, now, m, d)})
			}
		}
	}
	return list
}

// start returns the first state.
func (p *protocol) start(d defect) moment {
	m := moment{due: [2][2]time.Duration{{-1, -1}, {-1, -1}}, losses: 1}
	empty := m
	for node := range 2 {
		u := p.rules[node][0][0]
		m.state[node] = u.next
		for kind := range 2 {
			if u.sends(kind) {
				m.count[1-node][kind]++
			}
		}
		if u.set >= 0 {
			m.due[node][u.set] = u.after
		}
		if u.stop >= 0 {
			m.due[node][u.stop] = -1
		}
	}
	return m.settle(empty, -1, false, 0, d)
}

// deadStates explores all states by brute force, and returns those from which no state is live without faults. ok is
// false if there are too many.
func (p *protocol) deadStates(d defect) (dead map[moment]bool, ok bool) {
	const most = 4000
	first := p.start(d)
	index := map[moment]int{first: 0}
	states := []moment{first}
	var back [][]int // by state: those from which it is reached without faults
	for i := 0; i < len(states); i++ {
		for len(back) < len(states) {
			back = append(back, nil)
		}
		for _, e := range states[i].edges(p, d) {
			j, seen := index[e.to]
			if !seen {
				if j = len(states); j == most {
					return nil, false
				}
				index[e.to] = j
				states, back = append(states, e.to), append(back, nil)
			}
			if e.kind != eventkind.Lose || d == lostRecovers {
				back[j] = append(back[j], i)
			}
		}
	}
	recovers := make([]bool, len(states))
	var todo []int
	for i := range states {
		if states[i].state[0] > 0 {
			recovers[i], todo = true, append(todo, i)
		}
	}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range back[last] {
			if !recovers[i] {
				recovers[i], todo = true, append(todo, i)
			}
		}
	}
	dead = map[moment]bool{}
	for i := range states {
		if !recovers[i] {
			dead[states[i]] = true
		}
	}
	return dead, true
}

// compare searches a protocol, and returns how the verdict, the critical step or the events of a run differ from the
// brute force.
func compare(t *testing.T, p *protocol, dead map[moment]bool, d defect, timing sim.Timing) string {
	sys := p.system(timing)
	if timing == sim.Bounded(p.bound) {
		r := rand.New(rand.NewPCG(1, 1))
		if _, why := p.follow(t, &sys, 60, choose.First, d, func(n int) int { return r.IntN(n) }); why != "" {
			return why
		}
	}
	cfg := search.Config{System: sys, Strategy: search.Faulty, MaxPaths: 400, WalkSteps: 200, Workers: 1, Seed: 1}
	bound := -1
	if d == none && timing == sim.Bounded(p.bound) {
		bound = 200
	}
	cfg.Confirm = critical.Confirm(critical.Config{System: sys, Walks: 60, WalkSteps: 200, Workers: 1, States: bound})
	r, err := search.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	found := r.Verdict == search.Violation
	switch {
	case found && timing.Sometimes() && r.Finding.Path[0] == 1:
		return "" // only messages that are later than timers lead there
	case found != (len(dead) > 0):
		return fmt.Sprintf("verdict %v, but %d states are dead", r.Verdict, len(dead))
	case !found:
		return ""
	}
	res, _ := r.Detail.(*critical.Result)
	if res == nil || res.Case != critical.Located {
		return ""
	}
	src := &choose.Prefix{Path: res.Dead}
	states, why := p.follow(t, &sys, res.Step, src, d, func(int) int {
		i, _ := src.Take()
		return i
	})
	if why == "" && (dead[states[res.Step-1]] || !dead[states[res.Step]]) {
		why = fmt.Sprintf("critical step %d, but its states are dead: %v, %v", res.Step, dead[states[res.Step-1]], dead[states[res.Step]])
	}
	return why
}

// follow returns the states of the brute force along a run, and how the events in them differ.
func (p *protocol) follow(t *testing.T, sys *sim.System, steps int, src choose.Source, d defect, pick func(n int) int) (states []moment, why string) {
	w, err := kernel.NewWorld(sys, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	if err := run.Start(src); err != nil {
		t.Fatal(err)
	}
	states = []moment{p.start(d)}
	for len(states) <= steps {
		list := states[len(states)-1].edges(p, d)
		n := len(w.Enabled()) + len(w.Injections(nil))
		switch {
		case n != len(list):
			return nil, fmt.Sprintf("%d events in step %d, but %d by brute force", n, len(states), len(list))
		case n == 0:
			return states, ""
		}
		if err := run.Step(pick(n), src); err != nil {
			t.Fatal(err)
		}
		last := w.Last()
		kind, _ := last.Timer.(int)
		if last.Event.Kind != eventkind.FireTimer {
			kind = last.Msgs[0].Msg.(int)
		}
		k := slices.IndexFunc(list, func(e edge) bool {
			return e.kind == last.Event.Kind && e.node == int(last.Event.Node) && e.of == kind
		})
		if k < 0 {
			return nil, fmt.Sprintf("the brute force lacks step %d", len(states))
		}
		states = append(states, list[k].to)
	}
	return states, ""
}

// Verdicts, critical steps and events under bounded delays are those of the brute force, and its defects are noticed.
func TestBoundedDelays_BruteForce(t *testing.T) {
	const cases = 300
	for _, d := range []defect{none, noBound, noRestart, ownClocks, lostRecovers} {
		differs, violated, compared := 0, 0, 0
		for seed := range uint64(cases) {
			p := drawProtocol(rand.New(rand.NewPCG(seed, 0)))
			dead, ok := p.deadStates(d)
			if !ok {
				continue
			}
			compared++
			if len(dead) > 0 {
				violated++
			}
			for _, timing := range []sim.Timing{sim.Bounded(p.bound), sim.SometimesBounded(p.bound)} {
				why := compare(t, p, dead, d, timing)
				if why == "" {
					continue
				}
				if differs++; d == none {
					t.Errorf("protocol %d, %v: %s", seed, timing, why)
				}
			}
			if d != none && differs > 0 {
				break
			}
		}
		switch {
		case d == none && (violated < cases/10 || compared-violated < cases/10):
			t.Errorf("only %d of %d protocols can be dead", violated, compared)
		case d != none && differs == 0:
			t.Errorf("%s: not noticed in %d protocols", d, compared)
		}
		t.Logf("%q: %d protocols compared, %d can be dead", d, compared, violated)
	}
}
