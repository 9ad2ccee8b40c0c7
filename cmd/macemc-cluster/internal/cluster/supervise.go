package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
)

// Checked code may end the process that executes it. So a worker is two processes. The supervisor starts the
// working process, replaces it when it has died, and sends the others the state at which it died. A state at which two
// processes have died ends the search.

// markVar is the environment variable with the file in which the working process stores its current state.
const markVar = "MACEMC_WORKER_MARK"

// ErrEnded is the error of a worker process that ended after it had reported an error.
var ErrEnded = errors.New("the worker has ended")

// mostDeaths is the maximum number of consecutive processes that die outside of a state.
const mostDeaths = 5

// Supervise runs working processes, started by respawn, until ctx is done.
func (w *Worker) Supervise(ctx context.Context, respawn func() *exec.Cmd) error {
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	for life, deaths := 0, 0; ; life++ {
		file := filepath.Join(temp.Path, strconv.Itoa(life))
		rec, err := flight.Create(file, 1, 1)
		if err != nil {
			return err
		}
		how, err := runProcess(ctx, respawn(), file)
		if status, ok := rec.Ended(); ok || err != nil || ctx.Err() != nil {
			if err == nil && ok && status != 0 {
				err = ErrEnded
			}
			return err
		}
		mark := rec.Get(flight.Marked)
		w.Log.Warn("the working process has died and is replaced", "how", how)
		if mark == 0 {
			if deaths++; deaths == mostDeaths {
				return fmt.Errorf("%d processes have died one after the other (%s)", deaths, how)
			}
			continue
		}
		deaths = 0
		if err := w.died(ctx, mark, how); err != nil {
			w.Log.Warn("its state cannot be reported", "why", err)
		}
	}
}

// runProcess waits for the end of a working process, and describes it.
func runProcess(ctx context.Context, cmd *exec.Cmd, file string) (how string, err error) {
	output := &crashLine{}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, markVar+"="+file)
	cmd.Stdout, cmd.Stderr = os.Stdout, output
	p, err := child.Start(cmd)
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { p.Interrupt(leaving) })
	<-p.Ended
	stop()
	return strings.TrimSpace(cmd.ProcessState.String() + " " + output.line), nil
}

// crashLine passes the output of a process on, and keeps the first line of a crash.
type crashLine struct{ line string }

var crashPattern = regexp.MustCompile(`(?m)^(fatal error: .*|panic: .*)$`)

func (s *crashLine) Write(text []byte) (int, error) {
	if found := crashPattern.Find(text); found != nil && s.line == "" {
		s.line = "(" + string(found) + ")"
	}
	return os.Stderr.Write(text)
}

// Supervised connects a worker started by Supervise with its supervisor: it stores its current state. Call end with
// the exit status.
func (w *Worker) Supervised() (end func(status int), ok bool, err error) {
	file := os.Getenv(markVar)
	if file == "" {
		return nil, false, nil
	}
	rec, err := flight.Open(file)
	if err != nil {
		return nil, false, err
	}
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the supervisor has ended
		os.Exit(1)
	}()
	w.Mark = func(part, number uint32, nothing bool) {
		mark := 0
		if !nothing {
			mark = int(part+1)<<32 | int(number)
		}
		rec.Set(flight.Marked, mark)
	}
	return rec.End, true, nil
}

// died reports that a process died at a state.
func (w *Worker) died(ctx context.Context, mark int, how string) error {
	part, number := uint32(uint64(mark)>>32)-1, uint32(uint64(mark))
	return at(ctx, w.URL, w.Security, func(r *run) error {
		err := r.eventually(ctx, func(ctx context.Context) error {
			_, err := r.keys.Create(ctx, fmt.Sprintf("died.%d.%d", part, number), []byte(how))
			return err
		})
		if err != nil && !conflict(err) {
			return err
		}
		if err == nil {
			w.Log.Warn("the search ends if another process dies at this state", "part", part, "state", number)
			return nil
		}
		return r.eventually(ctx, func(ctx context.Context) error {
			return r.halt(ctx, Why{Kind: "died", Text: how, Source: &explore.Source{Part: part, Number: number}, AtEdge: true})
		})
	})
}

// DiedError reports the state at which working processes have died.
type DiedError struct {
	How  string
	Keys []string // of the steps that lead to the state
}

func (e *DiedError) Error() string {
	return fmt.Sprintf("checked code has ended the processes of two workers (%s)%s", e.How,
		stepsTo(": by a step from one state, or by a property of where it leads", e.Keys))
}

// stepsTo lists the steps to the state of an error.
func stepsTo(text string, keys []string) string {
	return fmt.Sprintf("%s. To that state lead %d steps:\n  %s", text, len(keys), strings.Join(keys, "\n  "))
}

// died returns the error of a search in which processes died at one state.
func (r *run) died(shard *shard.Shard, sys *sim.System, why *Why) error {
	trail, err := r.trail(shard, why)
	if err != nil {
		return err
	}
	path, err := shard.Follow(trail, false)
	if err != nil {
		return err
	}
	keys, err := keysOf(sys, path)
	if err != nil {
		return err
	}
	return &DiedError{How: why.Text, Keys: keys}
}

// keysOf returns the keys of the steps of a path.
func keysOf(sys *sim.System, path choose.Path) (keys []string, err error) {
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		return nil, err
	}
	for _, s := range trace.Steps {
		keys = append(keys, s.Key)
	}
	return keys, nil
}
