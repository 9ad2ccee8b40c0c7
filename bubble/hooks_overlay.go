//go:build macemc_overlay

package bubble

import "unsafe" // packages of the distribution push what has no body here

const hooked = true

func begin(*control)
func end()
func next() int64

// jump sets the clock, and fires all timers that are due by then.
func jump(to int64)
func run(f func())
func kill()
func spin()
func yield()
func quiet(d int32)
func heir(bubble, gid, since uint64) bool
func abort(bubble uint64)
func enter() (bubble uint64)
func id() uint64
func callers(buf []uintptr) int
func reason(why uint8) string

// network lets package net use the network of the node that the calling goroutine belongs to.
func network(system)

// operate lets package os use the machine of that node.
func operate(machine)

// photograph notes what package variables hold and returns how many bytes that are; 0 means too many.
func photograph([]variable) uintptr

// exchange notes in out what package variables hold, and lets them hold what they do in in; nil means what they held at first. bubble is that
// of the process that goes; 0 means none. process reports whether one comes. The result is out, or a new one if that is nil.
func exchange(out, in unsafe.Pointer, bubble uint64, process bool) unsafe.Pointer

// dataStart returns where package variables begin.
func dataStart() uintptr

// environment replaces the environment and returns what it was. A nil index means that it is not known.
func environment(to []string, index map[string]int) ([]string, map[string]int)

// unexplored ends the exploration of the calling test by "macemc test", if there is one: the test is executed once instead.
func unexplored(reason string)
