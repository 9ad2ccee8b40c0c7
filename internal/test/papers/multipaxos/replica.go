package multipaxos

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Replica accepts, learns, and may lead. Slots count from 0.
type Replica struct {
	Front    machine.ID
	Replicas []machine.ID // all replicas
	Promised int          // accepts nothing of a lower ballot
	Log      []Slot       // accepted commands
	Chosen   []Slot       // chosen commands, by slot; Ballot 0 means unknown
	Executed int          // number of executed slots
	App      smr.App      // after these
	Answers  []Done       // to all executed commands

	Ballot   int // its ballot as a leader; 0 if it is not one
	Leading  bool
	Promises []machine.ID   // replicas that have promised, before it leads
	Best     []Slot         // the best of their accepted commands
	Votes    [][]machine.ID // replicas that have accepted its proposals, by slot
	Bugs     bugs
}

var replicaKind = machine.Define[Replica]("replica", machine.In("up",
	machine.On((*Replica).lead),
	machine.On((*Replica).prepare),
	machine.On((*Replica).promise),
	machine.On((*Replica).ask),
	machine.On((*Replica).accept),
	machine.On((*Replica).accepted),
	machine.On(func(r *Replica, x *machine.Ctx, l Learn) { r.learn(x, l.Slot, l.Command) }),
	machine.On(func(_ *Replica, x *machine.Ctx, _ smr.Fail) { x.Halt() })))

func (r *Replica) lead(x *machine.Ctx, l Lead) {
	if l.Ballot < r.Promised {
		return // a newer leader is active
	}
	r.follow(l.Ballot)
	r.Ballot, r.Best = l.Ballot, slices.Clip(slices.Clone(r.Log))
	r.others(x, func(id machine.ID) { x.Send(id, Prepare{x.Self(), l.Ballot}) })
	r.promised(x, x.Self())
}

// follow promises to accept nothing of a lower ballot, and stops leading by one.
func (r *Replica) follow(ballot int) {
	if r.Ballot != 0 && r.Ballot < ballot {
		r.Ballot, r.Leading, r.Promises, r.Best, r.Votes = 0, false, nil, nil, nil
	}
	r.Promised = max(r.Promised, ballot)
}

func (r *Replica) others(x *machine.Ctx, f func(machine.ID)) {
	for _, id := range r.Replicas {
		if id != x.Self() {
			f(id)
		}
	}
}

// most reports whether these are a majority of the replicas.
func (r *Replica) most(of []machine.ID) bool {
	n := len(of)
	if r.Bugs.has(mp4) {
		n++
	}
	return 2*n > len(r.Replicas)
}

func (r *Replica) prepare(x *machine.Ctx, p Prepare) {
	if p.Ballot < r.Promised {
		return
	}
	r.follow(p.Ballot)
	x.Send(p.From, Promise{x.Self(), p.Ballot, r.Log})
}

func (r *Replica) promise(x *machine.Ctx, p Promise) {
	if p.Ballot != r.Ballot || r.Leading {
		return
	}
	for slot, e := range p.Log {
		switch {
		case r.Bugs.has(mp1):
		case slot >= len(r.Best) || r.Best[slot].Ballot == 0 || r.Best[slot].Ballot < e.Ballot && !r.Bugs.has(mp2):
			r.Best = put(r.Best, slot, e)
		}
	}
	r.promised(x, p.From)
}

// promised counts promises. With a majority it leads, and proposes what it takes over.
func (r *Replica) promised(x *machine.Ctx, from machine.ID) {
	r.Promises = with(r.Promises, from)
	if !r.most(r.Promises) {
		return
	}
	best := r.Best
	r.Leading, r.Promises, r.Best = true, nil, nil
	for slot, e := range best {
		if slot >= r.Executed {
			r.propose(x, slot, e.Command)
		}
	}
	if !r.Bugs.has(mp6) {
		for _, d := range r.Answers {
			x.Send(r.Front, d)
		}
	}
	x.Send(r.Front, Leads{x.Self(), r.Ballot})
}

// ask proposes a command unless that was done: the front asks every leader.
func (r *Replica) ask(x *machine.Ctx, a Ask) {
	if !r.Leading || slices.ContainsFunc(r.Log, func(e Slot) bool { return e.Command == a.Command }) {
		return
	}
	r.propose(x, max(len(r.Log), r.Executed), a.Command)
}

func (r *Replica) propose(x *machine.Ctx, slot int, c smr.Request) {
	x.Assert(c != smr.Request{}, "there is nothing to propose for slot %d", slot)
	r.Log = put(r.Log, slot, Slot{r.Ballot, c})
	for len(r.Votes) <= slot {
		r.Votes = with(r.Votes, nil)
	}
	r.others(x, func(id machine.ID) { x.Send(id, Accept{x.Self(), r.Ballot, slot, c}) })
	r.voted(x, slot, x.Self())
}

func (r *Replica) accept(x *machine.Ctx, a Accept) {
	if a.Ballot < r.Promised && !r.Bugs.has(mp3) {
		return
	}
	r.follow(a.Ballot)
	r.Log = put(r.Log, a.Slot, Slot{a.Ballot, a.Command})
	x.Send(a.From, Accepted{x.Self(), a.Ballot, a.Slot})
}

func (r *Replica) accepted(x *machine.Ctx, a Accepted) {
	if r.Leading && a.Ballot == r.Ballot {
		r.voted(x, a.Slot, a.From)
	}
}

// voted counts the replicas that have accepted its proposal for a slot. With a majority it is chosen.
func (r *Replica) voted(x *machine.Ctx, slot int, from machine.ID) {
	if r.known(slot) || slices.Contains(r.Votes[slot], from) {
		return
	}
	votes := with(r.Votes[slot], from)
	r.Votes = slices.Clip(slices.Clone(r.Votes))
	if r.Votes[slot] = votes; !r.most(votes) {
		return
	}
	r.Votes[slot] = nil
	c := r.Log[slot].Command
	r.others(x, func(id machine.ID) { x.Send(id, Learn{slot, c}) })
	r.learn(x, slot, c)
}

func (r *Replica) known(slot int) bool { return slot < len(r.Chosen) && r.Chosen[slot].Ballot != 0 }

// learn executes chosen commands while all before them are known.
func (r *Replica) learn(x *machine.Ctx, slot int, c smr.Request) {
	r.Chosen = put(r.Chosen, slot, Slot{1, c})
	for ; r.known(r.Executed); r.Executed++ {
		c := r.Chosen[r.Executed].Command
		if r.executed(c) && !r.Bugs.has(mp5) {
			continue // it was chosen for two slots
		}
		value := 0
		r.App, value = r.App.Do(c.Op)
		d := Done{c.Client, smr.Response{ID: c.ID, Commit: len(r.Answers) + 1, Value: value}}
		r.Answers = with(r.Answers, d)
		if r.Leading {
			x.Send(r.Front, d)
		}
	}
}

func (r *Replica) executed(c smr.Request) bool {
	return slices.ContainsFunc(r.Answers, func(d Done) bool { return d.Client == c.Client && d.Response.ID == c.ID })
}

// put returns a log with an entry in a slot.
func put(log []Slot, slot int, e Slot) []Slot {
	after := make([]Slot, max(len(log), slot+1))
	copy(after, log)
	after[slot] = e
	return after
}

func with[T any](s []T, more T) []T { return slices.Clip(append(slices.Clone(s), more)) }
