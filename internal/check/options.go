package check

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Options define the check and the handling of its findings. The zero value of each field but Search is its default.
type Options struct {
	// Search configures the search. Run sets Confirm itself. There are PathBuffers for twice the number of
	// workers: the second half confirms suspects.
	Search search.Config
	// Header is the header of path files, except for the fields that system and finding determine.
	Header pathfile.Header
	// Dir is the folder for a violation. If it is in use, the files go to a numbered folder in it. An empty string
	// means a new folder in [outfolder.Root], named after the finding.
	Dir string
	// Replace makes the findings of this check replace those of an earlier one, in Dir and in numbered folders in it.
	// Other files stay; if one of them has a needed name, a numbered folder is used. Dir is left as it is if it
	// already holds the same path.
	Replace bool
	// Root is the folder with the findings of many checks. Git ignores it. An empty string means [outfolder.Root] if Dir
	// is empty, else none.
	Root string
	// Respawn makes a command that starts this program again and calls [isolate.Reexecute] with the same system. nil
	// means that handlers that do not return are only suspected.
	Respawn func() *exec.Cmd
	// NoShrink leaves a violating run as it was found. ShrinkSteps limits the work of shrinking it, as MaxSteps does
	// in [shrink.Config]. Without it, a run of more than 10,000 steps is not shrunk. The limits for
	// other runs grow with the work of the search (shrinkTime; Config of package shrink). Shrinking ends at
	// [budget.FollowLimit].
	NoShrink    bool
	ShrinkSteps int
	// Unshrunk receives a violation as text before its run is shrunk, which may take long. Its files are in its folder
	// by then, and the files of the shrunk run replace them. If Unshrunk is nil, or with Replace, nothing is written
	// before the run is shrunk. KeepGoing writes these files without the text.
	Unshrunk io.Writer
	// KeepGoing continues after a violation until a limit. It reports violations that differ by kind, property and
	// the code that handled the decisive step. Dead runs without a proven critical step differ by kind and property
	// only. Each has its own numbered folder in Dir.
	KeepGoing bool
	// Known are path files with a line "known REASON". Their findings do not end the search, and do not count in its
	// verdict. A search with a log must have none.
	Known []string
	// Commands, if non-nil, returns the commands suggested for a path file and for the report beside it.
	Commands func(pathFile string) report.Commands

	// OtherVersions are as in [report.Report].
	OtherVersions []report.OtherVersion
	// Shard identifies the part of a divided search. nil means a whole search.
	Shard *report.Shard
	// Kept describes the storage of the search's states. nil means that they are not stored.
	Kept *report.Kept

	// Cluster is the address of remote workers, see RemoteExplorer of [search.Config]. An empty string means none.
	Cluster string

	// RequireProof reports a liveness violation only if it is proven that nothing recovers from the run.
	RequireProof bool
}

// System returns the system with only the checked properties.
func (o *Options) System() (sim.System, error) {
	if o.Search.Property == "" {
		return o.Search.System, nil
	}
	return o.Search.System.Only(o.Search.Property)
}

// checker is a check in progress, or work on the run of a path file.
type checker struct {
	Options
	sys sim.System // with only the checked properties

	assumed      []report.Assumption
	calls        *options.Calls // of the search and of comparisons
	lastProgress search.Progress
	running      int          // goroutines that handlers started and that still ran after the search
	replaced     bool         // the findings of an earlier check are removed
	tempDir      string       // temporary folder of leaveText; an empty string means none
	unshrunkDir  string       // the folder of the finding before it was shrunk; an empty string means none
	asFound      described    // before the run is shrunk
	suspectFile  *suspectFile // nil means that nothing is searched
	problem      error        // of examining a suspect
	progressAt   time.Time
	start        time.Duration // of the check, on the clock of package budget
	used         time.Duration // processor time before the check
	workDir      string        // the current folder when the search began; an empty string means that it is not known
	// criticalConfirm confirms suspects of liveness and deadlock by [critical.Confirm]. It remembers whether an earlier
	// suspect recovered although no walk did.
	criticalConfirm func(context.Context, search.Suspect) (search.Confirmed, error)
}

func newChecker(o Options) (*checker, error) {
	sys, err := o.System()
	return &checker{Options: o, sys: sys}, err
}

// returnHome makes the folder in which the search began the current one again. Names of files are relative to it, and
// checked code may have left it.
func (c *checker) returnHome() {
	if c.workDir != "" {
		_ = os.Chdir(c.workDir) // if this fails, so does writing
	}
}

// fresh starts processes that execute a run again, with the time limit of confirmations.
func (c *checker) fresh() isolate.Fresh {
	return isolate.Fresh{Respawn: c.Respawn, Limit: isolate.ConfirmLimit(c.Search.HandlerLimit)}
}

// following returns the context for the work after a finding, see [budget.FollowLimit].
func (c *checker) following(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Search.Time > 0 {
		return budget.WithDeadline(ctx, c.start+budget.FollowLimit(c.Search.Time))
	}
	return context.WithCancel(ctx)
}

// tell shows the phase after a suspect or a finding.
func (c *checker) tell(phase string) {
	if c.Search.Progress != nil {
		at := c.lastProgress
		if !c.progressAt.IsZero() {
			at.Elapsed += time.Since(c.progressAt)
		}
		at.Phase = phase
		c.Search.Progress(at)
	}
}
