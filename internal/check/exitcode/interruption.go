package exitcode

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/child"
)

// LeaveStops makes this process ignore the signals that stop a command. Its parent process receives them, too.
func LeaveStops() { signal.Notify(make(chan os.Signal, 1), child.Stops()...) }

// together is the time within which a second signal counts as the same one. One Ctrl-C may arrive twice: from the terminal, and from a
// parent process.
const together = 200 * time.Millisecond

// CatchStops calls stop with the first signal that stops a command and that taken does not accept. The second one closes kill. A third
// one is not caught, and none after the call of end.
func CatchStops(stop func(cause error), taken func(os.Signal) bool) (kill <-chan struct{}, end func()) {
	signals, second := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, child.Stops()...)
	go func() {
		first, more := <-signals
		for more && taken(first) {
			first, more = <-signals
		}
		if more {
			stop(&Interruption{Signal: first})
		}
		for begin := time.Now(); more && time.Since(begin) < together; {
			_, more = <-signals
		}
		if more {
			close(second)
			signal.Stop(signals)
		}
	}()
	return second, func() {
		signal.Stop(signals)
		close(signals)
	}
}

// Interruption is the cause of a context that a signal canceled.
type Interruption struct{ Signal os.Signal }

func (i *Interruption) Error() string {
	name := i.Signal.String()
	switch i.Signal {
	case syscall.SIGINT:
		name = "SIGINT (Ctrl-C)"
	case syscall.SIGTERM:
		name = "SIGTERM"
	case syscall.SIGHUP:
		name = "SIGHUP"
	}
	return "interrupted by " + name
}

// Words that one process sends another to stop it.
const (
	interruptWord = "interrupt"
	terminateWord = "terminate"
)

// StopWord returns the word for the cause of a done context.
func StopWord(cause error) string {
	var by *Interruption
	if errors.As(cause, &by) && by.Signal != os.Interrupt {
		return terminateWord
	}
	return interruptWord
}

// StopCause returns the cause that a word stands for.
func StopCause(word string) error {
	if word == terminateWord {
		return &Interruption{syscall.SIGTERM}
	}
	return &Interruption{os.Interrupt}
}
