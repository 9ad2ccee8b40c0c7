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

// Modes of an execution, which select what it records beside its end. 0 means nothing.
const (
	CompareStates            = 1 // with the options of the search
	CompareStatesAndMessages = 2 // also with CheckMessages of [kernel.Options]
	describeSteps            = 3 // see [Death.Describe]
	CompareStatesAndProperty = 4 // and more: also with the value of the property with this index in the last state, see [Execute]
)

// executionRequest names the run that a fresh process executes: a path, or else a script or a path file.
type executionRequest struct {
	path   choose.Path
	Script *shrink.Script // the length of path then determines the size of the recorder
	File   *pathFileRequest
	Mode   int
	Until  int // how many steps are executed and not only described, with describeSteps
	Near   int // the first step that is described in full, with describeSteps
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

// isolate executes a request in a fresh process and returns how it died; nil means that it did not. It passes the recorder
// and the folder of the process to read. A request is executed a second time if a signal ended or stopped its process, which
// may have come from outside (code that sends the signal does so again), or if the process exceeded the time limit and no
// checked code was seen running, because it may have been starting, ending, or waiting for the machine.
func isolate(
	ctx context.Context, respawn func() *exec.Cmd, o executionRequest, limit time.Duration,
	read func(d *Death, rec *flight.Recorder, dir string) error,
) (*Death, error) {
	temp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	d, rec, err := isolateOnce(ctx, temp.Path, respawn, o, limit)
	if errors.Is(err, ErrOutside) || d != nil && (d.signal != "" || d.Endless && d.Stack == "" && !d.hugeStacks) {
		d, rec, err = isolateOnce(ctx, temp.Path, respawn, o, limit)
	}
	if err != nil {
		return nil, err
	}
	return d, read(d, rec, temp.Path)
}

func isolateOnce(
	ctx context.Context, dir string, respawn func() *exec.Cmd, o executionRequest, limit time.Duration,
) (*Death, *flight.Recorder, error) {
	file := filepath.Join(dir, "flight")
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	rec, err := flight.Create(file, 2, o.size())
	if err != nil {
		return nil, nil, err
	}
	if err := o.write(rec, dir); err != nil {
		return nil, nil, err
	}
	d, err := await(ctx, file, rec, respawn, limit)
	if d != nil {
		d.outline = outline(rec, dir)
	}
	return d, rec, err
}

// ExamineScript executes script as [Examine] executes a path. The length of path determines the size of the recorder.
func ExamineScript(
	ctx context.Context, respawn func() *exec.Cmd, path choose.Path, script *shrink.Script, limit time.Duration,
) (*Death, error) {
	return isolate(ctx, respawn, executionRequest{path: path, Script: script}, limit,
		func(*Death, *flight.Recorder, string) error { return nil })
}

// ExecuteIsolated executes path in a fresh process and returns the execution, or how that process died. mode is
// CompareStates, CompareStatesAndMessages, or CompareStatesAndProperty plus an index.
func ExecuteIsolated(
	ctx context.Context, respawn func() *exec.Cmd, path choose.Path, mode int, limit time.Duration,
) (x *Execution, d *Death, err error) {
	read := func(d *Death, _ *flight.Recorder, dir string) (err error) {
		if d == nil {
			x, err = readExecution(dir)
		}
		return err
	}
	d, err = isolate(ctx, respawn, executionRequest{path: path, Mode: mode}, limit, read)
	return x, d, err
}

// FileRun is the execution of a path file in a fresh process.
type FileRun struct {
	Death           *Death      // how it died; nil means that it did not
	Path            choose.Path // the picks that it used
	LeakStep        int         // the first step that left goroutines running
	BeforeLeak      choose.Path // the path before that step
	LeaksGoroutines bool        // there is such a step
}

// ExamineFile is [Examine] for the text of a path file. A tolerant process also follows a file of another version of
// the system, see [replay.FollowFile].
func ExamineFile(ctx context.Context, respawn func() *exec.Cmd, text string, tolerant bool, limit time.Duration) (*FileRun, error) {
	run := new(FileRun)
	_, err := isolate(ctx, respawn, executionRequest{File: &pathFileRequest{text, tolerant}}, limit,
		func(d *Death, rec *flight.Recorder, _ string) error {
			run.Death, run.LeaksGoroutines = d, rec.Get(flight.LeakedIn) != 0
			run.Path = rec.Recorded(picksRun)[:rec.Get(flight.Used)].Clone()
			run.LeakStep, run.BeforeLeak = firstLeak(rec)
			return nil
		})
	return run, err
}

// Describe executes the run in a fresh process and describes it. If that process dies, it also sets Death.
func (r *FileRun) Describe(ctx context.Context, respawn func() *exec.Cmd, steps int, limit time.Duration) (*replay.Trace, error) {
	run, died, err := describe(ctx, respawn, r.Path, steps, 0, limit)
	if err != nil {
		return nil, err
	}
	if died != nil {
		died.described, died.BeforeLeak = run, r.BeforeLeak
		r.Death = died
	}
	return run.trace, nil
}

// pathFileRequest is a path file to follow in place of picks.
type pathFileRequest struct {
	Text     string
	Tolerant bool // as by [replay.FollowFile]
}
