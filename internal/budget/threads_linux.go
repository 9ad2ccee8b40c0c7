package budget

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// threads returns the usage of the threads of a process, by thread ID; pid 0 is this process. It returns false if the
// kernel does not record waiting times.
func threads(pid int) (map[int]usage, bool) {
	dir := "/proc/self/task"
	if pid > 0 {
		dir = fmt.Sprintf("/proc/%d/task", pid)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return process(pid)
	}
	all := make(map[int]usage, len(names))
	for _, n := range names {
		id, _ := strconv.Atoi(n.Name())
		text, err := os.ReadFile(filepath.Join(dir, n.Name(), "schedstat"))
		if err != nil {
			continue // it has ended
		}
		var u usage
		if _, err := fmt.Sscan(string(text), (*int64)(&u.running), (*int64)(&u.waiting)); err != nil {
			return process(pid)
		}
		all[id] = u
	}
	if len(all) == 0 {
		return process(pid)
	}
	var sum time.Duration
	for _, u := range all {
		sum += u.running
	}
	if sum == 0 { // the kernel does not record it
		return process(pid)
	}
	return all, true
}
