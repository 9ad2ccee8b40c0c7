package task

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/child"
)

// Main calls do, with a context that the first signal cancels, and returns the exit status. The process must end
// afterwards.
func (p *Process) Main(do func(context.Context) int) int {
	defer exitAfterGoexit()
	var err error
	if p.Role, err = isolate.CurrentRole(); err != nil {
		p.fail(err)
		return exitcode.Usage
	}
	runtime.MemProfileRate = 0 // nobody reads a profile of allocations
	p.Role.LimitMemory()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	p.stopOnSignals(cancel)
	isolate.CollectSeldom()
	if p.Role.Recorder != nil { // the waiting process reports a panic
		status := do(ctx)
		p.Role.Recorder.End(status)
		return status
	}
	var status int
	if err := defect.Guard(func() error { status = do(ctx); return nil }); err != nil {
		p.fail(err)
		return exitcode.Resource
	}
	return status
}

// exitAfterGoexit, when deferred in the main goroutine, ends the process if checked code has ended that goroutine. The other
// goroutines would continue without it.
func exitAfterGoexit() {
	if stack := string(debug.Stack()); strings.Contains(stack, "\nruntime.Goexit(") {
		fmt.Fprintf(os.Stderr, "fatal error: checked code ended the main goroutine (runtime.Goexit)\n\n%s", stack)
		os.Exit(exitcode.Inconclusive)
	}
}

// Respawn makes the command that starts this program again with the same arguments.
func Respawn() *exec.Cmd {
	cmd := child.Self()
	cmd.Args = os.Args // with the name of the original call, which reports repeat
	return cmd
}

// stopOnSignals makes the first signal stop the current work, with a report. The second one kills. A supervised
// process leaves signals to its parent.
func (p *Process) stopOnSignals(stop func(cause error)) {
	if p.Role.Recorder != nil {
		exitcode.LeaveStops()
		signal.Ignore(syscall.SIGPIPE) // a closed reader must not end the search
		p.Role.Follow(stop)
		return
	}
	p.kill, _ = exitcode.CatchStops(stop, func(s os.Signal) bool {
		f := p.interrupt.Load()
		return s == os.Interrupt && f != nil && (*f)()
	})
}
