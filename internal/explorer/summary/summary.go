// Package summary passes what explorations report from the processes of tests to the command, in the files of a folder.
package summary

import "time"

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

// Test describes the exploration of a test to the command. The file of a package has one of them a line.
type Test struct {
	Test, Kind, Note string
	Schedules        int
	Elapsed          time.Duration
	Preemptions      int           // see Coverage
	Delays           time.Duration // see Result
	Saved            Saved
	Sampled          bool // the share of new orders is estimated
	Unsaturated      bool // new orders are not rare
	Predictions      Predictions
	Short            *Short // nil means that the exploration had its full time
	Delayed          *Delay
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

// KnownPrefix returns the beginning of a line about a known finding. hidden means that no schedule of the test passes.
func KnownPrefix(hidden bool) string {
	if hidden {
		return "known, and nothing else could be looked at: "
	}
	return "known: "
}

// Short describes an exploration that was ended before its full time.
type Short struct {
	By       string // what ended it
	Unvaried bool   // it had the default order only
	Full     time.Duration
}

// Delay describes a failure because a goroutine was held for longer than usual.
type Delay struct {
	Text  string
	Delay time.Duration
}

// LongerDelay returns the delay that is suggested if one was too short.
func LongerDelay(d time.Duration) time.Duration { return 100 * d }
