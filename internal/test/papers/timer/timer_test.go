package timer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		setting
		states int
	}{
		{setting{workers: 1, rounds: 1}, 60},
		{setting{workers: 1, rounds: 2, failures: 1}, 607},
		{setting{workers: 2, rounds: 3, failures: 1}, 4883},
		{setting{workers: 3, rounds: 3, failures: 2}, 28_476},
	} {
		systest.Clean(t, c.system(), c.states)
	}
	x := systest.Clean(t, systest.Build(t, Entry(), spec.Config{}, sim.Limits{}), 1599)
	if f := x.Fairness; f == nil || len(f.Hot) != 2 || slices.Contains(x.Coverage.Sometimes, false) {
		t.Errorf("something was never owed, or never happened: %+v, %v", f, x.Coverage.Sometimes)
	}
}

// The bugs are found with the effects in their descriptions.
func TestBugs(t *testing.T) {
	for id, want := range map[string]string{
		"TI1": "unhandled event: client0 in state resting gets Timeout{}",
		"TI2": "round 2 is given up by the time-out of round 1",
	} {
		e := Entry()
		sys := systest.Build(t, e, spec.Config{Bugs: spec.BugSet{id}}, sim.Limits{})
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil || !strings.Contains(fmt.Sprint(x.Finding), want) {
			t.Errorf("%s: %v, %+v", id, err, x.Finding)
		}
	}
}

// The specification sees timers that do not keep their promises, and machines that are halted though they handle Halt.
func TestSpecification(t *testing.T) {
	timer := func(cancel func(*Timer, *machine.Ctx, Cancel)) *machine.Kind {
		return machine.Define[Timer]("timer",
			machine.In(stopped, machine.OnGoto[Start](running), machine.On((*Timer).late)),
			machine.In(running, machine.Null((*Timer).fire, stopped), machine.OnGotoWith(stopped, cancel)))
	}
	for _, c := range []struct {
		name, want string
		replace    func(*machine.System)
	}{
		{"fires though it was cancelled", "gets Sent[Timeout]", func(ms *machine.System) {
			replace[Timer](ms, timerKind, timer(func(t *Timer, x *machine.Ctx, _ Cancel) {
				x.Send(t.Client, CancelSuccess{})
				x.Send(t.Client, Timeout{})
			}))
		}},
		{"cancels too late and does not fire", "what the timer promises", func(ms *machine.System) {
			replace[Timer](ms, timerKind, timer((*Timer).late))
		}},
		{"does not answer", "what the timer promises", func(ms *machine.System) {
			replace[Timer](ms, timerKind, timer(func(*Timer, *machine.Ctx, Cancel) {}))
		}},
		{"is halted", "who handles Halt is not halted", func(ms *machine.System) {
			replace[Worker](ms, reserveKind, machine.Define[Worker]("reserve", machine.In(idle, machine.Ignore(Do{}))))
		}},
	} {
		s := setting{workers: 2, rounds: 1, failures: 1}
		ms := s.machines()
		c.replace(ms)
		sys := ms.Sim("timer")
		sys.Properties = s.properties()
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(x.Finding)
		if f := x.Fairness; f != nil && f.Starvation != nil {
			got += fmt.Sprintf("%+v", f.Starvation)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func replace[M any](ms *machine.System, kind, by *machine.Kind) {
	machine.Replace(ms, kind, by, func(m M) M { return m })
}
