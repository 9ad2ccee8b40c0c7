//go:build !linux || 386 || s390x

// Descriptors of simulated sockets where system calls on these are not simulated.

package net

import (
	"syscall"
	"unsafe"
)

const macemcCalls = false

func macemcOwnDescriptor(int, func(trap uintptr, p2, p3, p5, p6 unsafe.Pointer, a3, a4, a6 uintptr) (uintptr, syscall.Errno)) {
}

func macemcOpens(int) {}

func (ffd *fakeNetFD) macemcCall(trap uintptr, p2, p3, p5, p6 unsafe.Pointer, a3, a4, a6 uintptr) (uintptr, syscall.Errno) {
	return 0, syscall.ENOSYS
}
