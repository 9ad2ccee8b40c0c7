package mctest

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Refines fails the test unless the abstraction abs has all behaviors of the implementation impl that the clients can
// observe: the messages they receive, their actions, draws and notifications of room in streams, in every order, and
// every silence after them. Clients are the same nodes in both systems. It shows a run of the implementation that
// differs. It also fails if the comparison is undecided after a million states. Faults happen within the limits of
// impl.
//
// The abstraction may have more behaviors, which the test logs: a check with it may find violations that the
// implementation does not have.
func Refines(t testing.TB, impl, abs sim.System, clients ...sim.NodeID) {
	t.Helper()
	if _, ok := task.Listing(); ok {
		return
	}
	if order, err := task.Ordered(); order != nil || err != nil {
		return
	}
	if role, err := isolate.CurrentRole(); err != nil || role.Recorder != nil {
		return
	}
	r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: clients, Faults: true})
	if err != nil {
		t.Fatalf("the two cannot be compared: %v", err)
	}
	switch r.Verdict {
	case refine.NoDifference:
		t.Logf("no difference: %d states of the implementation, %d of the abstraction", r.States, r.Abstract)
	case refine.Undecided:
		t.Errorf("undecided: %s", r.What)
		return
	case refine.Difference:
		t.Errorf("%s:\n\t%s\nthe run of the implementation, which repeats the last %d steps forever:\n%s", r.What,
			strings.Join(r.Trace, "\n\t"), r.Round, runOf(t, impl, r))
		return
	}
	if back, err := refine.Compare(t.Context(), &abs, &impl, refine.Options{Clients: clients}); err == nil &&
		back.Verdict == refine.Difference {
		t.Logf("the abstraction has more behaviors: %s", strings.Join(back.Trace, ", "))
	}
}

func runOf(t testing.TB, impl sim.System, r *refine.Result) string {
	impl.Properties, impl.Monitors = nil, nil
	trace, err := replay.Record(&impl, r.Path, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range trace.Steps {
		b.WriteString("\t" + trace.Steps[i].Sentence() + "\n")
	}
	return textfmt.Printable(b.String())
}
