package schedulefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/testsched"
)

// Stored is a schedule file. It is written when a run fails, and again when a new process has the SameFinding (found of settings.go),
// or, if that one passes, three of up to 200 (processes of process.go). So has a minimized schedule. Later replays with the file
// compare the kind of finding alone (changed of cmd/macemc/internal/gotest), because the code may have changed.
type Stored struct {
	testsched.Unit          // Shared is not stored
	Begins         bool     // its run begins with the initialization of packages and TestMain
	Finding        string   // one line
	Shows          []string // identifies the finding, see Outcome.Identify
	Race           bool     // found in a build with the race detector
	Flags          string   // other flags of go test with which it was found, see testflags.Flags
	Known          string   // the user's reason for accepting the finding; empty means that it is not accepted
	File           string   // that Load has read
	// CriticalWho and CriticalPlace are the goroutine of the critical step and its point; 0 means unknown. The number of the step may
	// differ between processes.
	CriticalWho, CriticalPlace uint64
	Hash                       uint64 // see Outcome, of the run with the critical step
	Schedule                   testsched.Schedule
}

// Load reads a schedule from a file.
func Load(file string) (*Stored, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: file, Err: errors.New("it is not a regular file")}
	} else if info.Size() > 1<<30 {
		return nil, &fs.PathError{Op: "read", Path: file, Err: fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), 1<<30)}
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a named pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := Read(f)
	if err == nil {
		s.File = file
	}
	return s, err
}

// ReadFile reads a schedule from a file. It returns nil if the file does not hold a schedule or cannot be read, and an error if the schedule
// is damaged.
func ReadFile(file string) (*Stored, error) {
	s, err := Load(file)
	if _, unread := errors.AsType[*fs.PathError](err); err == nil || unread || errors.Is(err, errOther) {
		return s, nil
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

// same reports whether two files hold the same schedule. The critical step is sampled and does not count, nor does the first clock
// reading, which differs between commands.
func same(a, b string) bool {
	lines := func(text string) []string {
		return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return line == Comment || strings.HasPrefix(line, "critical ") || strings.HasPrefix(line, "instant ")
		})
	}
	return slices.Equal(lines(a), lines(b))
}

// Raced reports whether a finding is of a build with the race detector.
func (f *Stored) Raced() bool {
	return f.Race || f.Schedule.Memory || slices.ContainsFunc(f.Shows, testsched.IsRace)
}

// ButRaces reports whether two stored findings of a test are the same except for data races. Only one of them is of a build with the race
// detector, and the other one is not accepted.
func (f *Stored) ButRaces(g *Stored) bool {
	rest := func(shows []string) []string { return slices.DeleteFunc(slices.Clone(shows), testsched.IsRace) }
	shown := rest(f.Shows)
	return f.Race != g.Race && g.Known == "" && len(shown) > 0 && slices.Equal(shown, rest(g.Shows))
}

// check returns an error if a stored schedule of a test is marked as known, and does not identify a finding of it.
func (f *Stored) check(u testsched.Unit) error {
	switch {
	case f.Known == "":
	case len(f.Shows) == 0:
		return fmt.Errorf(`it is known, and has no line "shows": delete it, and mark the one that is stored anew`)
	case f.Package != u.Package || f.Test != u.Test:
		return fmt.Errorf("it is known, and belongs to %s in package %s", f.Test, f.Package)
	}
	return nil
}
