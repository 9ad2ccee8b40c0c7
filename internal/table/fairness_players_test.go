package table_test

import (
	"math/rand/v2"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// player executes its lines, by class of event and state.
type player struct {
	sim.Nop
	State int
	lines *lines `macemc:"-"`
}

type lines [playerClasses][playerStates][]playerOp

type playerOp struct{ do, a, b int }

// Operations of players.
const (
	playGoto = iota
	playSend
	playSet
	playStop
	playFair
	playDraw
	playOps
)

// Classes of events of players: two actions, two timers, messages and the start.
const (
	playFree = iota
	playDue
	playTimer
	playMessage = playTimer + 2
	playBoot    = playMessage + 1

	playerClasses = playBoot + 1
	playerStates  = 3
)

func (p *player) Boot(env sim.Env) { p.play(env, playBoot) }

func (p *player) Timer(env sim.Env, t any) { p.play(env, playTimer+t.(int)) }

func (p *player) Receive(env sim.Env, _ sim.NodeID, _ any) { p.play(env, playMessage) }

func (p *player) play(env sim.Env, class int) {
	for _, op := range p.lines[class][p.State] {
		switch op.do {
		case playGoto:
			p.State = op.a
		case playSend:
			env.Send(sim.NodeID(op.b%env.Nodes()), op.a)
		case playSet:
			env.SetTimer(op.b, 1)
		case playStop:
			env.StopTimer(op.b)
		case playFair:
			if env.ChooseFair("fair", 2) == 1 {
				p.State = op.a
			}
		case playDraw:
			if env.Choose("draw", 2) == 1 {
				p.State = op.a
			}
		}
	}
}

// players draws a small system in which something is inevitable, or not.
func players(seed uint64) *sim.System {
	r := rand.New(rand.NewPCG(seed, 5))
	script := make([]lines, 1+r.IntN(2))
	when := [2]int{r.IntN(8), r.IntN(8)}
	for node := range script {
		for class := range playerClasses {
			for state := range playerStates {
				for range [...]int{0, 1, 1, 2}[r.IntN(4)] {
					script[node][class][state] = append(script[node][class][state], playerOp{[...]int{playGoto, playGoto, playSend, playSet, playStop, playFair, playDraw}[r.IntN(7)], r.IntN(playerStates), r.IntN(2)})
				}
			}
		}
	}
	goal, at := r.IntN(playerStates), sim.NodeID(r.IntN(len(script)))
	action := func(name string, class int, fair bool) sim.AnyAction {
		return sim.Action[*player]{Name: name, Fair: fair, When: func(p *player) bool { return when[class]>>p.State&1 == 1 },
			Do: func(p *player, env sim.Env) { p.play(env, class) }}
	}
	return &sim.System{
		Name: "players", Nodes: len(script), Network: netsim.Datagrams{}, Timing: [...]sim.Timing{sim.ByDeadline, sim.AnyOrder, sim.Prompt, sim.Prompt}[r.IntN(4)],
		Crashes: max(0, r.IntN(5)-3),
		New:     func(id sim.NodeID) sim.Service { return &player{lines: &script[id]} },
		Actions: []sim.AnyAction{action("free", playFree, false), action("due", playDue, true)},
		Properties: []sim.Property{{Name: "goal", Inevitably: func(v *sim.View) bool {
			p, ok := v.Service(at).(*player)
			return ok && p.State == goal
		}}},
	}
}
