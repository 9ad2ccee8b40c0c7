package mctest_test

import (
	"testing"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type (
	answer struct{ Value int }
	asker  struct{ Oracle machine.ID }
	oracle struct{ Values int }
)

var (
	askerKind = machine.Define[asker]("asker",
		machine.In("asking", machine.Null(func(a *asker, x *machine.Ctx) { x.Send(a.Oracle, askedBy{x.Self()}); x.Goto("asked") }, "asked")),
		machine.In("asked", machine.Ignore(answer{})))
	oracleKind = machine.Define[oracle]("oracle", machine.In("ready",
		machine.On(func(o *oracle, x *machine.Ctx, q askedBy) { x.Send(q.Who, answer{x.Choose("value", o.Values)}) })))
)

type askedBy struct{ Who machine.ID }

func oracleOf(values int) sim.System {
	var ms machine.System
	ms.Add(askerKind, asker{1})
	ms.Add(oracleKind, oracle{values})
	return ms.Sim("oracle")
}

func TestInnerRefines(t *testing.T) {
	onlyInside(t)
	mctest.Refines(t, oracleOf(2), oracleOf(3), 0)
}

func TestInnerDiffers(t *testing.T) {
	onlyInside(t)
	mctest.Refines(t, oracleOf(3), oracleOf(2), 0)
}

func TestRefines(t *testing.T) {
	out, passed := run(t, t.TempDir(), "TestInnerRefines")
	if !passed {
		t.Error("failed")
	}
	wantAll(t, out, "no difference: 5 states of the implementation, 6 of the abstraction",
		"the abstraction has more behaviors: .*answer.Value:2")
	out, passed = run(t, t.TempDir(), "TestInnerDiffers")
	if passed {
		t.Error("passed")
	}
	wantAll(t, out, "the abstraction never does the last of these", "n0 receives answer.2. from n1")
}
