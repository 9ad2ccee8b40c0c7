package filesystem

import "syscall"

// System calls that package syscall lacks.
const (
	sysMemfdCreate = 319
	sysGetrandom   = 318
	sysRenameat2   = 316
	sysStatx       = 332
	sysStatAt      = syscall.SYS_NEWFSTATAT
)

// oldPathCalls are the system calls on paths that other processors lack.
var oldPathCalls = map[uintptr]pathCall{
	syscall.SYS_OPEN: {op: "open", flags: 1}, syscall.SYS_CREAT: {op: "creat"},
	syscall.SYS_STAT: {op: "stat"}, syscall.SYS_LSTAT: {op: "stat"}, syscall.SYS_ACCESS: {op: "access"},
	syscall.SYS_MKDIR: {op: "mkdir"}, syscall.SYS_RMDIR: {op: "rmdir"}, syscall.SYS_UNLINK: {op: "unlink"},
	syscall.SYS_RENAME: {op: "rename", to: 1}, syscall.SYS_LINK: {op: "link", to: 1}, syscall.SYS_SYMLINK: {op: "symlink", to: 1},
	syscall.SYS_READLINK: {op: "readlink"}, syscall.SYS_CHMOD: {op: "chmod"}, syscall.SYS_CHOWN: {op: "chown"},
	syscall.SYS_LCHOWN: {op: "lchown"}, syscall.SYS_UTIME: {op: "chtimes"}, syscall.SYS_UTIMES: {op: "chtimes"},
	syscall.SYS_FUTIMESAT: {op: "chtimes", at: 1, path: 1}, syscall.SYS_MKNOD: {op: "mknod"},
}
