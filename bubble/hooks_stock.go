//go:build !macemc_overlay

package bubble

import (
	"syscall"
	"unsafe"
)

const hooked = false

// These functions are never called: a node does not start without the overlay.
func begin(*control)                                                                 {}
func end()                                                                           {}
func next() int64                                                                    { return 0 }
func jump(int64)                                                                     {}
func run(func())                                                                     {}
func abort(uint64)                                                                   {}
func kill()                                                                          {}
func resumeStopped()                                                                 {}
func yield()                                                                         {}
func acts()                                                                          {}
func unscheduled(int32)                                                              {}
func childMayUnlock(_, _, _ uint64, _ []uint64) bool                                 { return false }
func enter(*control) (bubble uint64)                                                 { return 0 }
func join()                                                                          {}
func part()                                                                          {}
func id() uint64                                                                     { return 0 }
func number(uint64) uint64                                                           { return 0 }
func stacksOf(uint64, []byte) int                                                    { return 0 }
func callers([]uintptr) int                                                          { return 0 }
func reason(uint8) string                                                            { return "" }
func unexplored(string)                                                              {}
func network(system)                                                                 {}
func operate(machine)                                                                {}
func intercept([8]uint64, func(uintptr, [6]uintptr, uint8) (uintptr, syscall.Errno)) {}
func systemCall(uintptr, [6]uintptr, uint8) (uintptr, syscall.Errno)                 { return 0, 0 }
func copyMemory([]byte, uintptr, bool, bool)                                         {}
func saveInitial([]variable) uintptr                                                 { return 0 }
func swapVariables(_, _ unsafe.Pointer, _ uint64, _ bool) unsafe.Pointer             { return nil }
func initially() []string                                                            { return nil }
func freshVariables(func(from, size uintptr) []byte) unsafe.Pointer                  { return nil }
func initialize(func(pkg string) bool)                                               {}
func processes(systemProcess)                                                        {}
func intruded(uint64) (count int, gid, timed uint64)                                 { return 0, 0, 0 }
func dataStart() uintptr                                                             { return 0 }
func environment([]string, map[string]int) ([]string, map[string]int)                { return nil, nil }
