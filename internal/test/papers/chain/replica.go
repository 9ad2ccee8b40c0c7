package chain

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// none is not a machine.
const none machine.ID = -1

// Replica is a link of the chain.
type Replica struct {
	Front, Pred, Succ machine.ID // none for the head, or the tail
	App               smr.App    // after all of History
	History           []smr.Request
	Values            []int // results of the commands
	Acked             int   // number of commands executed by the tail
	Bugs              bugs
}

var replicaKind = machine.Define[Replica]("replica", machine.In("up",
	machine.On((*Replica).ask),
	machine.On((*Replica).forward),
	machine.On((*Replica).ack),
	machine.On((*Replica).becomeHead),
	machine.On((*Replica).becomeTail),
	machine.On((*Replica).newPred),
	machine.On((*Replica).newSucc),
	machine.On((*Replica).lost),
	machine.On(func(r *Replica, x *machine.Ctx, _ smr.Fail) {
		x.Send(r.Front, Down{x.Self()})
		x.Halt()
	})))

// ask takes a new command. The front repeats commands when the head has failed.
func (r *Replica) ask(x *machine.Ctx, a Ask) {
	known := slices.ContainsFunc(r.History, func(c smr.Request) bool { return c.Client == a.Command.Client && c.ID == a.Command.ID })
	if known && !r.Bugs.has(cr5) {
		return
	}
	r.append(x, a.Command)
	if r.Bugs.has(cr4) && r.Succ != none {
		r.answer(x, len(r.History))
	}
}

func (r *Replica) forward(x *machine.Ctx, f Forward) {
	if f.From != r.Pred || f.Seq <= len(r.History) {
		return // from a failed replica, or sent again
	}
	x.Assert(f.Seq == len(r.History)+1, "command %d comes after %d", f.Seq, len(r.History))
	r.append(x, f.Command)
}

// append appends a command to the history, and passes it on.
func (r *Replica) append(x *machine.Ctx, c smr.Request) {
	value := 0
	r.App, value = r.App.Do(c.Op)
	r.History = slices.Clip(append(slices.Clone(r.History), c))
	r.Values = slices.Clip(append(slices.Clone(r.Values), value))
	if r.Succ != none {
		x.Send(r.Succ, Forward{x.Self(), len(r.History), c})
		return
	}
	r.settle(x, len(r.History))
}

// settle executes all commands up to a number at the tail.
func (r *Replica) settle(x *machine.Ctx, seq int) {
	for ; r.Acked < seq; r.Acked++ {
		r.answer(x, r.Acked+1)
	}
	if r.Pred != none {
		x.Send(r.Pred, Ack{r.Acked})
	}
}

func (r *Replica) answer(x *machine.Ctx, seq int) {
	c := r.History[seq-1]
	x.Send(r.Front, Done{c.Client, smr.Response{ID: c.ID, Commit: seq, Value: r.Values[seq-1]}})
}

func (r *Replica) ack(x *machine.Ctx, a Ack) { r.acknowledge(x, a.Seq) }

func (r *Replica) acknowledge(x *machine.Ctx, seq int) {
	if seq <= r.Acked {
		return
	}
	r.Acked = seq
	if r.Pred != none {
		x.Send(r.Pred, Ack{seq})
	}
}

func (r *Replica) becomeHead(*machine.Ctx, BecomeHead) { r.Pred = none }

// becomeTail sends the answers that the failed tail may have missed.
func (r *Replica) becomeTail(x *machine.Ctx, b BecomeTail) {
	r.Succ = none
	if r.Bugs.has(cr3) {
		return
	}
	for seq := b.From; 0 < seq && seq <= r.Acked; seq++ {
		r.answer(x, seq)
	}
	r.settle(x, len(r.History))
}

// lost reports a lost replica to the front, which may have no connection to it.
func (r *Replica) lost(x *machine.Ctx, l machine.Lost) {
	if l.Peer != r.Front {
		x.Send(r.Front, Gone{l.Peer})
	}
}

func (r *Replica) newPred(x *machine.Ctx, n NewPred) {
	r.Pred = n.Pred
	x.Send(r.Front, SuccInfo{x.Self(), n.Pred, len(r.History), r.Acked})
}

// newSucc sends the new neighbor the commands that it lacks.
func (r *Replica) newSucc(x *machine.Ctx, n NewSucc) {
	if r.Bugs.has(cr1) {
		r.Succ = r.Pred
	} else {
		r.Succ = n.Succ
	}
	from := n.Last
	if r.Bugs.has(cr2) {
		from++
	}
	for seq := from + 1; seq <= len(r.History) && r.Succ != none; seq++ {
		x.Send(r.Succ, Forward{x.Self(), seq, r.History[seq-1]})
	}
	r.acknowledge(x, n.Acked)
}
