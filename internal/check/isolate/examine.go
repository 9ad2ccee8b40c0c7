package isolate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/shrink"
)

// Examine executes path in a fresh process, with limit as the time limit of each step, and returns how that process
// died; nil means that it did not. respawn makes the command that starts the process, which must call [Reexecute]
// with the same system. Exceeding the limit is a death, too.
func Examine(ctx context.Context, respawn func() *exec.Cmd, path choose.Path, limit time.Duration) (*Death, error) {
	return ExamineScript(ctx, respawn, path, nil, limit)
}

// ExamineScript is Examine for script if that is not nil. The length of path then determines the size of the
// recorder.
func ExamineScript(ctx context.Context, respawn func() *exec.Cmd, path choose.Path, script *shrink.Script, limit time.Duration) (*Death, error) {
	temp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	return isolateIn(ctx, temp, respawn, path, script, 0, limit)
}

// ExecuteIsolated executes path in a fresh process and returns the execution, or how that process died. With whole =
// Closely, it also checks messages, see CheckMessages of [kernel.Options].
func ExecuteIsolated(ctx context.Context, respawn func() *exec.Cmd, path choose.Path, whole int, limit time.Duration) (*Execution, *Death, error) {
	temp, err := temporary()
	if err != nil {
		return nil, nil, err
	}
	defer temp.Remove()
	if d, err := isolateIn(ctx, temp, respawn, path, nil, whole, limit); d != nil || err != nil {
		return nil, d, err
	}
	x, err := readExecution(temp.Path)
	return x, nil, err
}

// Values of [flight.Whole].
const (
	AsSearched = 1
	Closely    = 2 // with CheckMessages of [kernel.Options]
)

// isolateIn is ExamineScript with the files of the process in temp. whole is a value of [flight.Whole].
func isolateIn(ctx context.Context, temp *scratch.Folder, respawn func() *exec.Cmd, path choose.Path, script *shrink.Script,
	whole int, limit time.Duration) (*Death, error) {
	file := filepath.Join(temp.Path, "flight")
	size := max(len(path), 1)
	if script != nil {
		size = 4*size + 1024 // a script may need picks that path does not contain
	}
	rec, err := flight.Create(file, 2, size)
	if err != nil {
		return nil, err
	}
	rec.Set(flight.Whole, whole)
	if script == nil {
		copy(rec.Left(picksRun), path)
	} else {
		text, err := json.Marshal(script)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(temp.Path, scriptFile), text, 0o600); err != nil {
			return nil, err
		}
	}

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
	done := exit(cmd)
	tick := time.NewTicker(max(time.Millisecond, min(limit/20, 50*time.Millisecond)))
	defer tick.Stop()
	clock := budget.NewClock(cmd.Process.Pid)
	steps, since := -1, time.Duration(0)
	asked := false // whether the process was asked if the current step is blocked
	for {
		select {
		case <-ctx.Done():
			cmd.Process.Kill()
			<-done
			return nil, ctx.Err()
		case <-done:
			if stack, ok := strings.CutPrefix(said.String(), stuckMark); ok {
				d := found(rec)
				d.diverges((clock.Elapsed() - since).Round(100*time.Millisecond), stack)
				return d, nil
			}
			d, err := autopsy(rec, cmd.ProcessState, said.String())
			if d != nil {
				d.setOutline(rec, temp.Path)
			}
			return d, err
		case <-tick.C:
			now := clock.Elapsed()
			begun := rec.Get(flight.Begun) != 0
			switch n := rec.Get(flight.Steps); {
			case n != steps:
				steps, since, asked = n, now, false
			case !begun && now-since > startLimit:
				cmd.Process.Kill()
				<-done
				return nil, fmt.Errorf("a fresh process did not start executing within %v: %s", startLimit, said.String())
			case begun && !asked && now-since > limit/blockedShare:
				asked = true
				io.WriteString(lifeline, blockedWord+"\n")
			case begun && now-since > limit:
				io.WriteString(lifeline, stackWord+"\n")
				select {
				case <-done:
				case <-time.After(stackLimit):
					cmd.Process.Kill()
					<-done
				}
				d := found(rec)
				d.diverges(limit, strings.TrimPrefix(said.String(), stuckMark))
				return d, nil
			}
		}
	}
}

const (
	// blockedShare is the fraction of its time limit after which a step is checked for blocking. If it waits for
	// another goroutine, more time does not help.
	blockedShare = 5
	// stackLimit is the time limit for a process to print its stack.
	stackLimit = time.Second
)

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
	if d.subject() == handlerSubject && diedOffHandler(said, 0) {
		d.Running = rec.Get(flight.Running)
	}
	d.classify(state, said, rec.Get(flight.Memory))
	return d, nil
}

// found returns the position of a re-execution when it ended.
func found(rec *flight.Recorder) *Death {
	path := rec.Left(picksRun)
	d := &Death{Steps: rec.Get(flight.Steps)}
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
	kinds := rec.Left(kindsRun)
	at := used // the first answer of the last step
	for at > 0 && kinds[at-1] != int32(choose.Event) {
		at--
	}
	if d.Steps > 0 && at > 0 {
		d.Index, d.Before = int(path[at-1]), path[:at-1].Clone()
	}
	for i := at; i < used; i++ {
		d.Picks = append(d.Picks, choose.FilePick{Kind: choose.Kind(kinds[i]), Pick: int(path[i])})
	}
	return d
}
