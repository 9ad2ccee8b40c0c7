package multipaxos

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Front is the interface to clients.
type Front struct {
	Leader machine.ID // the known leader; requests to none are lost
	Ballot int
	Open   []smr.Request // unanswered requests
}

var frontKind = machine.Define[Front]("front", machine.In("serving",
	machine.On((*Front).request),
	machine.On((*Front).leads),
	machine.On((*Front).done)))

func (f *Front) request(x *machine.Ctx, r smr.Request) {
	f.Open = with(f.Open, r)
	if f.Ballot > 0 {
		x.Send(f.Leader, Ask{r})
	}
}

// leads sends all open requests to a new leader, in some order.
func (f *Front) leads(x *machine.Ctx, l Leads) {
	if l.Ballot <= f.Ballot {
		return
	}
	f.Leader, f.Ballot = l.Node, l.Ballot
	first := 0
	if len(f.Open) > 1 {
		first = x.Choose("asked first", len(f.Open))
	}
	for i := range f.Open {
		x.Send(f.Leader, Ask{f.Open[(first+i)%len(f.Open)]})
	}
}

// done passes answers on, each once: two leaders may have sent one.
func (f *Front) done(x *machine.Ctx, d Done) {
	i := slices.IndexFunc(f.Open, func(r smr.Request) bool { return r.Client == d.Client && r.ID == d.Response.ID })
	if i < 0 {
		return
	}
	if f.Open = slices.Clip(slices.Delete(slices.Clone(f.Open), i, i+1)); len(f.Open) == 0 {
		f.Open = nil
	}
	x.Send(d.Client, d.Response)
}

// Elector appoints leaders. It changes the leader a bounded number of times, and makes replicas fail at arbitrary
// times.
type Elector struct {
	Replicas          []machine.ID // replicas believed to be up
	Leader            machine.ID
	Ballot            int
	Changes, Failures int // remaining
}

var electorKind = machine.Define[Elector]("elector",
	machine.In("watching",
		machine.Entry(func(e *Elector, x *machine.Ctx) { e.appoint(x, 0) }),
		machine.Null((*Elector).act, "content"),
		machine.On((*Elector).lost)),
	machine.In("content", machine.On((*Elector).lost)))

func (e *Elector) appoint(x *machine.Ctx, which int) {
	e.Leader = e.Replicas[which]
	e.Ballot++
	x.Send(e.Leader, Lead{e.Ballot})
}

func (e *Elector) act(x *machine.Ctx) {
	switch {
	case e.Changes == 0 && e.Failures == 0:
		x.Goto("content")
	case e.Failures == 0 || e.Changes > 0 && x.Flip("changes its mind"):
		e.Changes--
		e.appoint(x, x.Choose("who leads", len(e.Replicas)))
	default:
		e.Failures--
		who := e.Replicas[x.Choose("who fails", len(e.Replicas))]
		x.Send(who, smr.Fail{})
		e.gone(x, who)
	}
}

func (e *Elector) lost(x *machine.Ctx, l machine.Lost) { e.gone(x, l.Peer) }

// gone appoints another leader when the current one has failed.
func (e *Elector) gone(x *machine.Ctx, who machine.ID) {
	i := slices.Index(e.Replicas, who)
	if i < 0 {
		return
	}
	e.Replicas = slices.Clip(slices.Delete(slices.Clone(e.Replicas), i, i+1))
	if who == e.Leader && len(e.Replicas) > 0 {
		which := 0
		if len(e.Replicas) > 1 {
			which = x.Choose("who leads", len(e.Replicas))
		}
		e.appoint(x, which)
	}
}
