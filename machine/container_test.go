package machine_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// A leader informs its learner of a command, and waits for the confirmation. It never repeats the message.
type (
	leader  struct{ Learner machine.ID }
	learner struct{ Knows bool }
	teach   struct{ From machine.ID }
	learned struct{}
)

var (
	leaderKind = machine.Define[leader]("leader",
		machine.In("begin", machine.Null(func(l *leader, x *machine.Ctx) {
			x.Send(l.Learner, teach{x.Self()})
			x.Goto("waiting")
		}, "waiting")),
		machine.In("waiting", machine.OnGoto[learned]("done")),
		machine.In("done"))
	learnerKind = machine.Define[learner]("learner", machine.In("up",
		machine.On(func(l *learner, x *machine.Ctx, m teach) {
			l.Knows = true
			x.Send(m.From, learned{})
		})))
)

// housed returns a leader and its learner, in one process or two, one of which halts. They must finish, unless the
// leader halts.
func housed(together bool) *sim.System {
	ms := &machine.System{}
	id := ms.Add(leaderKind, leader{})
	ms.Set(id, leader{Learner: ms.Add(learnerKind, learner{})})
	if together {
		ms.Container(0, 1)
	}
	sys := ms.Sim("housed")
	sys.Halts = 1
	sys.Properties = []sim.Property{{Name: "both know", Eventually: func(v *sim.View) bool {
		l := machine.Vars[learner](v, 1)
		return v.Halted(0) || machine.StateOf(v, 0) == "done" && l != nil && l.Knows
	}}}
	return &sys
}

// A step of one of two machines after the other has died alone cannot happen in one process.
func TestContainerHasNoFalseFinding(t *testing.T) {
	for together, dead := range map[bool]bool{false: true, true: false} {
		x, err := table.Explore(t.Context(), housed(together), options.Options{})
		if err != nil || x.Finding != nil || !x.Complete || (x.Dead > 0) != dead {
			t.Errorf("together %v: %d dead states of %d, %v, %v", together, x.Dead, x.States, x.Finding, err)
		}
	}
}

// keeper stores a word for a client, and so does its partner: each restores what the other lost.
type (
	keeper struct {
		Partner, Client machine.ID
		Word            int
	}
	asks struct {
		Keepers [2]machine.ID
		Told    int
	}
	keep    struct{ Word int }
	kept    struct{}
	recall  struct{}
	recalls struct{ Word int }
)

var (
	keeperKind = machine.Define[keeper]("keeper", machine.In("up",
		machine.Entry(func(k *keeper, x *machine.Ctx) { x.Send(k.Partner, recall{}) }),
		machine.On(func(k *keeper, x *machine.Ctx, _ recall) { x.Send(k.Partner, recalls{k.Word}) }),
		machine.On(func(k *keeper, x *machine.Ctx, r recalls) { k.Word = max(k.Word, r.Word) }),
		machine.On(func(k *keeper, x *machine.Ctx, m keep) {
			k.Word = m.Word
			x.Send(k.Client, kept{})
		})))
	asksKind = machine.Define[asks]("client", machine.In("up",
		machine.Entry(func(a *asks, x *machine.Ctx) {
			for _, id := range a.Keepers {
				x.Send(id, keep{7})
			}
		}),
		machine.On(func(a *asks, x *machine.Ctx, _ kept) { a.Told++ })))
)

// The pair survives single crashes but not a simultaneous crash of both, which one crash causes only in a container.
func TestContainerLosesBothMemories(t *testing.T) {
	for together, lost := range map[bool]bool{false: false, true: true} {
		ms := &machine.System{}
		client := ms.Add(asksKind, asks{Keepers: [2]machine.ID{1, 2}})
		ms.Add(keeperKind, keeper{Partner: 2, Client: client})
		ms.Add(keeperKind, keeper{Partner: 1, Client: client})
		if together {
			ms.Container(2, 1)
		}
		sys := ms.Sim("keepers")
		sys.Crashes, sys.MayCrash = 1, func(id sim.NodeID) bool { return id != client }
		sys.Properties = []sim.Property{{Name: "somebody knows", Always: func(v *sim.View) bool {
			c := machine.Vars[asks](v, client)
			if c == nil || c.Told < 2 {
				return true
			}
			up := 0
			for _, id := range c.Keepers {
				if k := machine.Vars[keeper](v, id); k != nil {
					up++
					if k.Word == 7 {
						return true
					}
				}
			}
			return up == 1 // the other one may be asked
		}}}
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil || (x.Finding != nil) != lost || x.Finding == nil && !x.Complete {
			t.Errorf("together %v: %v, %v, complete %v", together, x.Finding, err, x.Complete)
		}
	}
}

func TestContainerPanics(t *testing.T) {
	for want, f := range map[string]func(*machine.System){
		"at least two machines, not 1":                   func(ms *machine.System) { ms.Container(0) },
		"machine 9: in a container, but not added":       func(ms *machine.System) { ms.Container(0, 9) },
		"machine learner1: already in another container": func(ms *machine.System) { ms.Container(0, 1); ms.Container(2, 1) },
		"machine leader0: twice in the same container":   func(ms *machine.System) { ms.Container(0, 0) },
		"Container after Sim":                            func(ms *machine.System) { ms.Sim("built"); ms.Container(0, 1) },
		"Add after Sim":                                  func(ms *machine.System) { ms.Sim("built"); ms.Add(learnerKind, learner{}) },
		"Pool after Sim":                                 func(ms *machine.System) { ms.Sim("built"); ms.Pool(0, 1, learnerKind) },
		"AtMost after Sim":                               func(ms *machine.System) { ms.Sim("built"); ms.AtMost(A{}, 1) },
		"Monitor after Sim":                              func(ms *machine.System) { ms.Sim("built"); ms.Monitor(orderedKind, ordered{}) },
		"EachAnswered after Sim": func(ms *machine.System) {
			ms.Sim("built")
			machine.EachAnswered(ms, "n", func(A) int { return 0 }, func(B) int { return 0 })
		},
		"monitor n: use the type that is sent, machine_test.B, without Sent": func(ms *machine.System) {
			machine.EachAnswered(ms, "n", func(A) int { return 0 }, func(machine.Sent[B]) int { return 0 })
		},
		"machine: the kind is nil": func(ms *machine.System) { ms.Add(nil, learner{}) },
		"machine 9: not added":     func(ms *machine.System) { ms.Set(9, learner{}) },
		"machine 7: not added":     func(ms *machine.System) { ms.Pool(7, 1, learnerKind); ms.Sim("pooled") },
		"Each after Sim":           func(ms *machine.System) { ms.Sim("built"); ms.Each(owedKind) },
		"Set after Sim":            func(ms *machine.System) { ms.Sim("built"); ms.Set(0, leader{}) },
		"Replace after Sim": func(ms *machine.System) {
			ms.Sim("built")
			machine.Replace(ms, leaderKind, learnerKind, func(leader) learner { return learner{} })
		},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("%q, want %q", text, want)
				}
			}()
			ms := &machine.System{}
			ms.Add(leaderKind, leader{})
			ms.Add(learnerKind, learner{})
			ms.Add(learnerKind, learner{})
			f(ms)
		}()
	}
}

// The places of a pool may share the process of their creator, over queues and connections: created machines die with
// it.
func TestContainerOfPool(t *testing.T) {
	for _, streams := range []*netsim.Streams{nil, {Buffer: 10}} {
		for together, outlives := range map[bool]bool{false: true, true: false} {
			ms := &machine.System{Streams: streams}
			id := ms.Add(creatorKind, creator{})
			if pool := ms.Pool(id, 1, learnerKind); together {
				ms.Container(id, pool)
			}
			sys := ms.Sim("pool")
			sys.Crashes = 2
			sys.Properties = []sim.Property{{Name: "what was created has a creator", Always: func(v *sim.View) bool {
				return machine.Vars[learner](v, 1) == nil || machine.StateOf(v, 0) == "created"
			}}}
			x, err := table.Explore(t.Context(), &sys, options.Options{})
			if err != nil || (x.Finding != nil) != outlives || x.Finding == nil && !x.Complete {
				t.Errorf("together %v: %v, %v, %d states", together, x.Finding, err, x.States)
			}
		}
	}
}

// A restarted creator creates again, also in the place of machines that have halted since.
func TestCreatedAgain(t *testing.T) {
	quits := machine.Define[log]("quits", machine.In("s", machine.Entry(did("born ")), machine.Null(func(_ *log, x *machine.Ctx) { x.Halt() })))
	starts := machine.Define[creator]("starts", machine.In("s", machine.Entry(func(_ *creator, x *machine.Ctx) { machine.New[log](x, nil) })))
	var ms machine.System
	ms.Pool(ms.Add(starts, creator{}), 1, quits)
	sys := ms.Sim("again")
	sys.Crashes, sys.MayCrash = 1, func(id sim.NodeID) bool { return id == 0 }
	sys.Properties = []sim.Property{{Name: "what has halted is in no state", Always: func(v *sim.View) bool {
		return !v.Service(1).(*machine.Host).Halted || machine.StateOf(v, 1) == ""
	}}}
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil || x.Finding != nil || !x.Complete {
		t.Errorf("%v, %v", x.Finding, err)
	}
}

type creator struct{}

var creatorKind = machine.Define[creator]("creator",
	machine.In("begin", machine.Null(func(_ *creator, x *machine.Ctx) {
		machine.New[learner](x, learner{})
		x.Goto("created")
	}, "created")),
	machine.In("created"))
