// Where system calls are not watched, a process may have changed any file.

//go:build !linux

package syscall

import _ "unsafe"

//go:linkname macemc_testAffected testing.macemcAffected
func macemc_testAffected() bool { return true }

//go:linkname macemc_osTemporary os.macemcTemporaryNumber
func macemc_osTemporary(uint32) {}

//go:linkname macemc_testUnaffected testing.macemcUnaffected
func macemc_testUnaffected(bool) {}
