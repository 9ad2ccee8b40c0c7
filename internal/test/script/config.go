package script

import (
	"encoding/binary"
	"fmt"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Config describes a system.
type Config struct {
	Nodes      int
	Timing     sim.Timing
	Odd        bool
	Network    sim.Network
	Crashes    int
	Halts      int
	Late       int // nodes from this one on start late
	Sturdy     int // the node that may not crash; -1: all may
	Mate       int // the node that shares a process with node 0; not with Sturdy; 0: none
	Monitor    int // limit of the monitors that count; 0: none
	Turns      int // limit of the monitor of turns; 0: none
	ActionTime int
	Disturbing []sim.Disturbance
	Programs   []Program
}

// System builds the system.
func (c *Config) System() *sim.System {
	holds := func(_ sim.NodeID, s scripted) bool { return s.phase() != 2 }
	sys := &sim.System{
		Name: "script", Nodes: c.Nodes, Timing: c.Timing, Network: c.Network, Crashes: c.Crashes, Halts: c.Halts,
		New: func(id sim.NodeID) sim.Service {
			p := Plain{run: &c.Programs[int(id)%len(c.Programs)], Got: map[sim.NodeID]int{}}
			if c.Odd && id == 0 {
				return &OddOne{p, NewOpaque()}
			}
			return &p
		},
		State: []sim.StateRule{OpaqueRule()}, Disturbing: c.Disturbing,
		Actions: []sim.AnyAction{
			sim.Action[scripted]{Name: "act", When: func(s scripted) bool { return s.phase() != 1 },
				Do: func(s scripted, env sim.Env) { s.act(env, 1, 0, nil) }},
			sim.Action[scripted]{Name: "again", Times: c.ActionTime, At: func(id sim.NodeID) bool { return id != 1 },
				Do: func(s scripted, env sim.Env) { s.act(env, 1, 0, nil) }},
		},
		Properties: []sim.Property{
			{Name: "not all in phase 2", Always: func(v *sim.View) bool {
				n := 0
				for _, s := range sim.Nodes[scripted](v) {
					if s.phase() == 2 {
						n++
					}
				}
				return n < v.Len()
			}, Explain: func(v *sim.View) string { return fmt.Sprint(v.Service(0) != nil) }},
			{Name: "few messages", Always: func(v *sim.View) bool {
				n, sum := 0, 0
				for m := range v.InFlight() {
					n++
					sum += int(m.From)*7 + int(m.To)
				}
				return n < 12 || sum%2 == 0
			}},
			{Name: "each", Eventually: sim.Each(holds)},
			{Name: "armed", Eventually: sim.EachArmed(alarm{1}, func(_ sim.NodeID, s scripted, armed bool) bool { return armed || s.phase() == 0 })},
			{Name: "first in phase 2", Sometimes: func(v *sim.View) bool {
				s, ok := v.Service(0).(scripted)
				return v.Halted(0) || ok && s.phase() == 2
			}},
			{Name: "timer", Sometimes: func(v *sim.View) bool { return v.TimerSet(0, alarm{0}) }},
		},
	}
	if c.Late < c.Nodes {
		sys.Late = func(id sim.NodeID) bool { return int(id) >= c.Late }
	}
	if c.Mate > 0 {
		sys.Containers = [][]sim.NodeID{{sim.NodeID(c.Mate), 0}}
	} else if c.Sturdy >= 0 {
		sys.MayCrash = func(id sim.NodeID) bool { return int(id) != c.Sturdy }
		sys.MayHalt = func(id sim.NodeID) bool { return int(id) != (c.Sturdy+1)%c.Nodes }
	}
	if c.Monitor > 0 {
		sys.Monitors = []func() sim.Monitor{
			func() sim.Monitor { return &Chorus{limit: 7} },
			func() sim.Monitor {
				m := Chorus{limit: c.Monitor}
				if c.Odd {
					return &OddChorus{m, NewOpaque()}
				}
				return &m
			},
		}
	}
	if c.Turns > 0 {
		sys.Monitors = append(sys.Monitors, func() sim.Monitor { return &Turns{limit: c.Turns} })
	}
	return sys
}

// disturbances are the possible disturbances of scripts.
var disturbances = []sim.Disturbance{
	sim.DisturbingMessages[note](), sim.DisturbingMessages[*note](), sim.DisturbingTimers[alarm](),
	sim.DisturbingBoots(), sim.DisturbingErrors(), sim.DisturbingMessages[any](), sim.DisturbingHeals(),
	sim.DisturbingTimers[any](),
}

// DrawSmall draws a system with few states and without streams, so that a search can go deep and use all
// optimizations for such systems.
func DrawSmall(t *rapid.T) *Config {
	const nodes = 2
	c := &Config{Nodes: nodes, Timing: sim.AnyOrder, Late: nodes, Sturdy: -1, Turns: rapid.IntRange(2, 5).Draw(t, "turns"),
		ActionTime: rapid.IntRange(0, 2).Draw(t, "times")}
	ops := []Opcode{OpSetTimer, OpAnnounce, OpAnnounce, OpPhase, OpChoose}
	if rapid.Bool().Draw(t, "datagrams") {
		c.Network = netsim.Datagrams{Loss: rapid.IntRange(0, 1).Draw(t, "loss")}
		ops = append(ops, OpSend)
	}
	operand := rapid.IntRange(0, 5)
	ins := rapid.Custom(func(t *rapid.T) Instr {
		return Instr{rapid.SampledFrom(ops).Draw(t, "op"), operand.Draw(t, "a"), operand.Draw(t, "b")}
	})
	for range nodes {
		var p Program
		for class := range p {
			for phase := range p[class] {
				p[class][phase] = rapid.SliceOfN(ins, 0, 2).Draw(t, "instructions")
			}
		}
		c.Programs = append(c.Programs, p)
	}
	return c
}

// Draw draws a system.
func Draw(t *rapid.T) *Config {
	c := &Config{
		Nodes:      rapid.IntRange(1, 3).Draw(t, "nodes"),
		Timing:     rapid.SampledFrom([]sim.Timing{sim.ByDeadline, sim.AnyOrder, sim.Prompt}).Draw(t, "timing"),
		Odd:        rapid.Bool().Draw(t, "odd"),
		Crashes:    rapid.IntRange(0, 3).Draw(t, "crashes"),
		Halts:      rapid.IntRange(0, 2).Draw(t, "halts"),
		Late:       rapid.IntRange(1, 4).Draw(t, "late"),
		Sturdy:     rapid.IntRange(-1, 2).Draw(t, "sturdy"),
		Monitor:    rapid.IntRange(0, 6).Draw(t, "monitor"),
		ActionTime: rapid.IntRange(0, 4).Draw(t, "times"),
		Disturbing: rapid.SliceOfN(rapid.SampledFrom(disturbances), 0, 2).Draw(t, "disturbing"),
	}
	limit := rapid.IntRange(0, 2)
	d := netsim.Datagrams{Loss: limit.Draw(t, "loss"), Dup: limit.Draw(t, "dup")}
	s := netsim.Streams{Buffer: rapid.IntRange(1, 3).Draw(t, "buffer"), Errors: limit.Draw(t, "errors")}
	cuts := limit.Draw(t, "partitions")
	switch rapid.IntRange(0, 7).Draw(t, "network") {
	case 0:
		d.Partitions = cuts
		c.Network = d
	case 1:
		s.Partitions = cuts
		c.Network = s
	case 2:
	default:
		c.Network = netsim.Both{Datagrams: d, Streams: s, Partitions: cuts}
	}
	ins := rapid.Custom(func(t *rapid.T) Instr {
		op := Opcode(rapid.IntRange(0, int(opcodes)-1).Draw(t, "op"))
		if op == OpAssert || op == OpPanic || op == OpBadTimer {
			op = Opcode(rapid.IntRange(0, int(opcodes)-1).Draw(t, "op again")) // rarely
		}
		if c.Network == nil && (op == OpSend || op == OpStream || op == OpRoom || op == OpClose) {
			op = OpSetTimer
		}
		if _, both := c.Network.(netsim.Both); !both && rapid.IntRange(0, 9).Draw(t, "lack") > 0 {
			_, streams := c.Network.(netsim.Streams)
			switch {
			case op == OpSend && streams:
				op = OpStream
			case (op == OpStream || op == OpRoom || op == OpClose) && !streams && c.Network != nil:
				op = OpSend
			}
		}
		return Instr{op, rapid.IntRange(0, 5).Draw(t, "a"), rapid.IntRange(0, 5).Draw(t, "b")}
	})
	for range c.Nodes {
		var p Program
		for class := range p {
			for phase := range p[class] {
				p[class][phase] = rapid.SliceOfN(ins, 0, 5).Draw(t, "instructions")
			}
		}
		c.Programs = append(c.Programs, p)
	}
	if c.Crashes+c.Halts > 0 && rapid.Bool().Draw(t, "process of several") {
		c.Mate = rapid.IntRange(0, c.Nodes-1).Draw(t, "mate")
	}
	return c
}

// OpaqueRule encodes an Opaque, without a rule for copying it.
func OpaqueRule() sim.StateRule {
	return sim.EncodeBy(func(dst []byte, o Opaque) []byte { return binary.AppendVarint(dst, int64(*o.n)) })
}
