package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Report is the JSON output of the command.
type Report struct {
	System       string         `json:"system"`
	Bugs         []string       `json:"bugs"`
	Nodes        int            `json:"nodes"`
	Verdict      string         `json:"verdict"` // ok, violation, inconclusive, interrupted
	Seconds      float64        `json:"seconds"`
	Live         bool           `json:"live"`
	Down         []int          `json:"down,omitempty"`       // nodes that are not up at the end
	LiveAfter    float64        `json:"live_after,omitempty"` // seconds after which it stayed live
	Properties   []liveProperty `json:"properties"`
	Finding      string         `json:"finding,omitempty"`
	Recording    string         `json:"recording"`
	Steps        int            `json:"steps"`
	Compared     int            `json:"states_compared"`
	Crashes      int            `json:"crashes"`
	Disagreement string         `json:"disagreement,omitempty"`
	Notes        []string       `json:"notes,omitempty"`

	watched bool // whether a monitor found the violation
}

type liveProperty struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Holds bool   `json:"holds"`
}

// conclude executes the whole run in the checker and reports the result.
func (x *fleet) conclude(ctx context.Context) error {
	r := &x.report
	r.System, r.Bugs, r.Nodes = x.subject.System.Name, append([]string{}, x.subject.Config.Bugs...), len(x.nodes)
	r.Seconds, r.Recording = time.Since(x.begun).Seconds(), x.recordings()
	var m *recording.Merged
	var t *replay.Trace
	var err error
	if !patient(ctx, mergeAfterSignal, func() { m, t, err = x.merged() }) {
		return x.unmerged(ctx)
	}
	if err != nil {
		return err
	}
	r.Steps, r.Compared, r.Crashes, r.Notes = len(m.Origins), m.Compared, m.System.Crashes, m.Notes
	r.Notes = append(r.Notes, x.gaveUp...)
	r.Down = x.down()
	r.Live = x.missing() == "" && len(x.gaveUp) == 0 && t.Finding == nil
	for _, p := range t.Properties {
		r.Properties = append(r.Properties, liveProperty{p.Name, p.Kind, p.Holds})
		r.Live = r.Live && (p.Holds || p.Kind == "sometimes")
	}
	if r.Live {
		r.LiveAfter = cmp.Or(x.liveSince.Seconds(), r.Seconds) // unknown if it was not checked again
	}
	if t.Finding != nil {
		r.Finding = t.Finding.Error()
		r.watched = slices.Contains(m.System.MonitorNames(), t.Finding.Property)
	} else if len(x.crashed) > 0 {
		r.Finding = strings.Join(x.crashed, "; ")
	}
	r.Verdict = "inconclusive"
	status := exitcode.Inconclusive
	if m.Disagreement != nil {
		r.Disagreement = m.Disagreement.Error()
	}
	switch {
	case r.Finding != "":
		r.Verdict, status = "violation", exitcode.Violation
	case r.Live && m.Disagreement == nil:
		r.Verdict, status = "ok", exitcode.OK
	}
	if status != exitcode.Violation && ctx.Err() != nil {
		r.Verdict, status = string(search.Interrupted), exitcode.Of(search.Interrupted, context.Cause(ctx))
	}
	if x.flags.json {
		err = task.WriteJSON(x.a.Stdout, r)
	} else {
		x.tell(r)
	}
	return x.a.StatusError(ctx, status, err)
}

// mergeAfterSignal is the time limit for merging the recordings after a signal has stopped the nodes.
const mergeAfterSignal = 10 * time.Second

// merged returns the recorded run.
func (x *fleet) merged() (*recording.Merged, *replay.Trace, error) {
	m, err := check.MergeRecordings(x.a.Systems, x.recordings())
	if err != nil {
		return nil, nil, err
	}
	t, err := replay.End(&m.System, m.Path, kernel.Options{})
	return m, t, err
}

// unmerged reports a run whose recordings were not merged because of a signal.
func (x *fleet) unmerged(ctx context.Context) error {
	r := &x.report
	r.Properties, r.Verdict = []liveProperty{}, string(search.Interrupted)
	r.Notes = append(r.Notes, "the recordings were not merged, and nothing was checked")
	status := exitcode.Of(search.Interrupted, context.Cause(ctx))
	var err error
	if x.flags.json {
		err = task.WriteJSON(x.a.Stdout, r)
	} else {
		_, err = fmt.Fprintf(x.out(), "\n%s: stopped after %.1fs; the recordings were not merged, and nothing was checked\n  merge:  %s replay %s\n",
			r.System, r.Seconds, x.a.Program, task.ShellWord(r.Recording))
	}
	return x.a.StatusError(ctx, status, err)
}

// patient waits for f and reports whether it has returned. It stops waiting when ctx is done, or after the given time if ctx was done at
// the beginning. f then continues in the background; the process is about to end.
func patient(ctx context.Context, after time.Duration, f func()) bool {
	var cancel context.CancelFunc
	if ctx.Err() != nil {
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), after)
		defer cancel()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

func (x *fleet) tell(r *Report) {
	out := textfmt.Printer(x.out())
	outcome := fmt.Sprintf("not live after %.1fs", r.Seconds)
	if r.Live {
		outcome = fmt.Sprintf("live after %.1fs", r.LiveAfter)
	}
	if len(r.Down) > 0 {
		outcome += " without " + replay.ListNodes(r.Down)
	}
	fmt.Fprintf(out, "\n%s: %s, %d nodes, %d steps\n", r.System, outcome, r.Nodes, r.Steps)
	for _, p := range r.Properties {
		state := "holds"
		if !p.Holds {
			state = "does not hold"
		}
		fmt.Fprintf(out, "  %-13s  %s: %s\n", state, p.Kind, p.Name)
	}
	if r.Finding != "" {
		fmt.Fprintf(out, "  found: %s\n", r.Finding)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	if r.Disagreement != "" {
		fmt.Fprintf(out, "  the recording differs from the checked system: %s\n", r.Disagreement)
	} else {
		fmt.Fprintf(out, "  the checker reaches the same %d recorded states\n", r.Compared)
	}
	commands := [][2]string{{"look", "mdb"}}
	if len(r.Down) == 0 || x.subject.System.Halts == 0 { // otherwise it would begin with the boot of a node that should stay down
		commands = append(commands, [2]string{"onward", "search --from"})
	}
	if r.watched {
		commands = append(commands, [2]string{"orders", "observe"})
	}
	if !r.Live && r.Finding == "" {
		commands = append(commands, [2]string{"dead?", "critical"})
	}
	for _, c := range commands {
		fmt.Fprintf(out, "  %-7s %s %s %s\n", c[0]+":", x.a.Program, c[1], task.ShellWord(r.Recording))
	}
}
