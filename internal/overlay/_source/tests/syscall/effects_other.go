// Where system calls are not watched, a process may have changed any file.

//go:build !linux

package syscall

import _ "unsafe"

func macemc_testAffected() bool { return true }

//go:linkname macemcNotesTemporary os.macemcTemporaryNumber
func macemcNotesTemporary(uint32) {}

func macemc_testUnaffected(bool) {}
