package isolate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/child"
)

// Limits of await.
const (
	// blockedCheckDivisor divides the time limit of a step: after that part of it the process is asked whether the step
	// is blocked. If it waits for another goroutine, more time does not help.
	blockedCheckDivisor = 5
	// stackLimit is the time limit for a process to print its stack.
	stackLimit = time.Second
	// stoppedLimit is how long a process may be stopped by a signal before its run is executed again.
	stoppedLimit = 2 * time.Second
	// startLimit is the time limit for starting a fresh process.
	startLimit = time.Minute
)

// await starts a process that executes the request in rec, a recorder in that file, and returns how it died; nil means that it did not.
// The limit of a step is on the clock of that process (see [budget.Clock]). These rules end the process:
//
//   - it ends by itself: autopsy finds out why. If it has printed a stack before, its step was blocked.
//   - a signal has stopped it for stoppedLimit: it is killed, which is [ErrOutside]. Then execute starts another one, once.
//   - it has not begun to execute steps after startLimit: it is killed, which is an error.
//   - all steps were executed, and it waits for leaked goroutines ([flight.AwaitingLeaked]) for limit and awaitLeakedLimit: it is killed.
//     That does not count as a death.
//   - a step takes limit/blockedCheckDivisor: it is asked to print its stack and end if the step is blocked, see answer.
//   - a step takes limit: it is asked to print its stack, and killed after stackLimit. The step diverges.
func await(ctx context.Context, f Fresh, file string, rec *flight.Recorder) (*Death, error) {
	var said head
	cmd, limit := f.Respawn(), f.Limit
	if err := assign(cmd, reexecuting, file, earlier{}); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = nil, &said
	p, err := child.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("cannot start a fresh process: %w", err)
	}
	defer stopClocksFor(p.Process.Pid)()
	defer limitToOneProcessor()()
	tick := time.NewTicker(max(time.Millisecond, min(limit/20, 50*time.Millisecond)))
	defer tick.Stop()
	look := time.NewTicker(waitEvery)
	defer look.Stop()
	looks := 0 // that found the process stopped, one after the other
	clock := budget.NewClock(p.Process.Pid)
	steps, since := -1, time.Duration(0) // the number of steps begun, first boots included, and the time when the last one was seen to begin
	asked := false                       // whether the process was asked if the current step is blocked
	kill := func() error {
		outside := Stopped(p.Process.Pid)
		p.Kill()
		if outside {
			return ErrOutside
		}
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			p.Kill()
			return nil, ctx.Err()
		case <-p.Ended:
			if stack, ok := strings.CutPrefix(said.String(), stuckHeader); ok {
				d := found(rec)
				d.diverges((clock.Elapsed() - since).Round(100*time.Millisecond), stack, "")
				return d, nil
			}
			return autopsy(rec, p.ProcessState, said.String())
		case <-look.C:
			if looks++; !Stopped(p.Process.Pid) {
				looks = 0
			}
			if time.Duration(looks)*waitEvery >= stoppedLimit {
				return nil, cmp.Or(kill(), ErrOutside)
			}
		case <-tick.C:
			now := clock.Elapsed()
			begun := rec.Get(flight.Begun) != 0
			switch n := rec.Get(flight.Begun) + rec.Get(flight.Steps); {
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
				io.WriteString(p.Orders, blockedWord+"\n")
			case begun && now-since > limit:
				io.WriteString(p.Orders, stackWord+"\n")
				select {
				case <-p.Ended:
				case <-time.After(stackLimit):
					if err := kill(); err != nil {
						return nil, err
					}
				}
				stack, remark, hugeStacks := readStuck(said.String())
				if stackOverflow.MatchString(stack) { // just in time
					return autopsy(rec, p.ProcessState, stack)
				}
				d := found(rec)
				d.hugeStacks = hugeStacks
				d.diverges(limit, stack, remark)
				d.Waited = limit
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
