package oracle

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// Generator is the version of [Drawn].
const Generator = 9

// Drawn returns the system of a number. It is deterministic.
func Drawn(number uint64) *Script {
	d := drawer{choose.NewRandom(Generator, number)}
	s := &Script{Number: number, Nodes: 1 + d.weighted(2, 5, 2), Timing: sim.Timing(d.n(3))}
	d.network(s)
	if d.chance(2) {
		s.Crashes = 1 + d.weighted(4, 1)
		if d.chance(4) {
			s.Sturdy = 1 << d.n(s.Nodes)
		}
	}
	if d.chance(5) {
		s.Late = 1 << d.n(s.Nodes)
	}
	s.Deaf, s.Uncopyable = d.chance(4), d.chance(8)
	if !s.Deaf && d.chance(4) {
		s.Steps = 1 + uint(d.n(1<<Phases-1))
	}
	for k := range s.Actions {
		a := &s.Actions[k]
		a.Times = d.weighted(1, 4, 2)
		if a.Times == 0 || d.chance(3) {
			a.Phases = 1 + uint(d.n(1<<Phases-1))
		}
		if d.chance(3) {
			a.Nodes = 1 << d.n(s.Nodes)
		}
	}
	if d.chance(8) {
		d.gamble(s)
		d.disturb(s)
		d.halts(s)
		d.cuts(s)
		d.drawProcesses(s)
		return s
	}
	ops := d.vocabulary(s)
	for range min(s.Nodes, 1+d.n(2)) {
		s.Programs = append(s.Programs, d.program(s, ops))
	}
	d.properties(s)
	d.disturb(s)
	d.quorums(s)
	d.halts(s)
	d.cuts(s)
	d.drawProcesses(s)
	return s
}

// cuts draws the crash cut.
func (d drawer) cuts(s *Script) {
	if s.Crashes > 0 || s.Halts > 0 {
		s.Cut = []sim.CrashCut{sim.CutPrefix, sim.CutNone, sim.CutSubset}[d.weighted(2, 1, 2)]
	}
}

// drawProcesses draws the nodes that run in one process.
func (d drawer) drawProcesses(s *Script) {
	if s.Nodes < 2 || s.Crashes+s.Halts == 0 || !d.chance(3) {
		return
	}
	s.Mates = 1<<s.Nodes - 1
	if s.Nodes > 2 && !d.chance(4) {
		s.Mates &^= 1 << d.n(s.Nodes)
	}
	for _, spared := range []*uint{&s.Sturdy, &s.Lasting} {
		if *spared&s.Mates != 0 {
			*spared = []uint{*spared | s.Mates, *spared &^ s.Mates}[d.n(2)]
		}
	}
}

// halts draws which nodes may halt, and properties that exempt halted nodes.
func (d drawer) halts(s *Script) {
	if !d.chance(4) {
		return
	}
	if s.Halts = 1 + d.weighted(4, 1); d.chance(4) {
		s.Lasting = 1 << d.n(s.Nodes)
	}
	for _, list := range [][]Prop{s.Eventually, s.Sometimes} {
		for i := range list {
			if excused, ok := map[PropKind]PropKind{IsUp: UpElse, IsIn: InElse}[list[i].Kind]; ok && d.chance(2) {
				list[i].Kind = excused
			}
		}
	}
}

// disturbedKinds are the kinds that sim excludes from recovery.
var disturbedKinds = []eventkind.Kind{
	eventkind.Boot, eventkind.FireTimer, eventkind.DeliverError, eventkind.Deliver, eventkind.TakeQuorum, eventkind.Heal,
}

// disturb excludes some actions and other events from recovery.
func (d drawer) disturb(s *Script) {
	for k := range s.Actions {
		s.Actions[k].Disturbs = d.chance(5)
	}
	s.Bells, s.Notes = uint(d.n(4)), uint(d.n(1<<Phases))
	if d.chance(2) {
		return
	}
	for range 1 + d.n(2) {
		x := Disturbance{Kind: disturbedKinds[d.n(len(disturbedKinds))]}
		if !d.chance(3) {
			typed := []Disturbance{
				{eventkind.FireTimer, Alarm}, {eventkind.FireTimer, Bell}, {eventkind.Deliver, Word}, {eventkind.Deliver, Note},
				{eventkind.Deliver, Vote}, {eventkind.TakeQuorum, Vote},
			}
			x = typed[d.n(len(typed))]
		}
		s.Disturbing = append(s.Disturbing, x)
	}
}

type drawer struct{ *choose.Random }

func (d drawer) n(n int) int { return d.IntN(n) }

// chance is true with probability 1/in.
func (d drawer) chance(in int) bool { return d.IntN(in) == 0 }

func (d drawer) weighted(weights ...int) int {
	return d.Choose(choose.Point{Kind: choose.Draw, Arity: len(weights), Weights: weights})
}

func (d drawer) network(s *Script) {
	if d.chance(5) {
		s.Queue, s.Pointers = []Queue{PerSender, ByArrival, Unordered}[d.weighted(3, 3, 1)], d.chance(3)
		s.Bound = d.weighted(3, 1, 2, 2)
		s.MostWords, s.MostNotes = d.weighted(4, 1, 2, 1), d.weighted(4, 2, 1)
		return
	}
	kind := d.weighted(1, 3, 3, 2)
	s.Datagrams, s.Streams = kind&1 == 1, kind&2 == 2
	some := func() int { return d.weighted(3, 2, 1) }
	if s.Datagrams {
		s.Loss, s.Dup, s.Pointers = some(), d.weighted(3, 2), d.chance(3)
	}
	if s.Streams {
		s.Buffer, s.Errors = 1+d.n(2), some()
	}
	if kind > 0 && s.Nodes > 1 {
		s.Partitions = d.weighted(3, 1)
	}
}

// likely is an instruction with its weight.
type likely struct {
	do     Opcode
	weight int
}

// vocabulary draws the instructions of a system's programs. They are few, so that they interact.
func (d drawer) vocabulary(s *Script) []likely {
	ops := []likely{{SetPhase, 8}, {SetReg, 2}, {Choose, 4}, {Weighted, 2}, {IfPhase, 3}, {IfEvent, 3}}
	groups := [][]likely{
		{{Arm, 8}, {Disarm, 2}},
		{{Put, 6}, {Delete, 1}, {Sync, 3}, {Get, 4}, {Keys, 1}},
		{{Announce, 6}},
		{{Weighted, 6}},
		{{Read, 5}, {CopyTime, 1}, {IfEarlier, 4}},
		{{Draw, 2}, {Shuffle, 1}, {Tick, 1}, {SetReg, 2}, {IfReg, 3}},
		{{Remember, 3}, {Learn, 3}, {IfReg, 2}},
		{{Assert, 3}, {Panic, 2}},
		{{Spin, 1}},
	}
	for k, g := range groups {
		if chance := 3 + k/8*3; d.chance(chance) {
			ops = append(ops, g...)
		}
	}
	if s.Datagrams || s.Queue != NoQueue {
		ops = append(ops, likely{Send, 9})
	}
	if s.Streams {
		ops = append(ops, likely{Stream, 9}, likely{Close, 1}, likely{Room, 1})
	}
	return ops
}

// gamble makes a system with nodes that change phase by chance alone, some by answers of weight 0, so that death
// depends on single answers.
func (d drawer) gamble(s *Script) {
	if d.chance(2) {
		*s = Script{Number: s.Number, Nodes: 1, Timing: s.Timing, Limits: Limits{Crashes: min(s.Crashes, 1)}, Uncopyable: s.Uncopyable}
	}
	s.Actions = [Actions]Action{{Phases: 1 + uint(d.n(1<<Phases-1))}, {Times: d.n(3), Phases: 1 + uint(d.n(1<<Phases-1))}}
	var p Program
	for k := range s.Actions {
		for phase := range Phases {
			op := d.op(s, []likely{{Weighted, 4}, {Choose, 1}})
			p[OnAction+Class(k)][phase] = []Op{op}
			if s.Crashes > 0 && d.chance(3) {
				p[OnAction+Class(k)][phase] = append(p[OnAction+Class(k)][phase], d.op(s, []likely{{Put, 1}, {Sync, 1}}))
			}
		}
	}
	if s.Crashes > 0 {
		p[OnBoot][0] = []Op{d.op(s, []likely{{Get, 3}, {Weighted, 1}})}
	}
	s.Programs = []Program{p}
	s.Eventually = []Prop{{Kind: IsIn, A: d.n(s.Nodes), B: d.n(Phases)}}
	if d.chance(2) {
		s.Eventually[0] = Prop{Kind: PhaseIn, A: 1 + d.n(1<<Phases-2)}
	}
}

func (d drawer) program(s *Script, ops []likely) (p Program) {
	for class := range p {
		for phase := range p[class] {
			n := d.weighted(3, 4, 3, 1)
			if Class(class) == OnReceive || Class(class) == OnTimer || Class(class) == OnStep {
				n = d.weighted(5, 4, 1) // successors of messages, timers and steps lead on forever
			}
			for range n {
				p[class][phase] = append(p[class][phase], d.op(s, ops))
			}
		}
	}
	return p
}

func (d drawer) op(s *Script, ops []likely) Op {
	weights := make([]int, len(ops))
	for i, o := range ops {
		weights[i] = o.weight
	}
	op := Op{Do: ops[d.weighted(weights...)].do, A: d.n(Phases)}
	switch op.Do {
	case Send, Stream:
		op.A, op.B = d.n(s.Nodes+1)-1, d.n(Phases+2)
	case Room, Close:
		op.A = d.n(s.Nodes+1) - 1
	case Arm:
		op.A, op.B = d.n(2), d.n(4)-1+d.n(2)
	case Disarm, Put, Delete, Get, Read, CopyTime:
		op.A = d.n(2)
	case Choose, Draw, Shuffle:
		op.A = 1 + d.n(3)
	case Weighted:
		op.Weights = []int{d.n(3), d.n(3), 1}[d.n(2):]
		if d.chance(2) {
			op.Weights[0], op.Weights[len(op.Weights)-1] = op.Weights[len(op.Weights)-1], op.Weights[0]
		}
	case IfEarlier:
		op.A = d.n(2)
		op.Weights = [][]int{nil, {1, 2}, {0, 1}, {1, 0}}[d.weighted(4, 2, 1, 1)]
	case Assert, Panic, Spin:
		op.B = d.n(Phases)
	}
	return op
}

func (d drawer) properties(s *Script) {
	for range d.weighted(3, 2, 1) {
		s.Monitors = append(s.Monitors, Monitor{[]MonitorKind{Counts, Turns, Sums}[d.n(3)], d.n(Phases), 1 + d.n(3)})
	}
	for range d.weighted(2, 3, 2) {
		s.Always = append(s.Always, d.safety(s))
	}
	for range d.weighted(1, 3, 1) {
		s.Eventually = append(s.Eventually, d.goal(s))
	}
	if d.chance(3) {
		s.Sometimes = append(s.Sometimes, d.goal(s))
	}
}

func (d drawer) safety(s *Script) Prop {
	switch d.n(4) {
	case 0:
		return Prop{Kind: NotBoth, A: d.n(Phases), B: 1 + d.n(Phases-1)}
	case 1:
		return Prop{Kind: Apart, A: d.n(s.Nodes), B: 1 + d.n(Phases-1), C: d.n(s.Nodes)}
	case 2:
		return Prop{Kind: FewerThan, A: 2 + d.n(5)}
	}
	return Prop{Kind: Unarmed, A: d.n(s.Nodes), B: d.n(2), C: d.n(Phases)}
}

func (d drawer) goal(s *Script) Prop {
	switch d.n(5) {
	case 0:
		return Prop{Kind: PhaseIn, A: 1 + d.n(1<<Phases-2)}
	case 1:
		return Prop{Kind: ArmedOr, A: d.n(2), B: d.n(Phases)}
	case 2:
		return Prop{Kind: IsUp, A: d.n(s.Nodes)}
	case 3:
		return Prop{Kind: FewerThan, A: 1 + d.n(2)}
	}
	return Prop{Kind: IsIn, A: d.n(s.Nodes), B: d.n(Phases)}
}
