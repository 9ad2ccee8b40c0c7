package document

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// LogWidth returns the width of text that is not shown on a terminal: $COLUMNS, or a width that suits logs and
// pagers.
func LogWidth() int {
	const wide = 160
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return wide
}

// seconds formats a duration.
func seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.1fs", s)
	}
	return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
}

// limitName names the limit of a fault.
func limitName(f sim.Fault) string { return strings.ReplaceAll(f.String(), "-", " ") }

// ended describes why the search ended early, as in ", stopped at the limit of CPU time".
func ended(r *report.Report) string {
	why, ok := map[string]string{
		stats.StoppedTime:         "stopped at the limit of CPU time",
		stats.StoppedPaths:        "stopped at the path limit",
		stats.StoppedDepth:        "stopped at the depth limit",
		stats.StoppedMemory:       "stopped at the memory limit",
		stats.StoppedDisk:         "the disk is full",
		stats.StoppedInterrupted:  "INTERRUPTED",
		stats.StoppedStuck:        "stopped by a handler that did not return",
		stats.StoppedFingerprints: "fingerprints are too short to distinguish all states",
		stats.StoppedCrashes:      "omitted crashes may change the verdict",
		stats.StoppedFound:        "",
		stats.StoppedKnown:        "states after known findings were not visited",
		stats.StoppedLost:         "the search process died",
		stats.StoppedUnresponsive: "killed: it did not stop at the time limit",
	}[r.Stopped]
	if !ok {
		why = r.Stopped
	}
	if why == "" || r.Stopped == stats.StoppedComplete {
		return ""
	}
	return ", " + why
}

// Setting describes the part of the setting that all systems have: time, size, limits, timing.
func Setting(r *report.Report) string {
	parts := append([]string{elapsed(r)}, size(r)...)
	if r.Timing != "" {
		parts = append(parts, timingText(r))
	}
	if r.Clocks != "" {
		parts = append(parts, "clocks: "+r.Clocks)
	}
	return strings.Join(parts, ", ")
}

// detailFacts shows the settings that the headline leaves out.
func detailFacts(r *report.Report) []Fact {
	details := params(r)
	if r.CrashCut != "" {
		details = slices.Insert(details, 0, "crash cut "+r.CrashCut)
	}
	return onlyWithText(Fact{"settings:", strings.Join(details, ", "), ""})
}

// size returns the number of nodes and the limits of faults, of a known run with the number of faults in it.
func size(r *report.Report) []string {
	parts := []string{textfmt.Plural(r.Nodes, "node")}
	var used sim.Limits
	if r.Dead != nil {
		used = faultsIn(r.Dead)
	}
	for f, allowed := range r.Limits {
		switch {
		case allowed == 0:
		case r.Dead == nil:
			parts = append(parts, fmt.Sprintf("%s<=%d", limitName(sim.Fault(f)), allowed))
		default:
			parts = append(parts, fmt.Sprintf("%s %d of %d used", limitName(sim.Fault(f)), used[f], allowed))
		}
	}
	return parts
}

// faultsIn counts the faults in a run.
func faultsIn(t *replay.Trace) (used sim.Limits) {
	for i := range t.Steps {
		s := &t.Steps[i]
		if f, ok := s.Event.Fault(); ok {
			used[f]++
		} else if s.Halted {
			used[sim.Halts]++
		} else if s.Crashed {
			used[sim.Crashes]++
		}
	}
	return used
}

// Deciding describes the part of the setting that a finding depends on: size, used faults, parameters, and for liveness
// the timing, unless it is the default.
func Deciding(r *report.Report) string {
	parts := size(r)
	if TimingAssumption(r) != "" {
		if r.Timing != sim.ByDeadline.String() {
			parts = append(parts, "timing "+r.Timing)
		}
		if r.Clocks != "" {
			parts = append(parts, "clocks: "+r.Clocks)
		}
	}
	return strings.Join(append(parts, slices.DeleteFunc(params(r), func(p string) bool { return strings.HasPrefix(p, weights) })...), ", ")
}

// weights is the beginning of a parameter that records the weights of walks.
const weights = "walk-weights="

func params(r *report.Report) (parts []string) {
	for _, k := range slices.Sorted(maps.Keys(r.Params)) {
		parts = append(parts, k+"="+r.Params[k])
	}
	return parts
}

// Searched describes how the run was found.
func Searched(r *report.Report) string {
	text := fmt.Sprintf("strategy %s, seed %d", r.Strategy, r.Seed)
	if r.Schedule != "" {
		text = fmt.Sprintf("strategy %s, a walk with schedule %s, seed %d", r.Strategy, r.Schedule, r.Seed)
	}
	if r.Events > 0 {
		text += fmt.Sprintf("; found after %s paths and %s events", textfmt.Number(r.Paths), textfmt.Number(r.Events))
	}
	return text
}

// SystemName returns the system with its enabled bugs.
func SystemName(r *report.Report) string {
	switch len(r.Bugs) {
	case 0:
		return r.System
	case 1:
		return fmt.Sprintf("%s with bug %s", r.System, r.Bugs[0])
	}
	return fmt.Sprintf("%s with bugs %s", r.System, strings.Join(r.Bugs, ", "))
}

// median returns the class of h that contains the median, as "22" or "16-31".
func median(h *stats.Histogram) string {
	rest := (h.Count + 1) / 2
	for class, n := range h.Buckets {
		if rest -= n; rest > 0 || n == 0 {
			continue
		}
		low, high := 0, 0
		if class > 0 {
			low, high = 1<<(class-1), 1<<class-1
		}
		low, high = max(low, h.Min), min(high, h.Max)
		if low == high {
			return textfmt.Number(low)
		}
		return textfmt.Number(low) + "-" + textfmt.Number(high)
	}
	return "0"
}

var kindNames = map[sim.FindingKind]string{
	sim.Safety:         "safety violation",
	sim.Liveness:       "liveness violation",
	sim.Deadlock:       "deadlock",
	sim.Starvation:     "starved forever",
	sim.Panic:          "panic",
	sim.Divergence:     "divergence",
	sim.Nondeterminism: "nondeterminism",
}

// KindName names a kind of finding.
func KindName(k sim.FindingKind) string { return kindNames[k] }
