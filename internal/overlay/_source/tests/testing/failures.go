// Failures and log entries of the test in a run.

package testing

import (
	"cmp"
	program "internal/types"
	"runtime"
	testsched "testing/internal"
)

// macemcRunning is the test function that is executing in a bubble; nil means none.
var macemcRunning *T

func macemcIsRun(t *T) bool { return t == macemcRunning }

// macemcFailure is the log entry of the run's first failure, and macemcFailed is the test that failed.
var (
	macemcFailure string
	macemcFailed  *common
)

// macemcFailing is called for a failing test after its parents, with c locked. The log of a synctest bubble is its parent's. The race
// detector must ignore the variables here, which tests write under different locks.
//
//go:norace
func macemcFailing(c *common) {
	if macemcRunning == nil || !macemcInRun() || c.isSynctest {
		return
	}
	text := macemcAddFailure(c)
	if text == testsched.RaceFailure { // another failure is the cause, if there is one
		return
	}
	if macemcFailed != nil && macemcFailed != c.parent {
		return
	}
	macemcFailed, macemcFailure = c, cmp.Or(program.Entry(string(c.output)), program.Entry(text))
	if c.level > 1 {
		macemcFailure = c.name + ": " + macemcFailure
	}
}

// macemcEntry is a log entry of a goroutine, or a failure of a test in that goroutine.
type macemcEntry struct {
	who   uint64
	test  *common
	text  string // of the log entry; empty means that there is none
	stack [32]uintptr
}

// macemcFailures are the failures of the run, and macemcLogs are the last log entries of goroutines since their last failures. Other
// goroutines may run between the log entry of a failure and the failure.
var macemcFailures, macemcLogs []macemcEntry

// macemcLogged is called when a goroutine logs.
//
//go:norace
func macemcLogged(text string) {
	if macemcRunning == nil || !macemcInRun() {
		return
	}
	macemcTakeLog()
	macemcLogs = append(macemcLogs, macemcEntry{who: macemcSelf(), text: text})
}

// macemcTakeLog removes and returns the last log entry of the calling goroutine.
//
//go:norace
func macemcTakeLog() (text string) {
	who := macemcSelf()
	for i := range macemcLogs {
		if macemcLogs[i].who == who {
			last := len(macemcLogs) - 1
			text = macemcLogs[i].text
			macemcLogs[i] = macemcLogs[last]
			macemcLogs = macemcLogs[:last]
			break
		}
	}
	return text
}

// macemcAddFailure adds a failure, and returns its log entry. It replaces that of the parent, which the same call of Fail has added.
//
//go:norace
func macemcAddFailure(c *common) (text string) {
	f := macemcEntry{who: macemcSelf(), test: c, text: macemcTakeLog()}
	runtime.Callers(3, f.stack[:])
	for i := len(macemcFailures) - 1; i >= 0; i-- {
		if old := &macemcFailures[i]; old.who == f.who {
			if old.test == c.parent {
				f.text = old.text
				*old = f
				return f.text
			}
			break
		}
	}
	macemcFailures = append(macemcFailures, f)
	return f.text
}
