// Package flight is the flight recorder of a process that executes checked code: a memory-mapped file that holds the
// picks of every run in progress and a few counters. It survives whatever checked code does to its process: stack
// overflow, exhausted memory, os.Exit.
package flight

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/macemc/macemc/choose"
)

// Picks is the usual number of recorded picks per run.
const Picks = 1 << 18

// None marks a position without a pick.
const None = -1

// Counter names a number in the recorder.
type Counter int

const (
	magic Counter = iota
	runsMade
	picksMade

	// Of every process.

	Memory // bytes that the process may allocate beyond its initial size; 0 means no known limit
	Status // exit status plus one if the process ended normally; else 0

	// Of a search.

	Paths    // runs made
	States   // states visited
	Events   // events executed
	Depth    // the depth in progress
	Waiting  // states that wait to be expanded
	Called   // the call of checked code in progress, see Calls of package internal/table/options; 0 means none
	Awaited  // the ID of the process for which it waits; 0 means none
	Resigned // not 0 if it searched again for the cause of a death and did not find it
	Limited  // the time limit in nanoseconds; 0 before the search begins, -1 means none

	// Of a re-execution of a run.

	Begun          // not 0 once the system is made and the run has begun
	Steps          // steps begun
	Used           // picks used so far
	Asking         // not 0 while the phase names the checked code being called, neither handler nor property: a [kernel.Asked]
	Explain        // not 0 during the Explain of a violated Always property
	Leaked         // goroutines that handlers started and that were still running after their steps
	LeakedIn       // the first step that left such goroutines, plus one; 0 means none
	AwaitingLeaked // not 0 when all steps were executed, and only the goroutines of Leaked are awaited

	// Of a worker of a cluster.

	Marked // its mark of the state that it expands; 0 means none
)

const (
	headerSize = 4096 // one page, so that the picks are aligned
	version    = 0x6d636501
	pickSize   = int(unsafe.Sizeof(int32(0)))

	phaseAt, phaseSize = 1024, 512
)

// Recorder is a mapped file. Both the recording process and its reader map it.
type Recorder struct {
	data        []byte
	runs, picks int
}

// Create makes a recorder for the given number of concurrent runs and picks per run. Later picks of a longer run are
// not recorded. The whole file is written before it is mapped, because writing to a mapped page without disk space
// ends the process. The error for a lack of space is a [NoSpaceError].
func Create(name string, runs, picks int) (*Recorder, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := headerSize + runs*picks*pickSize
	if err := fill(f, size); err != nil {
		os.Remove(name)
		return nil, noSpace(err, os.TempDir(), size)
	}
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	r.runs, r.picks = runs, picks
	r.Set(runsMade, runs)
	r.Set(picksMade, picks)
	r.Set(magic, version)
	return r, nil
}

// fill writes a file of that size without picks. It writes every byte, because some file systems promise space that
// they do not have.
func fill(f *os.File, size int) error {
	if err := allocate(f, size); err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, headerSize)); err != nil {
		return err
	}
	none := bytes.Repeat([]byte{0xff}, 1<<16) // of None
	for left := size - headerSize; left > 0; left -= len(none) {
		if _, err := f.Write(none[:min(left, len(none))]); err != nil {
			return err
		}
	}
	return nil
}

// Open maps a file made by Create.
func Open(name string) (*Recorder, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := open(f)
	if err != nil {
		return nil, err
	}
	r.runs, r.picks = r.Get(runsMade), r.Get(picksMade)
	if r.Get(magic) != version || r.runs < 1 || r.picks < 1 || len(r.data) != headerSize+r.runs*r.picks*pickSize {
		return nil, fmt.Errorf("%s is not a flight recorder of this version", name)
	}
	return r, nil
}

func open(f *os.File) (*Recorder, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < headerSize {
		return nil, fmt.Errorf("%s is too short for a flight recorder", f.Name())
	}
	data, err := mmap(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("flight recorder %s: %w", f.Name(), err)
	}
	return &Recorder{data: data}, nil
}

func (r *Recorder) counter(c Counter) *atomic.Int64 {
	return (*atomic.Int64)(unsafe.Pointer(&r.data[int(c)*8]))
}

// Set sets a counter.
func (r *Recorder) Set(c Counter, n int) { r.counter(c).Store(int64(n)) }

// Get reads a counter.
func (r *Recorder) Get(c Counter) int { return int(r.counter(c).Load()) }

// Word returns the address of a counter, for callers that set it too often for [Recorder.Set].
func (r *Recorder) Word(c Counter) *uint64 { return (*uint64)(unsafe.Pointer(&r.data[int(c)*8])) }

// SetPhase records the current phase of a search, in a few words. Readers may see it half written.
func (r *Recorder) SetPhase(name string) {
	field := r.data[phaseAt : phaseAt+phaseSize]
	clear(field[copy(field, name):])
}

// Phase returns the phase that SetPhase recorded last.
func (r *Recorder) Phase() string {
	name, _, _ := strings.Cut(string(r.data[phaseAt:phaseAt+phaseSize]), "\x00")
	return strings.ToValidUTF8(name, "")
}

// End records that the process ends normally with that exit status.
func (r *Recorder) End(status int) { r.Set(Status, status+1) }

// Ended returns the exit status passed to End. ok is false if the process died before.
func (r *Recorder) Ended() (status int, ok bool) {
	s := r.Get(Status)
	return s - 1, s != 0
}

// Runs returns the number of runs that are recorded concurrently.
func (r *Recorder) Runs() int { return r.runs }

// Path returns an empty path for the run with that number, counted from 0. Picks appended to it are recorded, up to
// its capacity. Two runs must not use it at the same time.
func (r *Recorder) Path(run int) choose.Path { return r.region(run)[:0] }

// Recorded returns the recorded picks of a run, and then [None]. Leftovers of an earlier, longer run may follow. The recorder
// owns the slice.
func (r *Recorder) Recorded(run int) choose.Path { return r.region(run) }

func (r *Recorder) region(run int) choose.Path {
	if run < 0 || run >= r.runs {
		panic(fmt.Sprintf("flight: run %d of %d", run, r.runs))
	}
	at := headerSize + run*r.picks*pickSize
	return unsafe.Slice((*int32)(unsafe.Pointer(&r.data[at])), r.picks)
}
