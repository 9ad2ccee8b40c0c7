package mctest

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/refine"
	"github.com/macemc/macemc/sim"
)

// Refines fails the test unless the abstraction abs does all that the implementation impl does, as far as the clients see, which are
// the same nodes in both: see package refine. It shows a run of the implementation that differs, and fails, too, when nothing
// is decided within [refine.DefaultStates]. Faults happen as far as impl allows them.
//
// The abstraction may do more, which the test logs: a check with it may find what the implementation does not do.
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
		t.Errorf("%s:\n\t%s\nthe run of the implementation, the last %d steps again and again:\n%s", r.What, strings.Join(r.Trace, "\n\t"), r.Round, runOf(t, impl, r))
		return
	}
	if back, err := refine.Compare(t.Context(), &abs, &impl, refine.Options{Clients: clients}); err == nil && back.Verdict == refine.Difference {
		t.Logf("the abstraction does more: %s", strings.Join(back.Trace, ", "))
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
