package isolate

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/check/flight"
)

// LimitMemory keeps checked code from exhausting the memory of the whole machine. A process with a role gets three
// quarters of the available memory and ends if it needs more. LimitMemory does nothing if the available memory is
// unknown.
func (r Role) LimitMemory() {
	if r.Recorder != nil {
		available := availableMemory()
		r.Recorder.Set(flight.Memory, LimitProcess(available/4*3))
		if available > 0 {
			debug.SetMemoryLimit(int64(min(available, math.MaxInt64)) / 8 * 5) // collects garbage before the limit is reached
		}
	}
}

// DefaultMemory returns how many bytes a search may use for its states by default: half of the available memory,
// which is less than the limit of [Role.LimitMemory]. If that is unknown, it returns 0, for no limit.
func DefaultMemory() int { return int(min(availableMemory()/2, math.MaxInt)) }

// LimitProcess lets this process allocate that many more bytes; 0 means no limit. Its present size may be large: the
// race detector maps terabytes that it does not use. LimitProcess returns how many bytes the limit leaves; 0 means
// no limit.
func LimitProcess(more uint64) int {
	has, ok := kilobytes("/proc/self/status", "VmData:")
	var limit syscall.Rlimit
	if !ok || more == 0 || syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return 0
	}
	limit.Cur = min(limit.Cur, has+more) // a stricter limit stays
	if syscall.Setrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return 0
	}
	return int(limit.Cur - min(limit.Cur, has))
}

// Stopped reports whether a signal has stopped a process.
func Stopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // PID (NAME) STATE ...
	end := bytes.LastIndexByte(text, ')')
	return err == nil && end >= 0 && bytes.HasPrefix(text[end+1:], []byte(" T"))
}

// peakMemory returns the peak resident size of an ended process, in bytes; 0 means unknown.
func peakMemory(state *os.ProcessState) int {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int(usage.Maxrss) << 10
	}
	return 0
}

// availableMemory returns the available bytes; 0 means unknown.
func availableMemory() uint64 {
	available, ok := kilobytes("/proc/meminfo", "MemAvailable:")
	// A container may have less than its machine.
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if most, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && (!ok || most < available) {
			return most
		}
	}
	return available
}

// kilobytes reads a line such as "Name:  123 kB" from a file and returns bytes.
func kilobytes(file, name string) (uint64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}
