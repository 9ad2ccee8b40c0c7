//go:build unix

// The process of a node, and its environment.

package syscall

func macemcInNode() bool

func macemc_processes(process interface {
	Pid() int
	Kill(pid int, sig Signal) Errno
	Refuse(what string)
}) {
	macemcProcess = process
}

// macemcProcess is the process of the calling goroutine's node. Package bubble provides it.
var macemcProcess interface {
	Pid() int
	Kill(pid int, sig Signal) Errno
	Refuse(what string) // does not return: the system cannot be checked
}

func macemcKill(pid, sig uintptr) (r1, r2 uintptr, err Errno) {
	if err = macemcProcess.Kill(int(int32(pid)), Signal(sig)); err != 0 {
		r1 = ^uintptr(0)
	}
	return r1, 0, err
}

func macemcReadsEnv(name string)

// macemc_environment replaces the environment and returns the previous one. A nil index means unknown.
func macemc_environment(to []string, index map[string]int) ([]string, map[string]int) {
	copyenv()
	if index == nil {
		index = make(map[string]int, len(to))
		for i, s := range to {
			for j := range len(s) {
				if s[j] == '=' {
					if _, ok := index[s[:j]]; !ok {
						index[s[:j]] = i
					}
					break
				}
			}
		}
	}
	was, wasIndex := envs, env
	envs, env = to, index
	return was, wasIndex
}
