package isolate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
)

// Checked code may end or freeze its process, so a process that must report on it starts a copy of itself. These
// environment variables define what the copy does.
const (
	roleVar    = "MACEMC_ROLE"
	flightVar  = "MACEMC_FLIGHT"
	earlierVar = "MACEMC_EARLIER" // an earlier as JSON; empty if no search process died before
)

// Role is the purpose of this process. Method LimitMemory depends on the operating system and has a file for each.
type Role struct {
	name     string
	Recorder *flight.Recorder // nil if no process waits for this one
	earlier
}

const (
	searching   = "search"
	reexecuting = "reexecute"
)

// CurrentRole reads the role from the environment.
func CurrentRole() (Role, error) {
	name := os.Getenv(roleVar)
	switch name {
	case "":
		return Role{}, nil
	case searching, reexecuting:
	default:
		return Role{}, fmt.Errorf("%s is %q, must be unset, %s or %s", roleVar, name, searching, reexecuting)
	}
	rec, err := flight.Open(os.Getenv(flightVar))
	if err != nil {
		return Role{}, fmt.Errorf("%s: %w", flightVar, err)
	}
	e, err := readEarlier()
	return Role{name, rec, e}, err
}

// readEarlier reads the data of earlier search processes from the environment.
func readEarlier() (e earlier, err error) {
	if text := os.Getenv(earlierVar); text != "" {
		if err = json.Unmarshal([]byte(text), &e); err != nil {
			err = fmt.Errorf("%s: %w", earlierVar, err)
		}
	}
	return e, err
}

// Record makes a search record its progress and its runs, limits its time to what earlier processes have left, and
// announces its time limit. A single worker that visits
// states gets one processor: handlers have goroutines of their own then, and each would wake another processor that
// finds nothing to do. If a death of an earlier process was not explained, runs are made one at a time, so that it is
// known which one is in progress at the next death.
func (r Role) Record(s *search.Config) {
	r.announce(s.Time)
	s.Time = timeLeft(s.Time, r.Spent)
	// Each worker has two runs in the recorder. The supervisor may have seen fewer processors than this process does.
	s.Workers = min(s.Workers, r.Recorder.Runs()/2)
	if r.Settle && !s.Strategy.Can(strategy.VisitsStates) {
		s.Workers = 1
	}
	if s.Workers == 1 && s.Strategy.Can(strategy.VisitsStates) {
		runtime.GOMAXPROCS(1)
	}
	for run := range r.Recorder.Runs() {
		s.PathBuffers = append(s.PathBuffers, r.Recorder.Path(run))
	}
	s.Progress = func(p search.Progress) { ReportProgress(r.Recorder, p) }
	s.Calls = &options.Calls{At: r.Recorder.Word(flight.Called), Skipped: r.Skipped, Settle: r.Settle,
		HowDied: r.Died, DiedInCheckedCode: r.Own, DiedInCall: r.Surely}
}

// timeLeft returns the time limit of a search that repeats earlier ones, which have spent a time: all of them end
// within [budget.LastLimit], with some time to report. 0 means no limit.
func timeLeft(limit, spent time.Duration) time.Duration {
	if limit == 0 || spent == 0 {
		return limit
	}
	return max(1, min(limit, budget.LastLimit(limit)-budget.LastLimit(0)-spent))
}

// announce publishes a time limit to the supervisor; 0 means none.
func (r Role) announce(limit time.Duration) { r.Recorder.Set(flight.Limited, cmp.Or(int(limit), -1)) }

// Unlimited tells the supervisor that this search waits for other machines and has no time limit.
func (r Role) Unlimited() {
	if r.Recorder != nil {
		r.announce(0)
	}
}

// Again reports whether checked code has ended earlier search processes.
func (r Role) Again() bool { return len(r.Skipped) > 0 || r.Settle }

// Resign ends this process without a result: it has searched for the cause of an earlier death and not found it.
func (r Role) Resign() {
	if r.Recorder != nil {
		r.Recorder.Set(flight.Resigned, 1)
	}
	os.Exit(exitcode.Inconclusive)
}

// Searching reports whether a supervisor waits for this process.
func (r Role) Searching() bool { return r.name == searching }

// Reexecuting reports whether the purpose of this process is to execute one path.
func (r Role) Reexecuting() bool { return r.name == reexecuting }

// Follow calls stop with the cause when the waiting process sends a stop word, and ends this process when the waiting
// process is gone. It returns at once, and does nothing if no process waits for this one.
func (r Role) Follow(stop func(cause error)) {
	if r.Recorder == nil {
		return
	}
	waiting, lines := os.Getppid(), bufio.NewScanner(os.Stdin)
	go func() {
		for lines.Scan() {
			if r.Reexecuting() {
				answer(lines.Text())
				continue
			}
			stop(exitcode.StopCause(lines.Text()))
		}
		for lines.Err() != nil && os.Getppid() == waiting { // checked code has closed the input
			time.Sleep(lookEvery)
		}
		os.Exit(exitcode.Inconclusive)
	}()
}

// lookEvery is the interval at which a process without its input looks whether the waiting process is gone.
const lookEvery = 100 * time.Millisecond

// temporary makes a folder for the recorder of a new process. It lies in the folder of this process, if there is one,
// so that nothing is left when this process dies.
func temporary() (*scratch.Folder, error) {
	in := ""
	if file := os.Getenv(flightVar); file != "" {
		in = filepath.Dir(file)
	}
	return scratch.New(in)
}

// assign gives cmd a role.
func assign(cmd *exec.Cmd, role, flightFile string, before earlier) error {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	text, err := json.Marshal(before)
	cmd.Env = append(cmd.Env, roleVar+"="+role, flightVar+"="+flightFile, earlierVar+"="+string(text))
	cmd.Env = append(cmd.Env, simext.Inherited...)
	return err
}

// Supervised reports whether another process waits for this one, which searches.
func Supervised() bool { return os.Getenv(flightVar) != "" }

// SuspectFolder returns the folder of the suspect that an earlier process was examining. An empty string means none.
func SuspectFolder() string {
	e, _ := readEarlier() // CurrentRole returns the error
	return e.Folder
}
