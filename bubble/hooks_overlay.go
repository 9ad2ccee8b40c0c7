//go:build macemc_overlay

package bubble

import (
	"strconv"
	"syscall"
	"unsafe" // bodies are pushed by linkname from standard library packages

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/testsched/program"
)

const hooked = true

func begin(*control)
func end()
func next() int64

// jump sets the clock and fires all timers that are due by then.
func jump(to int64)
func run(f func())
func kill()
func resumeStopped()

// yield is called where the program writes: a kernel lets others run meanwhile.
//
//go:linkname yield runtime.macemcYield
func yield()

// acts records that the calling goroutine acts, see [places].
//
//go:linkname acts runtime.macemcTracePlace
func acts()
func unscheduled(d int32)
func childMayUnlock(bubble, gid, since uint64, waiting []uint64) bool
func abort(bubble uint64)

// enter makes the caller the main goroutine of its bubble between steps.
func enter(*control) (bubble uint64)

// join makes the caller the main goroutine of the bubble until it calls part.
func join()
func part()
func id() uint64

// number returns the number in its bubble of the goroutine with an identifier of the runtime; 0 means that there is none.
func number(goid uint64) uint64

// stacksOf writes the stacks of the goroutines of a bubble into buf, in the format of runtime.Stack, and returns their length.
func stacksOf(bubble uint64, buf []byte) int
func callers(buf []uintptr) int
func reason(why uint8) string

// network makes package net use the network of the calling goroutine's node.
func network(system)

// operate makes package os use the machine of that node.
func operate(machine)

// intercept makes package syscall pass calls of programs to a function: those in the set, and those on descriptors of a node's files.
func intercept(always [8]uint64, call func(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, syscall.Errno))

// systemCall makes a system call of the machine with such arguments.
func systemCall(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, syscall.Errno)

// copyMemory copies memory at an address to b, or from b if store is set.
func copyMemory(b []byte, at uintptr, onStack, store bool)

// processes makes package syscall use the process of the node.
func processes(systemProcess)

// saveInitial records the values of package variables and returns their size in bytes; 0 means that they are too large.
func saveInitial([]variable) uintptr

// swapVariables saves the values of package variables to out and loads them from in. A nil in means the initial values. bubble is the
// bubble of the process that is suspended; 0 means none. process reports whether a process is resumed. The result is out, or a new object
// if out is nil.
func swapVariables(out, in unsafe.Pointer, bubble uint64, process bool) unsafe.Pointer

// freshVariables returns an image for a process that initializes packages itself. values returns the values of a variable before that, or
// nil if the process does not initialize its package.
func freshVariables(values func(from, size uintptr) []byte) unsafe.Pointer

// initialize initializes packages again, on the calling goroutine.
func initialize(again func(pkg string) bool)

// instant returns the instant at which the command began, in nanoseconds since 1970.
func instant() int64

// describes makes random numbers of tests, which may describe systems, the same in each process.
func describes()

func init() {
	describes()
	memory.Cache(&nodeCache)
	memory.Cache(oldObjects())
	simext.Instant = instant()
	simext.Inherited = []string{program.VariableInstant + "=" + strconv.FormatInt(simext.Instant, 10)}
}

// dataStart returns the address at which package variables begin.
func dataStart() uintptr

// oldObjects returns the heap objects that are older than all steps.
func oldObjects() *[2][]unsafe.Pointer

// initially returns what packages have done when they were initialized: names of variables of the environment that they have read, or *,
// for all variables, a goroutine or a timer, each with a space and the package.
func initially() []string

// intruded returns the number of goroutines of all nodes that were woken outside of the steps of their nodes, one of those of a bubble, and
// a goroutine that waits in the step for a timer from outside of its node. 0 means that there is none.
func intruded(bubble uint64) (count int, gid, timed uint64)

// environment replaces the environment and returns the previous one. A nil index means unknown.
func environment(to []string, index map[string]int) ([]string, map[string]int)

// unexplored ends the exploration of the calling test by "macemc test", if one is in progress. The test is then executed once.
//
//go:linkname unexplored runtime.macemcRefuse
func unexplored(reason string)
