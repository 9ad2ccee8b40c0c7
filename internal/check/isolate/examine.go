package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/internal/stacks"
)

// Examine executes path in a fresh process, with limit as the time limit of each step, and returns how that process
// died; nil means that it did not. Then it returns the last step of the run, as if the process had died in it. respawn
// makes the command that starts the process, which must call [Reexecute] with the same system. Exceeding the limit is a
// death, too.
func Examine(ctx context.Context, respawn func() *exec.Cmd, path choose.Path, limit time.Duration) (d, last *Death, err error) {
	temp, err := temporary()
	if err != nil {
		return nil, nil, err
	}
	defer temp.Remove()
	d, rec, err := isolateIn(ctx, temp, respawn, executionRequest{path: path}, limit)
	if d != nil || err != nil {
		return d, nil, err
	}
	last = found(rec)
	last.outline = outline(rec, temp.Path)
	if end := slices.Index(path, flight.None); end >= 0 {
		path = path[:end]
	}
	last.mismatch = rec.Get(flight.Used) < len(path)
	return nil, last, nil
}

// ExamineScript executes script as [Examine] executes a path. The length of path determines the size of the recorder.
func ExamineScript(
	ctx context.Context, respawn func() *exec.Cmd, path choose.Path, script *shrink.Script, limit time.Duration,
) (*Death, error) {
	temp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	d, _, err := isolateIn(ctx, temp, respawn, executionRequest{path: path, script: script}, limit)
	return d, err
}

// ExecuteIsolated executes path in a fresh process and returns the execution, or how that process died. mode is
// CompareStates, CompareStatesAndMessages, or CompareStatesAndProperty plus an index.
func ExecuteIsolated(
	ctx context.Context, respawn func() *exec.Cmd, path choose.Path, mode int, limit time.Duration,
) (*Execution, *Death, error) {
	temp, err := temporary()
	if err != nil {
		return nil, nil, err
	}
	defer temp.Remove()
	if d, _, err := isolateIn(ctx, temp, respawn, executionRequest{path: path, mode: mode}, limit); d != nil || err != nil {
		return nil, d, err
	}
	x, err := readExecution(temp.Path)
	return x, nil, err
}

// Values of [flight.Mode], which select how a path is executed and described.
const (
	CompareStates            = 1 // with the options of the search
	CompareStatesAndMessages = 2 // also with CheckMessages of [kernel.Options]
	describeSteps            = 3 // see [Death.Describe]
	CompareStatesAndProperty = 4 // and more: also with the value of the property with this index in the last state, see [Execute]
)

// executionRequest names the run that a fresh process executes: a path, or else a script or a path file.
type executionRequest struct {
	path   choose.Path
	script *shrink.Script // the length of path then determines the size of the recorder
	file   *pathFileRequest
	mode   int // a value of [flight.Mode]
	until  int // see [flight.Until]
	near   int // see [flight.Near]
}

// write puts the request into the recorder and files beside it.
func (o *executionRequest) write(rec *flight.Recorder, dir string) error {
	rec.Set(flight.Mode, o.mode)
	rec.Set(flight.Until, o.until)
	rec.Set(flight.Near, o.near)
	switch {
	case o.script != nil:
		return writeJSON(filepath.Join(dir, scriptFile), o.script)
	case o.file != nil:
		return writeJSON(filepath.Join(dir, pathFile), o.file)
	}
	copy(rec.Recorded(picksRun), o.path)
	return nil
}

// size returns the number of picks in the recorder.
func (o *executionRequest) size() int {
	switch {
	case o.script != nil: // which may need picks that path does not contain
		return 4*len(o.path) + 1024
	case o.file != nil: // which does not contain picks of "no fault"
		return flight.Picks
	}
	return max(len(o.path), 1)
}

// ErrOutside is the error of a fresh process that was stopped from outside, twice.
var ErrOutside = errors.New("a signal such as SIGSTOP has stopped a process that executes a run again")

// isolateIn executes a request with the files of the process in temp. It also returns the recorder. A request is executed
// a second time if a signal ended or stopped its process, which may have come from outside (code that sends the signal
// does so again), or if the process exceeded the time limit and no checked code was seen running, because it may have been
// starting, ending, or waiting for the machine.
func isolateIn(
	ctx context.Context, temp *scratch.Folder, respawn func() *exec.Cmd, o executionRequest, limit time.Duration,
) (*Death, *flight.Recorder, error) {
	d, rec, err := isolateOnce(ctx, temp, respawn, o, limit)
	if errors.Is(err, ErrOutside) || d != nil && (d.signal != "" || d.Endless && d.Stack == "" && !d.hugeStacks) {
		return isolateOnce(ctx, temp, respawn, o, limit)
	}
	return d, rec, err
}

func isolateOnce(
	ctx context.Context, temp *scratch.Folder, respawn func() *exec.Cmd, o executionRequest, limit time.Duration,
) (*Death, *flight.Recorder, error) {
	file := filepath.Join(temp.Path, "flight")
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	rec, err := flight.Create(file, 2, o.size())
	if err != nil {
		return nil, nil, err
	}
	if err := o.write(rec, temp.Path); err != nil {
		return nil, nil, err
	}
	d, err := await(ctx, file, rec, respawn, limit)
	if d != nil {
		d.outline = outline(rec, temp.Path)
	}
	return d, rec, err
}

// await starts a process that executes the request in rec, a recorder in that file, and returns how it died.
func await(ctx context.Context, file string, rec *flight.Recorder, respawn func() *exec.Cmd, limit time.Duration) (*Death, error) {
	var said head
	cmd := respawn()
	assign(cmd, reexecuting, file, nil)
	cmd.Stdout, cmd.Stderr = nil, &said
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer lifeline.Close()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a fresh process: %w", err)
	}
	defer stopClocksFor(cmd.Process.Pid)()
	defer limitToOneProcessor()()
	done := exit(cmd)
	tick := time.NewTicker(max(time.Millisecond, min(limit/20, 50*time.Millisecond)))
	defer tick.Stop()
	look := time.NewTicker(waitEvery)
	defer look.Stop()
	looks := 0 // that found the process stopped, one after the other
	clock := budget.NewClock(cmd.Process.Pid)
	steps, since := -1, time.Duration(0)
	asked := false // whether the process was asked if the current step is blocked
	kill := func() error {
		outside := Stopped(cmd.Process.Pid)
		cmd.Process.Kill()
		<-done
		if outside {
			return ErrOutside
		}
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			cmd.Process.Kill()
			<-done
			return nil, ctx.Err()
		case <-done:
			if stack, ok := strings.CutPrefix(said.String(), stuckHeader); ok {
				d := found(rec)
				d.diverges((clock.Elapsed() - since).Round(100*time.Millisecond), stack, "")
				return d, nil
			}
			return autopsy(rec, cmd.ProcessState, said.String())
		case <-look.C:
			if looks++; !Stopped(cmd.Process.Pid) {
				looks = 0
			}
			if time.Duration(looks)*waitEvery >= stoppedLimit {
				return nil, cmp.Or(kill(), ErrOutside)
			}
		case <-tick.C:
			now := clock.Elapsed()
			begun := rec.Get(flight.Begun) != 0
			switch n := rec.Get(flight.Steps); {
			case n != steps:
				steps, since, asked = n, now, false
			case !begun && now-since > startLimit:
				return nil, cmp.Or(kill(), fmt.Errorf("a fresh process did not start executing within %v: %s", startLimit, said.String()))
			case rec.Get(flight.AwaitingLeaked) != 0:
				if now-since > limit+awaitLeakedLimit {
					return nil, kill()
				}
			case begun && !asked && now-since > limit/blockedCheckDivisor:
				asked = true
				io.WriteString(lifeline, blockedWord+"\n")
			case begun && now-since > limit:
				io.WriteString(lifeline, stackWord+"\n")
				select {
				case <-done:
				case <-time.After(stackLimit):
					if err := kill(); err != nil {
						return nil, err
					}
				}
				stack, remark, hugeStacks := readStuck(said.String())
				if stackOverflow.MatchString(stack) { // just in time
					return autopsy(rec, cmd.ProcessState, stack)
				}
				d := found(rec)
				d.hugeStacks = hugeStacks
				d.diverges(limit, stack, remark)
				return d, nil
			}
		}
	}
}

// limitToOneProcessor leaves one processor to a process that searches, while it only waits for another one. Abandoned
// handlers may loop in it: they would slow the other process down, and the clocks of both. The result ends this. Other
// processes keep their processors, because they may be running more than one search. So does one with a deep recursion,
// because growing and scanning a large stack would occupy the only processor for seconds.
func limitToOneProcessor() (end func()) {
	if !Supervised() || stacksSize()>>20 >= deepStacks {
		return func() {}
	}
	n := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(n) }
}

const (
	// blockedCheckDivisor divides the time limit of a step: after that part of it the process is asked whether the step
	// is blocked. If it waits for another goroutine, more time does not help.
	blockedCheckDivisor = 5
	// stackLimit is the time limit for a process to print its stack.
	stackLimit = time.Second
)

// stoppedLimit is how long a process may be stopped by a signal before it is executed again.
const stoppedLimit = 2 * time.Second

// startLimit is the time limit for starting a fresh process.
const startLimit = time.Minute

// autopsy returns how an ended process died; nil means that it ended normally.
func autopsy(rec *flight.Recorder, state *os.ProcessState, said string) (*Death, error) {
	if _, ok := rec.Ended(); ok {
		return nil, nil
	}
	d := found(rec)
	if rec.Get(flight.Begun) == 0 && d.asked == "" {
		return nil, fmt.Errorf("a fresh process ended before it executed anything: %v: %s", state, said)
	}
	if all := stacks.Read(said); len(all) == 0 || diedOffHandler(said, 0) && all[0].Creator.Function != contain.ContainedCreator {
		d.Running = rec.Get(flight.Leaked)
	}
	if d.Running > 0 {
		d.creator = creator(said)
	}
	d.classify(state, said, rec.Get(flight.Memory))
	return d, nil
}

// found returns the position of a re-execution when it ended.
func found(rec *flight.Recorder) *Death {
	path := rec.Recorded(picksRun)
	d := &Death{Steps: rec.Get(flight.Steps), After: rec.Get(flight.AwaitingLeaked) != 0, inExplain: rec.Get(flight.Explain) != 0}
	switch rec.Get(flight.Asking) {
	case notAsked:
		d.Property = rec.Phase()
	case askedMaking:
		d.Making = d.Steps == 0
		fallthrough
	default:
		d.asked = rec.Phase()
	}
	used := min(rec.Get(flight.Used), len(path))
	kinds := rec.Recorded(kindsRun)
	at := used // the first answer of the last step
	for at > 0 && kinds[at-1] != int32(choose.Event) {
		at--
	}
	if d.Steps > 0 && at > 0 {
		d.Index, d.Before = int(path[at-1]), path[:at-1].Clone()
	}
	for i := at; i < used; i++ {
		d.Picks = append(d.Picks, pathfile.Pick{Kind: choose.Kind(kinds[i]), Pick: int(path[i])})
	}
	d.LeakStep, d.BeforeLeak = firstLeak(rec)
	return d
}

// firstLeak returns the first step that left goroutines running, and the path before it. It returns 0 if there is none.
func firstLeak(rec *flight.Recorder) (step int, before choose.Path) {
	step = max(0, rec.Get(flight.LeakedIn)-1)
	path, kinds := rec.Recorded(picksRun), rec.Recorded(kindsRun)
	begun := 0
	for i := range min(rec.Get(flight.Used), len(path)) {
		if kinds[i] == int32(choose.Event) {
			if begun++; begun == step {
				return step, path[:i].Clone()
			}
		}
	}
	return step, nil
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
	temp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	d, rec, err := isolateIn(ctx, temp, respawn, executionRequest{file: &pathFileRequest{text, tolerant}}, limit)
	if err != nil {
		return nil, err
	}
	run := &FileRun{Death: d, LeaksGoroutines: rec.Get(flight.LeakedIn) != 0}
	run.Path = rec.Recorded(picksRun)[:rec.Get(flight.Used)].Clone()
	run.LeakStep, run.BeforeLeak = firstLeak(rec)
	return run, nil
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
