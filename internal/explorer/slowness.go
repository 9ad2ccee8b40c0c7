package explorer

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/cpuprofile"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Bounds of the search for what makes runs slow.
const (
	slowRate    = 100                    // schedules per second of processor time below which runs are slow
	fewRuns     = 100                    // schedules of a test below which a note names the cause
	pointTime   = 10 * time.Microsecond  // of a scheduling point, at most
	profileTime = 300 * time.Millisecond // of the runs that are profiled
	mostlyWaits = 20                     // multiple of its processor time that a run takes if it mostly waits
)

// slowness describes why there are few schedules for the processor time. An empty string means that there are not.
func slowness(r *Result, busiest func(runs int) string) string {
	if r.First == nil || r.Schedules == 0 || float64(r.Schedules) >= slowRate*r.processor.Seconds() {
		return ""
	}
	run := r.processor / time.Duration(r.Schedules)
	if real := r.Elapsed / time.Duration(r.Schedules); real > mostlyWaits*run {
		return fmt.Sprintf("a run takes %v, in which it mostly waits for the system", real.Round(time.Millisecond))
	}
	text := fmt.Sprintf("a run takes %v because it has %d scheduling points", run.Round(time.Millisecond), r.First.Points)
	if run > time.Duration(r.First.Points)*pointTime {
		text = fmt.Sprintf("a run takes %v, most of it between its %d scheduling points", run.Round(time.Millisecond), r.First.Points)
		if r.Schedules < fewRuns {
			text += busiest(min(r.Schedules, 1+int(profileTime/run)))
		}
	}
	return text
}

// busiest executes an exploration in a new process, and describes the function of a module in which most of the time passes. An empty string
// means that there is none.
func busiest(s *Settings, c *Config, runs int) string {
	f, err := os.CreateTemp("", "macemc-profile-")
	if err != nil {
		return ""
	}
	defer os.Remove(f.Name())
	defer f.Close()
	s.fresh(c, execution{schedules: runs, profile: f.Name()})
	samples, err := cpuprofile.Read(f)
	if err != nil {
		return ""
	}
	frame, share := cpuprofile.Busiest(samples, func(f cpuprofile.Frame) bool { return ofModules(program.PackageOf(f.Function), s.modules) })
	const least = 0.3
	if share < least {
		return ""
	}
	return fmt.Sprintf(" (%.0f %% in %s at %s:%d)", 100*share, path.Base(frame.Function), s.shown(frame.File), frame.Line)
}

// slowNote returns the note of a test with few schedules. An empty string means none.
func slowNote(r *Result) string {
	if r.slow == "" || r.Schedules >= fewRuns || !r.spent || r.raise != "" {
		return ""
	}
	return fmt.Sprintf("only %s: %s", program.Plural(r.Schedules, "schedule", "schedules"), r.slow)
}

// ofModules reports whether a package belongs to one of the comma-separated modules.
func ofModules(pkg, modules string) bool {
	for m := range strings.SplitSeq(modules, ",") {
		if m != "" && (strings.TrimSuffix(pkg, "_test") == m || strings.HasPrefix(pkg, m+"/")) {
			return true
		}
	}
	return false
}
