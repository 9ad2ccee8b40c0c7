//go:build !linux

package budget

func threads(pid int) (map[int]usage, bool) { return process(pid) }
