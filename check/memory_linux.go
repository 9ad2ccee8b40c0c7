package check

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// LimitMemory keeps checked code that exhausts the memory from taking that of the whole machine: a
// process that has a role gets three quarters of what is available now, and ends when that does not
// do. It does nothing when it cannot tell how much there is.
func (r Role) LimitMemory() {
	if r.Recorder == nil {
		return
	}
	available := availableMemory()
	if available == 0 {
		return
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return
	}
	limit.Cur = min(limit.Max, available/4*3)
	syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}

// availableMemory is in bytes; 0: unknown.
func availableMemory() uint64 {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	available := uint64(0)
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			available = kb << 10
		}
	}
	// A container may have less than its machine.
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if most, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
			available = min(available, most)
		}
	}
	return available
}
