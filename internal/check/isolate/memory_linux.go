package isolate

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/check/flight"
)

// LimitMemory keeps checked code that exhausts the memory from taking that of the whole machine: a
// process that has a role gets three quarters of what is available now, and ends when that does not
// do. It does nothing when it cannot tell how much there is.
func (r Role) LimitMemory() {
	if r.Recorder != nil {
		available := availableMemory()
		r.Recorder.Set(flight.Memory, LimitProcess(available/4*3))
		if available > 0 {
			debug.SetMemoryLimit(int64(min(available, math.MaxInt64)) / 8 * 5) // garbage is collected before it is too much
		}
	}
}

// DefaultMemory is how many bytes a search may take for the states that it keeps unless it is told: half of what is
// available, which is below what [Role.LimitMemory] leaves. 0: it is unknown, so that there is no limit.
func DefaultMemory() int { return int(min(availableMemory()/2, math.MaxInt)) }

// LimitProcess lets this process take that many bytes more than it has; 0: no limit. What it has may
// be much: the race detector maps terabytes that it does not use. It returns what the limit leaves; 0:
// there is none.
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

// peakMemory returns how many bytes of a process that has ended were resident at most; 0 means that it is not known.
func peakMemory(state *os.ProcessState) int {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int(usage.Maxrss) << 10
	}
	return 0
}

// availableMemory is in bytes; 0: unknown.
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

// kilobytes reads a line like "Name:  123 kB" from a file, in bytes.
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
