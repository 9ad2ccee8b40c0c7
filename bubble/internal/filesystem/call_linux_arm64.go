package filesystem

import "syscall"

// System calls that package syscall lacks.
const (
	sysMemfdCreate = 279
	sysGetrandom   = 278
	sysRenameat2   = 276
	sysStatx       = 291
	sysStatAt      = syscall.SYS_FSTATAT
)

var oldPathCalls = map[uintptr]pathCall{}
