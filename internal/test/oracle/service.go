package oracle

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Messages are words or notes, unless they are votes; timers are alarms or bells.
type (
	word  int
	note  int
	alarm int
	bell  int
)

// timer returns the timer with a number.
func (s *Script) timer(k int) any {
	if has(s.Bells, k) {
		return bell(k)
	}
	return alarm(k)
}

// register holds a number.
type register[R any] interface {
	*R
	at() *int
}

// plain is a register with a plain number.
type plain struct{ N int }

func (p *plain) at() *int { return &p.N }

// hidden is a register that is encoded by a function and has no rule for copying.
type hidden struct{ n *int }

func (h *hidden) at() *int {
	if h.n == nil {
		h.n = new(int)
	}
	return h.n
}

// deaf is a service that runs a program.
type deaf[R any, P register[R]] struct {
	Phase   int
	Reg     R
	Times   [2]macetime.Time
	script  *Script  `macemc:"-"`
	program *Program `macemc:"-"`
}

// hearing also handles errors and room in send buffers.
type hearing[R any, P register[R]] struct{ deaf[R, P] }

// busy also takes internal steps.
type busy[R any, P register[R]] struct{ hearing[R, P] }

func (b *busy[R, P]) Ready() bool      { return has(b.script.Steps, b.Phase) }
func (b *busy[R, P]) Step(env sim.Env) { b.run(env, OnStep, 0, -1) }

type service interface {
	sim.Service
	act(env sim.Env, class Class)
	take(env sim.Env, sum int)
	phase() int
	reg() int
}

func (d *deaf[R, P]) act(env sim.Env, class Class)         { d.run(env, class, 0, -1) }
func (d *deaf[R, P]) take(env sim.Env, sum int)            { d.run(env, OnReceive, sum, -1) }
func (d *deaf[R, P]) phase() int                           { return d.Phase }
func (d *deaf[R, P]) reg() int                             { return *P(&d.Reg).at() }
func (d *deaf[R, P]) Boot(env sim.Env)                     { d.run(env, OnBoot, 0, -1) }
func (h *hearing[R, P]) PeerReady(e sim.Env, p sim.NodeID) { h.run(e, OnReady, 0, p) }

func (d *deaf[R, P]) Timer(env sim.Env, t any) {
	switch t := t.(type) {
	case alarm:
		d.run(env, OnTimer, int(t), -1)
	case bell:
		d.run(env, OnTimer, int(t), -1)
	}
}

func (d *deaf[R, P]) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch msg := msg.(type) {
	case word:
		d.run(env, OnReceive, int(msg), from)
	case note:
		d.run(env, OnReceive, int(msg), from)
	case *word:
		d.run(env, OnReceive, int(*msg), from)
		*msg = -1 // it is a private copy
	case *note:
		d.run(env, OnReceive, int(*msg), from)
		*msg = -1
	}
}

func (h *hearing[R, P]) PeerError(env sim.Env, peer sim.NodeID, err error) {
	arg := 0
	if err == sim.ErrRefused {
		arg = 1
	}
	h.run(env, OnError, arg, peer)
}

func (d *deaf[R, P]) run(env sim.Env, class Class, arg int, from sim.NodeID) {
	for _, op := range d.program[class][d.Phase] {
		if !d.do(env, op, arg, from) {
			return
		}
	}
}

// do executes an instruction. It returns false if the handler ends.
func (d *deaf[R, P]) do(env sim.Env, op Op, arg int, from sim.NodeID) bool {
	reg, peer := P(&d.Reg).at(), op.peer(env, from)
	here := d.Phase == op.A && *reg == op.B
	switch op.Do {
	case Send:
		env.Send(peer, d.message(op, arg))
	case Stream:
		if env.Stream(peer).Send(d.message(op, arg)) != nil {
			*reg = op.B % Phases
		}
	case Room:
		*reg = min(env.Stream(peer).Room(), Phases-1)
	case Close:
		env.Stream(peer).Close()
	case Arm:
		env.SetTimer(d.script.timer(op.A), time.Duration(op.B)*time.Second)
	case Disarm:
		env.StopTimer(d.script.timer(op.A))
	case Choose:
		d.Phase = (d.Phase + env.Choose("advance", op.A)) % Phases
	case Weighted:
		d.Phase = (d.Phase + env.ChooseWeighted("advance", op.Weights...)) % Phases
	case Draw:
		*reg = env.Rand().IntN(op.A) % Phases
	case Shuffle:
		*reg = env.Rand().Perm(op.A)[0] % Phases
	case Put:
		env.Disk().Put(diskKey(op.A), []byte{byte(d.Phase)})
	case Delete:
		env.Disk().Delete(diskKey(op.A))
	case Sync:
		env.Disk().Sync()
	case Get:
		if v, ok := env.Disk().Get(diskKey(op.A)); ok {
			d.Phase = int(v[0])
		}
	case Keys:
		*reg = len(env.Disk().Keys(""))
	case Announce:
		env.Announce(word(op.A))
	case Assert:
		env.Assert(!here, "%s", assertText(op))
	case Panic:
		if here {
			panic(panicText(op))
		}
	case Spin:
		for here {
			env.Choose("spin", 1)
		}
	case SetPhase:
		d.Phase = op.A
	case SetReg:
		*reg = op.A
	case Learn:
		d.Phase = arg % Phases
	case Remember:
		*reg = arg % Phases
	case IfPhase:
		return d.Phase == op.A
	case IfReg:
		return *reg == op.A
	case IfEvent:
		return arg == op.A
	case Tick:
		*reg = int(env.Clock().Tick().Count % Phases)
	case Read:
		d.Times[op.A] = env.Clock().Now()
	case CopyTime:
		d.Times[op.A] = d.Times[1-op.A]
	case IfEarlier:
		return env.Clock().Before(d.Times[op.A], d.Times[1-op.A], op.Weights...)
	default:
		panic("no instruction " + string(op.Do))
	}
	return true
}

// peer returns the node of an instruction: the sender of the message, or the one that it names.
func (op Op) peer(env sim.Env, from sim.NodeID) sim.NodeID {
	if op.A >= 0 || from < 0 {
		return sim.NodeID(max(op.A, 0) % env.Nodes())
	}
	return from
}

func (d *deaf[R, P]) message(op Op, arg int) any {
	w := word(op.B)
	switch op.B {
	case Phases:
		w = word(d.Phase)
	case Phases + 1:
		w = word(arg % Phases)
	}
	switch d.script.message(int(w)) {
	case Vote:
		return sent(vote(w), d.script.Pointers)
	case Note:
		return sent(note(w), d.script.Pointers)
	}
	return sent(w, d.script.Pointers)
}

// sent returns a message as it is sent: itself, or a pointer to it.
func sent[T any](msg T, pointers bool) any {
	if pointers {
		return &msg
	}
	return msg
}

func diskKey(k int) string          { return fmt.Sprintf("key%d", k) }
func actionName(k int) string       { return fmt.Sprintf("act%d", k) }
func assertText(op Op) string       { return fmt.Sprintf("phase %d with register %d", op.A, op.B) }
func panicText(op Op) string        { return fmt.Sprintf("in phase %d with register %d", op.A, op.B) }
func propName(i int, p Prop) string { return fmt.Sprintf("%s %d", p.Kind, i) }

// listener is a monitor.
type listener[R any, P register[R]] struct {
	Heard R
	about Monitor `macemc:"-"`
}

func (l *listener[R, P]) Observe(from sim.NodeID, event any) error {
	n, value := P(&l.Heard).at(), int(event.(word))
	was, bad := *n, false
	switch l.about.Kind {
	case Counts:
		if value == l.about.A {
			*n++
		}
		bad = *n >= l.about.Limit
	case Turns:
		*n = int(from) + 1
		bad = value == l.about.A && was == *n
	case Sums:
		*n = (was + value) % 3
		bad = value == l.about.A && was == l.about.Limit
	}
	if bad {
		return fmt.Errorf("%s", monitorError(l.about, int(from)))
	}
	return nil
}

func monitorError(m Monitor, from int) string {
	return fmt.Sprintf("%s: n%d announced %d", m.Kind, from, m.A)
}

func monitorName(s *Script) string {
	if s.Uncopyable {
		return sim.MonitorName(new(listener[hidden, *hidden]))
	}
	return sim.MonitorName(new(listener[plain, *plain]))
}

func newService(s *Script, id sim.NodeID) sim.Service {
	program := &s.Programs[int(id)%len(s.Programs)]
	if s.Uncopyable {
		return serviceOf(s, deaf[hidden, *hidden]{Reg: hidden{new(int)}, script: s, program: program})
	}
	return serviceOf(s, deaf[plain, *plain]{script: s, program: program})
}

func serviceOf[R any, P register[R]](s *Script, d deaf[R, P]) sim.Service {
	switch {
	case s.Steps != 0:
		return &busy[R, P]{hearing[R, P]{d}}
	case s.Deaf:
		return &d
	}
	return &hearing[R, P]{d}
}

func newMonitor(s *Script, about Monitor) func() sim.Monitor {
	if s.Uncopyable {
		return func() sim.Monitor { return &listener[hidden, *hidden]{Heard: hidden{new(int)}, about: about} }
	}
	return func() sim.Monitor { return &listener[plain, *plain]{about: about} }
}

// encodeHidden encodes a hidden register, without a rule for copying it.
func encodeHidden(dst []byte, h hidden) []byte { return binary.AppendVarint(dst, int64(*h.n)) }
