package overlay

import _ "embed"

//go:embed source/tests_runtime.go.txt
var testsRuntimeSource string

//go:embed source/tests_queue.go.txt
var testsQueueSource string

//go:embed source/tests_state.go.txt
var testsStateSource string

//go:embed source/tests_testing.go.txt
var testsTestingSource string

//go:embed source/tests_example.go.txt
var testsExampleSource string

//go:embed source/tests_net.go.txt
var testsNetSource string

const testsSyncSource = `package sync

import "unsafe"

//go:linkname macemcPoint runtime.macemcPoint
func macemcPoint(op uint64, obj uintptr)

//go:linkname macemcTested runtime.macemcTested
func macemcTested() bool

//go:linkname macemcUnordered runtime.macemcUnordered
func macemcUnordered()

func macemcAddr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
`

const testsCPULinuxSource = `package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// macemcCPU returns the CPU time of the process, in nanoseconds.
func macemcCPU() int64 {
	var time [2]int64
	number := uintptr(113) // clock_gettime of new architectures
	if goarch.IsAmd64 == 1 {
		number = 228
	} else if goarch.IsArm64 == 0 && goarch.IsRiscv64 == 0 && goarch.IsLoong64 == 0 {
		return nanotime()
	}
	linux.Syscall6(number, 2, uintptr(unsafe.Pointer(&time)), 0, 0, 0, 0)
	return time[0]*1e9 + time[1]
}
`

const testsCPUSource = `//go:build !linux

package runtime

func macemcCPU() int64 { return nanotime() }
`

const testsMapsSource = `package maps

import _ "unsafe"

//go:linkname macemcUnordered runtime.macemcUnordered
func macemcUnordered()
`

const testsOSSource = `package os

import _ "unsafe"

//go:linkname macemcExit runtime.macemcExit
func macemcExit(code int)

//go:linkname macemcMuted runtime.macemcMuted
func macemcMuted() bool

//go:linkname macemcRefuse runtime.macemcRefuse
func macemcRefuse(reason string)
`

// testsSynctestSource registers functions that clear the traces of earlier test runs in package variables.
const testsSynctestSource = `package synctest

var macemcResets []func()

func OnMacemcReset(f func()) { macemcResets = append(macemcResets, f) }

func MacemcReset() {
	for _, f := range macemcResets {
		f()
	}
}
`

const testsBubbleSource = `package synctest

import (
	"testing"
	_ "unsafe"
)

//go:linkname macemcTested runtime.macemcTested
func macemcTested() bool

//go:linkname macemcTest
func macemcTest(t *testing.T, f func(*testing.T))

//go:linkname macemcWait
func macemcWait()
`

const testsHTTPSource = `package http

import (
	"internal/synctest"
	"reflect"
)

func init() {
	synctest.OnMacemcReset(func() {
		if t, ok := DefaultTransport.(*Transport); ok {
			macemcForget(&t.idleConn)
			macemcForget(&t.idleConnWait)
			macemcForget(&t.idleLRU)
			macemcForget(&t.connsPerHost)
			macemcForget(&t.connsPerHostWait)
			macemcForget(&t.dialsInProgress)
		}
	})
}

func macemcForget(field any) { reflect.ValueOf(field).Elem().SetZero() }
`

// testsRefuse is for packages that an explored test cannot use.
const testsRefuse = `

import _ "unsafe"

//go:linkname macemcRefuse runtime.macemcRefuse
func macemcRefuse(reason string)
`

const atomicSource = `package atomic

import "unsafe"

//go:linkname macemcAtomic runtime.macemcAtomic
func macemcAtomic(addr unsafe.Pointer, pc uintptr)

`
