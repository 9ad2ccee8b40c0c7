package mctest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/identity"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Replay is a regression test from a path file, such as the error.path of a finding. It executes that run on the system
// and fails if the run violates any property, not only the recorded one. A run that ends in a state that is not live fails
// if random walks from that state do not recover. The file is relative to the folder of the test.
//
// The code may have changed since the file was written; a fix of the defect changes it. A step that can no longer
// happen is replaced by one that differs in content only. If the name of its message, timer or action has disappeared, it
// is replaced by one with a name that the file does not contain, as after a renaming. Other steps are left out, and the
// rest is executed; -v shows where the run left the path. That is not a failure, because corrected services often behave
// differently before the defect would show. If what is left violates a property, Replay writes that run and its report
// where [CheckWith] writes findings. If every step is left out, Replay fails, as the file tests nothing. With
// -macemc.strict each step must fit; use it to find files to record again.
//
// A line "known REASON" in the header of the file accepts its violation: the test is skipped while the run shows it.
//
// Node count and name of the system must equal those of the file; a system without a name gets the name of the test in
// the file. Fault limits, timing and the schedules of goroutines are taken from the file.
//
// The run is executed in a second process of the test binary, as with [CheckWith].
func Replay(t testing.TB, system sim.System, file string) {
	t.Helper()
	system, err := check.AsWritten(file, system)
	c := begin(t, system, Options{}, false)
	switch {
	case c == nil:
	case err != nil:
		t.Fatal(err)
	case c.role.Searching():
		s := search.Config{Workers: c.Workers}
		c.role.Record(&s)
		c.Workers = s.Workers // for as many, there are buffers
		c.workForParent(func(ctx context.Context) (text string, status int) {
			return c.follow(ctx, file, s.PathBuffers)
		})
	case c.searchesHere():
		c.conclude(c.follow(t.Context(), file, nil))
	default:
		out, text, err := c.supervise()
		if err == nil && out.Death != nil {
			var loaded *check.Loaded
			if loaded, err = check.LoadDeath(t.Context(), file, &c.system, out.Death, c.respawn()); err == nil {
				text, out.Status = c.verdict(t.Context(), loaded, file, nil)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		c.conclude(text, out.Status)
	}
}

// follow executes the run of a file. buffers are as in [search.Config].
func (c *checking) follow(ctx context.Context, file string, buffers []choose.Path) (text string, status int) {
	var record choose.Path
	if buffers != nil {
		record = buffers[0]
	}
	loaded, err := check.LoadTolerant(ctx, file, &c.system, c.respawn(), record)
	if err != nil {
		return failed(ctx, err)
	}
	return c.verdict(ctx, loaded, file, buffers)
}

// verdict reports whether the run of a file still violates a property.
func (c *checking) verdict(ctx context.Context, loaded *check.Loaded, file string, buffers []choose.Path) (text string, status int) {
	left := mismatches(loaded)
	rep, err := c.describe(ctx, loaded, file, check.CriticalOptions{
		WalkOptions: check.WalkOptions{Seed: c.Seed, Workers: c.Workers}, PathBuffers: buffers})
	switch {
	case errors.Is(err, check.ErrNoViolation):
	case rep == nil:
		return fmt.Sprintf("%s: %v%s", file, err, left), exitcode.OfError(ctx, err)
	case rep.Verdict == search.Violation && loaded.Header.Known != "" && identity.AsRecorded(&loaded.Header, rep) &&
		left == "" && (rep.Critical != nil || rep.Dead == nil || rep.Dead.FoundAt == loaded.Steps):
		return fmt.Sprintf("%s: known: %s: %s%s", file, document.FindingLine(rep), loaded.Header.Known, left), statusKnown
	default:
		text = c.terminal(rep)
		switch gone := c.describeChange(loaded, rep); {
		case gone != "":
			text = gone + text + strings.TrimPrefix(left, "; ") + "\n"
		case rep.Verdict == search.Violation:
			text = "the run still violates" + left + text
		default:
			text = "undecided whether the run recovers" + left + text
		}
		if err != nil {
			text += fmt.Sprintf("the run could not be written: %v\n", err)
		}
		return file + ": " + text, exitcode.Of(rep.Verdict, context.Cause(ctx))
	}
	fixed := ""
	if loaded.Header.Known != "" {
		fixed = "; the known finding is fixed: remove the line \"known\""
	}
	switch {
	case left == "":
		return file + ": every step fits, and the run violates nothing" + fixed, exitcode.OK
	case loaded.Followed == 0 && !slices.ContainsFunc(loaded.Mismatches, func(m *replay.MismatchError) bool { return m.Instead != "" }):
		return fmt.Sprintf("%s: no step fits, so the test has no effect; record the path again or delete the test%s",
			file, left), exitcode.Inconclusive
	case c.strict:
		return fmt.Sprintf("%s: the path does not fit any more%s", file, left), exitcode.Inconclusive
	}
	return fmt.Sprintf("%s: the run violates nothing any more%s", file, left), exitcode.OK
}

// describe reports the violation of a loaded run. If the run left its path, describe writes the executed one to the
// folder of this test.
func (c *checking) describe(ctx context.Context, l *check.Loaded, file string, co check.CriticalOptions) (*report.Report, error) {
	if len(l.Mismatches) == 0 {
		rep, err := check.Describe(ctx, l, file, co)
		if err != nil {
			return nil, err
		}
		rep.Commands = report.Commands{Look: "macemc mdb " + file}
		return rep, nil
	}
	o := c.options()
	o.KeepGoing = false
	o.Commands = func(file string) report.Commands {
		return report.Commands{Look: "macemc mdb " + file, Report: filepath.Join(filepath.Dir(file), outfolder.ReportPage)}
	}
	return check.DescribeInto(ctx, l, file, co, o)
}

// describeChange describes how the violation of a run differs from the one that the file records. An empty string means that it
// is the recorded one, as far as known.
func (c *checking) describeChange(l *check.Loaded, rep *report.Report) string {
	recorded := cmp.Or(l.Header.Property, l.Header.Finding)
	switch {
	case !c.differs(l, rep):
		return ""
	case rep.Critical == nil && (l.Followed+len(l.Mismatches) < l.Steps || sim.FindingKind(l.Header.Finding) != sim.Safety):
		return fmt.Sprintf("another violation ends the run before the recorded one (%s) can happen:", recorded)
	case rep.Verdict != search.Violation:
		return fmt.Sprintf("the recorded violation (%s) is gone; undecided whether the run recovers:", recorded)
	case len(l.Mismatches) == 0:
		return fmt.Sprintf("the recorded violation (%s) is gone; the same steps lead to another one:", recorded)
	}
	return fmt.Sprintf("the recorded violation (%s) is gone; the steps that fit lead to another one:", recorded)
}

// differs reports whether the violation of a run is known to differ from the one that its file records.
func (c *checking) differs(l *check.Loaded, rep *report.Report) bool {
	h := &l.Header
	switch kind := sim.FindingKind(h.Finding); {
	case rep.Dead == nil || kind == sim.Nondeterminism:
		return false
	case h.Property == "":
		return kind != "" && kind != rep.Kind
	}
	fails := func(p replay.PropertyState) bool {
		return p.Name == h.Property && !p.Holds && (p.Kind == "always" || rep.Critical != nil)
	}
	known := h.Property == sim.AssertionProperty || slices.Contains(c.listed().Properties, h.Property)
	return known && h.Property != rep.Property && !slices.ContainsFunc(rep.Dead.Properties, fails)
}

// mismatches describes where a run left its path. An empty string means nowhere.
func mismatches(l *check.Loaded) string {
	if len(l.Mismatches) == 0 {
		return ""
	}
	const most = 5
	var b strings.Builder
	fmt.Fprintf(&b, "; %d steps fit, these do not:", l.Followed)
	for i, m := range l.Mismatches {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(l.Mismatches)-most)
			break
		}
		fmt.Fprintf(&b, "\n  %v", m)
		switch m.Instead {
		case "":
			b.WriteString("; left out")
		case m.Key:
		default:
			fmt.Fprintf(&b, "; %s instead", m.Instead)
		}
	}
	return textfmt.Printable(b.String())
}

// show executes the run of a path file and logs its steps.
func (c *checking) show() {
	c.Helper()
	sys, err := check.AsWritten(c.replay, c.system)
	if err != nil {
		c.Fatalf("-macemc.replay: %v", err)
	}
	loaded, err := check.LoadFor(c.Context(), c.replay, &sys, c.respawn())
	left := ""
	if _, unfit := errors.AsType[*replay.MismatchError](err); unfit && !errors.Is(err, exitcode.ErrDiffers) {
		if loaded, err = check.LoadTolerant(c.Context(), c.replay, &sys, c.respawn(), nil); err == nil {
			left = mismatches(loaded)
		}
	}
	if err != nil {
		c.Fatalf("-macemc.replay: %v", err)
	}
	trace, err := loaded.Trace(-1)
	if err != nil {
		c.Fatal(err)
	}
	var text bytes.Buffer
	text.WriteByte('\n')
	if err := task.WriteRun(&text, trace, c.replay, testing.Verbose()); err != nil {
		c.Fatal(err)
	}
	c.Log(text.String())
	what := loaded.Violation(trace)
	if left != "" {
		c.Logf("code or settings have changed since the run was written%s", left)
	}
	switch {
	case what != "":
		c.Error(what)
	case left != "" && loaded.Followed == 0:
		c.Error("no step fits")
	case left != "":
		c.Log("the steps that fit violate nothing; if that is a repair, search again")
	}
}
