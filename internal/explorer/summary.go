package explorer

import (
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// Kinds of a test in a summary.
const (
	SampledOnly = "sampled"
	Complete    = "complete"
	CompleteFor = "drawn"   // complete for what its schedules drew, see Coverage.Drawn
	Suspect     = "suspect" // a finding was not yet confirmed or minimized
	New         = "new"     // a finding is not known
	Hidden      = "hidden"  // known findings hide the rest of the test
	Damaged     = "damaged" // a stored schedule cannot be read
)

// EndedEarly is the note of a test while it is explored, and EndedBefore a part of the note of a finding until it is minimized. They remain
// if the process ends. The command replaces its end by the cause, if that is known.
const (
	ended       = "the process ended"
	Exploring   = " during the exploration"
	Before      = " before this was "
	EndedEarly  = ended + Exploring
	EndedBefore = "(" + ended + Before
)

// summarize updates the package's summary for the command.
func (s *Settings) summarize(u testsched.Unit, r *Result, note string) {
	kind := SampledOnly
	if r.Complete != nil && r.Missing == "" {
		if kind = Complete; r.Complete.Drawn != 0 {
			kind = CompleteFor
		}
	}
	s.summarizeAs(kind, u, r, note)
}

func (s *Settings) summarizeAs(kind string, u testsched.Unit, r *Result, note string) {
	if s.summaries == "" {
		return
	}
	test := u.String()
	preemptions := Unbounded
	if kind == Complete || kind == CompleteFor {
		preemptions = r.Complete.Preemptions
	}
	if strings.Contains(s.summary[test], " "+New+" ") && (kind == Hidden || kind == Damaged) {
		kind = New // an earlier execution of the same test, as with -count, has failed
	}
	s.summary[test] = fmt.Sprintf("%q %d %d %s %d %d %q\n", test, r.Schedules, r.Elapsed.Microseconds(), kind, preemptions, r.Delays, note)
	if v := r.Saved; v != (Saved{}) {
		s.summary[test] += fmt.Sprintf("saved %q %d %d %d %q %q\n", test, v.Passing, v.Unfit, v.Unlike, v.UnfitFile, v.UnlikeFile)
	}
	if kind == SampledOnly && r.Complete == nil && !r.Exhaustive && r.Orders > 1 {
		s.summary[test] += fmt.Sprintf("coverage %q %f\n", test, r.knownShare())
	}
	if n := r.predictions.counts(r.Finding); n.Predicted > 0 {
		s.summary[test] += fmt.Sprintf("predictions %q %d %d %d %d %d\n", test, n.Predicted, n.Tried, n.Confirmed, n.Others, n.Cut)
	}
	s.summary[test] += s.limits.shortLine(test, r) + resultLines(test, r)
	known, fixed, unsought := s.knownLines(r)
	for i, lines := range [][]string{known, fixed, unsought} {
		for _, text := range lines {
			s.summary[test] += fmt.Sprintf("%s %q %q\n", []string{"known", "fixed", "unsought"}[i], test, text)
		}
	}
	s.writeSummary(u.Package)
}

// summaryRoom is the least room for more text in the file of a summary that was written before the disk was full.
const summaryRoom = 4096

// writeSummary writes the package's summary over the old one. The file has room for a finding and is not truncated, so that a finding can
// be added after the disk is full.
func (s *Settings) writeSummary(pkg string) {
	if s.summaries == "" {
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.summary)) {
		b.WriteString(s.summary[name])
	}
	f, err := os.OpenFile(SummaryFile(s.summaries, pkg), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	const unit = 4 * summaryRoom
	size := (b.Len() + summaryRoom + unit - 1) / unit * unit
	if info, err := f.Stat(); err == nil {
		size = max(size, int(info.Size()))
	}
	b.WriteString(strings.Repeat(" ", size-b.Len()-1) + "\n")
	f.WriteString(b.String())
}

// BegunFile returns the file in a folder of summaries that each test binary writes when it starts.
func BegunFile(dir string) string { return filepath.Join(dir, "begun") }

// AnnouncementsFile returns the file in a folder of summaries that holds lines for immediate display.
func AnnouncementsFile(dir string) string { return filepath.Join(dir, "announcements") }

// announce adds a line for immediate display. The go command withholds the output of tests until their package ends.
func (s *Settings) announce(line string) {
	if s.summaries == "" || s.only.outcome != "" {
		return
	}
	if f, err := os.OpenFile(AnnouncementsFile(s.summaries), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
		f.WriteString(line + "\n")
		f.Close()
	}
}

// SummaryFile returns the file of a package's summary.
func SummaryFile(dir, pkg string) string {
	return filepath.Join(dir, hex.EncodeToString([]byte(pkg)))
}

// SummaryPackage returns the package whose summary is in a file of that name, or an empty string.
func SummaryPackage(name string) string {
	pkg, err := hex.DecodeString(name)
	if err != nil {
		return ""
	}
	return string(pkg)
}
