// The process of a run: package variables, the folder and the environment, which are restored before the next run.

package testing

import (
	program "internal/types"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// macemcVariables are the package variables of the program, and macemcNames their names.
var (
	macemcVariables []macemcVariable
	macemcNames     []string
)

// Changed returns the names of the package variables that were not restored and whose value before the latest run differed from the one
// before the first run of the process. It omits those that already differed before the first run of the test.
func (x *macemcExplorer) Changed() (names []string) {
	for i, changed := range macemcChanged() {
		if changed && !slices.Contains(x.before, i) {
			names = append(names, macemcNames[i])
		}
	}
	return names
}

// macemcOutsiders is the number of goroutines outside tests at the first run of the process.
var macemcOutsiders int

// state restores package variables to their values before the first run of the process. It leaves them alone if goroutines of an unexplored
// test remain, which may use them. Before that, goroutines outside tests continue until they wait, so that they do not act for an earlier
// run, hold a lock that is restored, or begin to wait in a run. The first call also waits for their timers that fire soon, because they may
// initialize the package. The result is the go statement of one that acts for an earlier run of the test and does not wait in time; 0 means
// none.
func (x *macemcExplorer) state() (late uintptr) {
	for left := macemcPaced; ; {
		if late = macemcOutsideActive(macemcActingActive); late == 0 || left <= 0 {
			break
		}
		_, took := macemcPace(left)
		left -= took
	}
	switch {
	case late == 0:
	case x.last == nil: // it acts for another test
		macemcUnmark()
	default:
		return late
	}
	macemcGiveTurns()
	if macemcVariables != nil {
		if macemcOutside() > macemcOutsiders {
			return 0
		}
		macemcRestore()
		if x.last == nil {
			for i, changed := range macemcChanged() {
				if changed {
					x.before = append(x.before, i)
				}
			}
		}
		return 0
	}
	for left := macemcOutsideTimer(macemcPatience); left >= 0; {
		_, took := macemcPace(left + int64(time.Millisecond)) // a turn follows a timer, which may have expired
		left -= max(took, 1)
	}
	macemcGiveTurns()
	macemcVariables = []macemcVariable{}
	for _, v := range program.Variables(macemcData()) {
		macemcVariables = append(macemcVariables, macemcVariable{v.From, v.To, uintptr(v.Kind)})
		macemcNames = append(macemcNames, v.Name)
	}
	hide := []unsafe.Pointer{unsafe.Pointer(x), unsafe.Pointer(x.r), unsafe.Pointer(x.t.tstate)}
	for c := &x.t.common; c != nil; c = c.parent {
		hide = append(hide, unsafe.Pointer(c))
	}
	macemcOutsiders = macemcOutside()
	macemcSave(macemcVariables, hide)
	return 0
}

// macemcProcess is what a test can change of its process, and may not restore.
type macemcProcess struct {
	environ []string
	folder  string
	args    []string
	files   [3]*os.File // standard input, output and error
	local   *time.Location
}

func macemcProcessNow() macemcProcess {
	folder, _ := syscall.Getwd()
	files := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	return macemcProcess{syscall.Environ(), folder, slices.Clone(os.Args), files, time.Local}
}

//go:norace
func (p *macemcProcess) restore() {
	os.Args, time.Local = p.args, p.local
	os.Stdin, os.Stdout, os.Stderr = p.files[0], p.files[1], p.files[2]
	macemcReopen()
	now := macemcProcessNow()
	if now.folder != p.folder {
		os.Chdir(p.folder)
	}
	if slices.Equal(now.environ, p.environ) {
		return
	}
	os.Clearenv()
	for _, entry := range p.environ {
		name, value, _ := strings.Cut(entry, "=")
		os.Setenv(name, value)
	}
}

// macemcCounters are counters of package testing, which no run changes.
type macemcCounters struct {
	failed         uint32
	started, ended int64 // parallel tests
}

func macemcCountersNow() macemcCounters {
	return macemcCounters{numFailed.Load(), parallelStart.Load(), parallelStop.Load()}
}

func (c macemcCounters) restore() {
	numFailed.Store(c.failed)
	parallelStart.Store(c.started)
	parallelStop.Store(c.ended)
}
