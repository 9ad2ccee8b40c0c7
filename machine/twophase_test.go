package machine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Two-phase commit of P's second tutorial, with one client that reads its own writes. Handlers send several events, so
// that each order of arrival has different states.
type (
	pcTrans struct{ Key, Val, ID int }
	pcWrite struct {
		Client machine.ID
		Trans  pcTrans
	}
	pcWritten struct {
		ID     int
		Status string
	}
	pcRead struct {
		Client machine.ID
		Key    int
	}
	pcValue struct {
		Key, Val int
		Status   string
	}
	pcPrepare  struct{ Trans pcTrans }
	pcPrepared struct {
		ID     int
		Status string
	}
	pcCommit struct{ ID int }
	pcAbort  struct{ ID int }
	pcInform struct{ Coordinator machine.ID }
	pcLate   struct{}
)

type pcCoordinator struct {
	Participants []machine.ID
	Current      pcWrite
	Agreed       int
}

var pcCoordinatorKind = machine.Define[pcCoordinator]("coordinator",
	machine.In("init", machine.Entry(func(c *pcCoordinator, x *machine.Ctx) {
		c.tell(x, pcInform{x.Self()})
		x.Goto("waiting")
	}, "waiting")),
	machine.In("waiting",
		machine.On((*pcCoordinator).write, "preparing"), machine.On((*pcCoordinator).read),
		machine.Ignore(pcPrepared{}, pcLate{})),
	machine.In("preparing",
		machine.Defer(pcWrite{}), machine.On((*pcCoordinator).prepared, "waiting"), machine.On((*pcCoordinator).read),
		machine.OnGotoWith("waiting", func(c *pcCoordinator, x *machine.Ctx, _ pcLate) { c.abort(x, "timeout") }),
		machine.Exit(func(c *pcCoordinator, _ *machine.Ctx) { c.Agreed = 0 })))

func (c *pcCoordinator) write(x *machine.Ctx, w pcWrite) {
	c.Current = w
	c.tell(x, pcPrepare{w.Trans})
	x.SetTimer(pcLate{}, time.Second)
	x.Goto("preparing")
}

func (c *pcCoordinator) read(x *machine.Ctx, r pcRead) {
	x.Send(c.Participants[x.Choose("who reads", len(c.Participants))], r)
}

func (c *pcCoordinator) prepared(x *machine.Ctx, p pcPrepared) {
	if p.ID != c.Current.Trans.ID {
		return
	}
	if p.Status != "success" {
		c.abort(x, "error")
		x.Goto("waiting")
		return
	}
	if c.Agreed++; c.Agreed == len(c.Participants) {
		c.tell(x, pcCommit{c.Current.Trans.ID})
		x.Send(c.Current.Client, pcWritten{c.Current.Trans.ID, "success"})
		x.StopTimer(pcLate{})
		x.Goto("waiting")
	}
}

func (c *pcCoordinator) abort(x *machine.Ctx, status string) {
	c.tell(x, pcAbort{c.Current.Trans.ID})
	x.Send(c.Current.Client, pcWritten{c.Current.Trans.ID, status})
	if status != "timeout" {
		x.StopTimer(pcLate{})
	}
}

func (c *pcCoordinator) tell(x *machine.Ctx, ev any) {
	for _, p := range c.Participants {
		x.Send(p, ev)
	}
}

type pcParticipant struct {
	Coordinator    machine.ID
	Store, Pending map[int]pcTrans
}

var pcParticipantKind = machine.Define[pcParticipant]("participant",
	machine.In("init", machine.OnGotoWith("serving", func(p *pcParticipant, _ *machine.Ctx, i pcInform) { p.Coordinator = i.Coordinator })),
	machine.In("serving",
		machine.On((*pcParticipant).prepare), machine.On((*pcParticipant).commit),
		machine.On((*pcParticipant).abort), machine.On((*pcParticipant).read)))

func (p *pcParticipant) prepare(x *machine.Ctx, q pcPrepare) {
	if p.Pending == nil {
		p.Pending = map[int]pcTrans{}
	}
	p.Pending[q.Trans.ID] = q.Trans
	if have, ok := p.Store[q.Trans.Key]; ok && q.Trans.ID <= have.ID {
		x.Send(p.Coordinator, pcPrepared{q.Trans.ID, "error"})
	} else {
		x.Send(p.Coordinator, pcPrepared{q.Trans.ID, "success"})
	}
}

func (p *pcParticipant) commit(x *machine.Ctx, c pcCommit) {
	t, ok := p.Pending[c.ID]
	x.Assert(ok, "commit of %d, which is not pending", c.ID)
	if p.Store == nil {
		p.Store = map[int]pcTrans{}
	}
	p.Store[t.Key] = t
	delete(p.Pending, c.ID)
}

func (p *pcParticipant) abort(x *machine.Ctx, a pcAbort) {
	_, ok := p.Pending[a.ID]
	x.Assert(ok, "abort of %d, which is not pending", a.ID)
	delete(p.Pending, a.ID)
}

func (p *pcParticipant) read(x *machine.Ctx, r pcRead) {
	if t, ok := p.Store[r.Key]; ok {
		x.Send(r.Client, pcValue{r.Key, t.Val, "success"})
	} else {
		x.Send(r.Client, pcValue{r.Key, -1, "error"})
	}
}

type pcClient struct {
	Coordinator machine.ID
	Left        int
	Now         pcTrans
}

var pcClientKind = machine.Define[pcClient]("client",
	machine.In("init", machine.Entry(func(_ *pcClient, x *machine.Ctx) { x.Goto("sending") }, "sending")),
	machine.In("sending",
		machine.Entry(func(c *pcClient, x *machine.Ctx) {
			c.Now = pcTrans{ID: 100 + c.Left}
			x.Send(c.Coordinator, pcWrite{x.Self(), c.Now})
		}),
		machine.OnGoto[pcWritten]("confirming")),
	machine.In("confirming",
		machine.EntryWith((*pcClient).confirm, "sending"),
		machine.On(func(c *pcClient, x *machine.Ctx, r pcValue) {
			x.Assert(r.Key == c.Now.Key && r.Val == c.Now.Val, "read %v, wrote %v", r, c.Now)
			c.next(x)
		}, "sending")))

func (c *pcClient) confirm(x *machine.Ctx, w pcWritten) {
	if w.Status == "success" {
		x.Send(c.Coordinator, pcRead{x.Self(), c.Now.Key})
	} else {
		c.next(x)
	}
}

func (c *pcClient) next(x *machine.Ctx) {
	if c.Left > 0 {
		c.Left--
		x.Goto("sending")
	}
}

func twoPhase(transactions int) *machine.System {
	ms := &machine.System{}
	participants := []machine.ID{ms.Add(pcParticipantKind, pcParticipant{}), ms.Add(pcParticipantKind, pcParticipant{})}
	coordinator := ms.Add(pcCoordinatorKind, pcCoordinator{Participants: participants})
	ms.Add(pcClientKind, pcClient{Coordinator: coordinator, Left: transactions - 1})
	return ms
}

// TestOrdersOfTwoPhase counts the states with each network. Connections have more states than queues per pair, because
// the state includes the existing connections.
func TestOrdersOfTwoPhase(t *testing.T) {
	perPair := func(*machine.System) {}
	streams := func(ms *machine.System) { ms.Streams = &netsim.Streams{} }
	arrival := func(ms *machine.System) { ms.Queues.Order = netsim.Arrival }
	for _, c := range []struct {
		network             func(*machine.System)
		transactions        int
		states, transitions int
	}{
		{perPair, 1, 114, 267}, {perPair, 2, 603, 1721},
		{streams, 1, 115, 267}, {streams, 2, 675, 1901},
		{arrival, 1, 312, 712}, {arrival, 2, 2372, 6124},
	} {
		ms := twoPhase(c.transactions)
		c.network(ms)
		if o := run(t, ms); o.states != c.states || o.transitions != c.transitions || o.finding != "" {
			t.Errorf("%+v: %d states, %d transitions, %s", ms, o.states, o.transitions, o.finding)
		}
	}
}

// TestArrivalAtOnce checks that if events arrived at once, some runs of P would be missing: the runs of Arrival in
// which nothing happens in between.
func TestArrivalAtOnce(t *testing.T) {
	for _, c := range []struct {
		name         string
		ms           *machine.System
		watch        []machine.ID
		states, ends int
	}{
		{"relay first", triangle(netsim.Arrival, true), []machine.ID{0}, 6, 1},
		{"direct first", triangle(netsim.Arrival, false), []machine.ID{0}, 6, 1},
		{"crossing", crossing(netsim.Arrival), []machine.ID{0, 1}, 27, 2},
		{"two-phase commit, 1", twoPhase(1), nil, 123, 1},
		{"two-phase commit, 2", twoPhase(2), nil, 815, 1},
	} {
		c.ms.Queues.Order = netsim.Arrival
		sys := c.ms.Sim("test")
		states, ends := atOnce(t, &sys, c.watch)
		if states != c.states || len(ends) != c.ends {
			t.Errorf("%s: %d states, ends %v", c.name, states, ends)
		}
	}
}

// atOnce explores the runs in which sent events arrive before anything else happens, and returns the records of the
// watched machines in states without successors. It counts states in which all events have arrived.
func atOnce(t *testing.T, sys *sim.System, watch []machine.ID) (states int, ends map[string]bool) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	arrivals := func(err error) {
		for err == nil && len(w.Enabled()) > 0 {
			i := slices.IndexFunc(w.Enabled(), func(e netmodel.Event) bool { return e.Kind == eventkind.Arrive })
			if i < 0 {
				return
			}
			err = w.Step(w.Enabled()[i], choose.First)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ends = map[string]bool{}
	known, paths := map[encoding.Fingerprint]bool{}, []choose.Path{nil}
	for ; len(paths) > 0; paths = paths[1:] {
		var next choose.Enumerate
		for next.Next() {
			src := &choose.Prefix{Path: paths[0], Then: &next}
			arrivals(w.Start(src))
			for last := false; !last && len(w.Enabled()) > 0; {
				known[w.Fingerprint()] = true
				last = src.Done()
				event := src.Choose(choose.Point{Kind: choose.Event, Arity: len(w.Enabled())})
				arrivals(w.Step(w.Enabled()[event], src))
			}
			if known[w.Fingerprint()] {
				continue
			}
			known[w.Fingerprint()] = true
			if paths = append(paths, slices.Concat(paths[0], next.Path())); len(w.Enabled()) == 0 {
				end := ""
				for _, id := range watch {
					end += w.Service(id).(*machine.Host).Vars.(*log).Did + "; "
				}
				ends[end] = true
			}
		}
	}
	return len(known), ends
}
