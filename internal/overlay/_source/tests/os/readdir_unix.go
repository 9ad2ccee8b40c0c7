//go:build aix || dragonfly || freebsd || (js && wasm) || wasip1 || linux || netbsd || openbsd || solaris

// Directories without the files of macemc.

package os

import (
	"syscall"
	"unsafe"
)

// macemcFolder is the folder of the package, in which the process starts.
var macemcFolder, _ = syscall.Getwd()

// macemcNamlen is direntNamlen. A test that reads all of testdata does not see the schedules of findings: the name of their folder becomes
// that of the directory itself, which readdir leaves out. It makes no scheduling point, as the folder may be made between runs.
func (f *File) macemcNamlen(rec []byte) (uint64, bool) {
	n, ok := direntNamlen(rec)
	const at, ours = int(unsafe.Offsetof(syscall.Dirent{}.Name)), "macemc\x00"
	if ok && len(rec) >= at+len(ours) && string(rec[at:at+len(ours)]) == ours && macemcSameFile(f.pfd.Sysfd, macemcFolder+"/testdata") {
		rec[at] = '.'
		return 1, true
	}
	return n, ok
}

// macemcSameFile reports whether an open file is the one of a name.
func macemcSameFile(fd int, name string) bool {
	var a, b syscall.Stat_t
	return syscall.Fstat(fd, &a) == nil && syscall.Stat(name, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino
}
