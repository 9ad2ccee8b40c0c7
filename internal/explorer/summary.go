package explorer

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer/systematic"
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

// Summary describes the exploration of a test to the command. The file of a package has one of them a line.
type Summary struct {
	Test, Kind, Note string
	Schedules        int
	Elapsed          time.Duration
	Preemptions      int           // see Coverage
	Delays           time.Duration // see Result
	Saved            Saved
	Sampled          bool // the share of new orders is estimated
	Unsaturated      bool // new orders are not rare
	Predictions      PredictionCounts
	Short            *Short // nil means that the exploration had its full time
	Delayed          *DelayNote
	Reported
	KnownFindings
}

// Reported is what package testing shows, and the places of findings.
type Reported struct {
	Skipped  bool     // the test skips itself
	Finding  string   // empty means none
	Text     string   // without a finding
	Shows    string   // identifies a finding whose schedule is stored; empty means none
	Place    *Place   // of the finding; nil means none
	Accepted []*Place // of known findings
}

// KnownFindings has a line for each known finding that recurred, is fixed, or could not be shown by this command.
type KnownFindings struct{ Known, Fixed, Unsought []string }

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
	if s.Summaries == "" {
		return
	}
	test := u.String()
	if old := s.summary[test]; old != nil && old.Kind == New && (kind == Hidden || kind == Damaged) {
		kind = New // an earlier execution of the same test, as with -count, has failed
	}
	t := &Summary{Test: test, Kind: kind, Note: note, Schedules: r.Schedules, Elapsed: r.Elapsed, Preemptions: systematic.Unbounded, Delays: r.Delays,
		Saved: r.Saved, Short: s.limits.cutShort(r), Reported: r.reportedTo(), KnownFindings: s.knownFindings(r)}
	if r.Finding == nil && !r.Ended {
		t.Delayed = r.predictions.delayNote()
	}
	if kind == Complete || kind == CompleteFor {
		t.Preemptions = r.Complete.Preemptions
	}
	t.Sampled = kind == SampledOnly && r.Complete == nil && !r.Exhaustive && r.Orders > 1
	t.Unsaturated = t.Sampled && r.knownShare() < fewNewOrders
	if n := r.predictions.counts(r.Finding); n.Predicted > 0 {
		t.Predictions = n
	}
	s.summary[test] = t
	s.writeSummary(u.Package)
}

// reportedTo returns the part of a summary that the report and the findings make up.
func (r *Result) reportedTo() (s Reported) {
	s.Skipped = r.First != nil && r.First.Skipped
	switch p := r.reported; {
	case p == nil:
	case p.place != nil:
		s.Finding, s.Shows, s.Place = p.Finding, p.shows, p.place
	default:
		s.Text = cmp.Or(p.Note, p.Known)
	}
	for _, k := range r.known {
		if k.recurred {
			kind, _, _ := strings.Cut(k.Finding, ":")
			p := &Place{Kind: strings.ToLower(kind), Title: k.Finding, Known: k.Known}
			p.store(k.File, "")
			s.Accepted = append(s.Accepted, p)
		}
	}
	return s
}

// ReadSummaries reads the file of a package, in the order of the names of its tests. It leaves out lines that are incomplete because they
// are being written.
func ReadSummaries(file string) (list []*Summary) {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		t := new(Summary)
		if json.Unmarshal([]byte(line), t) == nil {
			list = append(list, t)
		}
	}
	return list
}

// summaryRoom is the least room for more text in the file of a summary that was written before the disk was full.
const summaryRoom = 4096

// writeSummary writes the package's summary over the old one. The file has room for a finding and is not truncated, so that a finding can
// be added after the disk is full.
func (s *Settings) writeSummary(pkg string) {
	if s.Summaries == "" {
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.summary)) {
		line, _ := json.Marshal(s.summary[name])
		b.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(SummaryFile(s.Summaries, pkg), os.O_WRONLY|os.O_CREATE, 0o666)
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
	if s.Summaries == "" || s.Outcome != "" {
		return
	}
	if f, err := os.OpenFile(AnnouncementsFile(s.Summaries), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
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
