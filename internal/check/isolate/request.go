package isolate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
)

// The recorder of a re-execution holds the picks to execute, and beside them the kinds of the points that they
// answered.
const picksRun, kindsRun = 0, 1

// executionRequest names the run that a fresh process executes: a path, or else a script or a path file.
type executionRequest struct {
	path     choose.Path
	Script   *shrink.Script // the length of path then determines the size of the recorder
	File     *pathFileRequest
	Compare  *Comparison // nil means that the execution is not compared
	Describe *extent     // nil means that it is not described
}

// extent is the part of a run that is described.
type extent struct {
	Until int // how many steps are executed and not only described
	Near  int // the first step that is described in full
}

// requestFile is the file beside the recorder with a request, except for its path, which is in the recorder.
const requestFile = "request.json"

// write puts the request into the recorder and the file beside it.
func (o *executionRequest) write(rec *flight.Recorder, dir string) error {
	if o.Script == nil && o.File == nil {
		copy(rec.Recorded(picksRun), o.path)
	}
	return writeJSON(filepath.Join(dir, requestFile), o)
}

// size returns the number of picks in the recorder.
func (o *executionRequest) size() int {
	switch {
	case o.Script != nil: // which may need picks that path does not contain
		return 4*len(o.path) + 1024
	case o.File != nil: // which does not contain picks of "no fault"
		return flight.Picks
	}
	return max(len(o.path), 1)
}

// ErrOutside is the error of a fresh process that was stopped from outside, twice.
var ErrOutside = errors.New("a signal such as SIGSTOP has stopped a process that executes a run again")

// Fresh starts fresh processes. Each executes one run.
type Fresh struct {
	// Respawn makes the command that starts a process, which must call [Reexecute] with the same system.
	Respawn func() *exec.Cmd
	Limit   time.Duration // of a step; exceeding it is a death, too
}

// remains is the result of a fresh process.
type remains struct {
	death     *Death // how it died; nil means that it did not
	last      *Death // the last step of the run if it did not die, as if it had died in it
	rec       *flight.Recorder
	execution *Execution   // if it is compared, and did not die
	described *description // if it is described
}

// execute executes a request in a fresh process. A request is executed a second time if a signal ended or stopped its
// process, which may have come from outside (code that sends the signal does so again), or if the process exceeded the
// time limit and no checked code was seen running, because it may have been starting, ending, or waiting for the machine.
func (f Fresh) execute(ctx context.Context, o executionRequest) (remains, error) {
	temp, err := temporary()
	if err != nil {
		return remains{}, err
	}
	defer temp.Remove()
	left, err := f.executeOnce(ctx, temp.Path, o)
	if d := left.death; errors.Is(err, ErrOutside) || d != nil && (d.signal != "" || d.Endless && d.Stack == "" && !d.hugeStacks) {
		left, err = f.executeOnce(ctx, temp.Path, o)
	}
	switch {
	case err != nil:
	case o.Describe != nil:
		left.described, err = readDescription(temp.Path)
	case o.Compare != nil && left.death == nil:
		left.execution, err = readExecution(temp.Path)
	}
	return left, err
}

func (f Fresh) executeOnce(ctx context.Context, dir string, o executionRequest) (left remains, err error) {
	file := filepath.Join(dir, "flight")
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	if left.rec, err = flight.Create(file, 2, o.size()); err != nil {
		return left, err
	}
	if err := o.write(left.rec, dir); err != nil {
		return left, err
	}
	if left.death, err = await(ctx, f, file, left.rec); err != nil {
		return left, err
	}
	at := left.death
	if at == nil {
		at = found(left.rec)
		at.mismatch = left.rec.Get(flight.Used) < len(given(o.path))
		left.last = at
	}
	at.outline = outline(left.rec, dir)
	return left, nil
}

// Examine executes path in a fresh process and returns how that process died; nil means that it did not. Then it returns
// the last step of the run, as if the process had died in it.
func (f Fresh) Examine(ctx context.Context, path choose.Path) (d, last *Death, err error) {
	left, err := f.execute(ctx, executionRequest{path: path})
	return left.death, left.last, err
}

// ExamineScript executes script as [Fresh.Examine] executes a path. The length of path determines the size of the recorder.
func (f Fresh) ExamineScript(ctx context.Context, path choose.Path, script *shrink.Script) (*Death, error) {
	left, err := f.execute(ctx, executionRequest{path: path, Script: script})
	return left.death, err
}

// Execute executes path in a fresh process and returns the execution, or how that process died.
func (f Fresh) Execute(ctx context.Context, path choose.Path, by Comparison) (*Execution, *Death, error) {
	left, err := f.execute(ctx, executionRequest{path: path, Compare: &by})
	return left.execution, left.death, err
}

// FileRun is the execution of a path file in a fresh process.
type FileRun struct {
	Death           *Death      // how it died; nil means that it did not
	Path            choose.Path // the picks that it used
	LeakStep        int         // the first step that left goroutines running
	BeforeLeak      choose.Path // the path before that step
	LeaksGoroutines bool        // there is such a step
}

// ExamineFile is [Fresh.Examine] for the text of a path file. A tolerant process also follows a file of another version
// of the system, see [replay.FollowFile].
func (f Fresh) ExamineFile(ctx context.Context, text string, tolerant bool) (*FileRun, error) {
	left, err := f.execute(ctx, executionRequest{File: &pathFileRequest{text, tolerant}})
	if err != nil {
		return nil, err
	}
	rec := left.rec
	run := &FileRun{Death: left.death, LeaksGoroutines: rec.Get(flight.LeakedIn) != 0}
	run.Path = rec.Recorded(picksRun)[:rec.Get(flight.Used)].Clone()
	run.LeakStep, run.BeforeLeak = firstLeak(rec)
	return run, nil
}

// Describe executes the run in a fresh process and describes it. If that process dies, it also sets Death.
func (r *FileRun) Describe(ctx context.Context, f Fresh, steps int) (*replay.Trace, error) {
	left, err := f.execute(ctx, executionRequest{path: r.Path, Describe: &extent{Until: steps}})
	if err != nil {
		return nil, err
	}
	if d := left.death; d != nil {
		d.described, d.BeforeLeak = left.described, r.BeforeLeak
		r.Death = d
	}
	return left.described.trace, nil
}

// pathFileRequest is a path file to follow in place of picks.
type pathFileRequest struct {
	Text     string
	Tolerant bool // as by [replay.FollowFile]
}
