package mdb_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

type (
	asked  struct{ ID int }
	echoed struct{ ID int }
)

type counting struct{ Heard int }

func (c *counting) Observe(sim.NodeID, any) error { c.Heard++; return nil }

// TestMonitors checks the state of each monitor, its changes in the step, and its obligations.
func TestMonitors(t *testing.T) {
	type speaker struct{ Other machine.ID }
	type pending struct{ Last int }
	starts := machine.Define[speaker]("starter", machine.In("speaking",
		machine.Entry(func(p *speaker, x *machine.Ctx) { x.Send(p.Other, ball{}) }),
		machine.On(func(_ *speaker, x *machine.Ctx, _ ball) { x.Announce(echoed{7}) })))
	answers := machine.Define[speaker]("answerer", machine.In("speaking",
		machine.On(func(p *speaker, x *machine.Ctx, _ ball) { x.Announce(asked{7}); x.Send(p.Other, ball{}) })))
	var ms machine.System
	ms.Add(starts, speaker{1})
	ms.Add(answers, speaker{0})
	ms.Monitor(machine.Define[pending]("all is echoed",
		machine.In("quiet", machine.Cold, machine.OnGotoWith("waiting", func(p *pending, _ *machine.Ctx, a asked) { p.Last = a.ID })),
		machine.In("waiting", machine.Hot, machine.OnGoto[echoed]("quiet"))), pending{})
	sys := ms.Sim("echo")
	sys.Monitors = append(sys.Monitors, func() sim.Monitor { return &counting{} })
	s := opened(t, mdb.Config{System: &sys, Path: choose.Path{0, 0}})
	for _, c := range []struct {
		line      string
		has, lack []string
	}{
		{"goto 0", []string{"monitor all is echoed", "quiet", "monitor counting", "Heard  0"}, []string{"*", "obligation"}},
		{"goto 1", []string{"waiting   was quiet", "*(obligation)", "hot   was none", "Last   7   was 0", "*Heard  1   was 0"}, nil},
		{"goto 2", []string{"quiet   was waiting", "gone   was hot", "*Heard  2   was 1", "  All[0].Vars.(*pending).Last  7"}, nil},
	} {
		do(t, s, c.line)
		out := do(t, s, "monitors")
		flat := strings.Join(strings.Fields(out), " ")
		for _, want := range c.has {
			if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: no %q in\n%s", c.line, want, out)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(strings.ReplaceAll(out, "(*pending)", ""), not) {
				t.Errorf("%s: %q in\n%s", c.line, not, out)
			}
		}
	}
	if v := viewed(t, s); strings.Join(v.Monitors, "\n")+"\n" != do(t, s, "monitors") {
		t.Errorf("of the view: %q", v.Monitors)
	}
	if v := viewed(t, open(t, "rt13")); v.Monitors != nil {
		t.Errorf("of a view without any: %q", v.Monitors)
	}
	if out := do(t, s, "mon /count/"); strings.Contains(out, "echoed") || !strings.Contains(out, "monitor counting") {
		t.Errorf("those of a name:\n%s", out)
	}
	if out := do(t, s, "mon /nothing/"); !strings.Contains(out, "there is no such monitor") {
		t.Errorf("none of a name:\n%s", out)
	}
	if out := do(t, open(t, "rt13"), "monitors"); !strings.Contains(out, "the system has no monitors") {
		t.Errorf("none at all:\n%s", out)
	}
}

// "why" lists the announcements that violate a monitor of machines, and not the others that it observed.
func TestWhy_Observations(t *testing.T) {
	type teller struct{ Told int }
	type lease struct{ Held int }
	tells := machine.Define[teller]("teller", machine.In("telling",
		machine.Entry(func(p *teller, x *machine.Ctx) { x.Send(0, ball{}) }),
		machine.On(func(p *teller, x *machine.Ctx, _ ball) {
			for _, id := range []int{3, 7, 3} {
				x.Announce(asked{id})
			}
			x.Announce(echoed{7})
		})))
	var ms machine.System
	ms.Add(tells, teller{})
	ms.Monitor(machine.Define[lease]("one holder", machine.In("free", machine.On(func(l *lease, x *machine.Ctx, a asked) {
		x.Assert(a.ID != 7 || l.Held == 0, "twice")
	}), machine.On(func(l *lease, x *machine.Ctx, e echoed) { x.Assert(l.Held > 0, "%d is echoed", e.ID) }))), lease{})
	sys := ms.Sim("leases")
	s := opened(t, mdb.Config{System: &sys, Path: choose.Path{0, 0}})
	out := do(t, s, "end; why")
	if strings.Count(out, "the monitor observed") != 1 || !strings.Contains(out, "the monitor observed, in step 1: n0 announces echoed{7}") {
		t.Error(out)
	}
}
