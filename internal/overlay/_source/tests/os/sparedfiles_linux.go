// Files that TestMain uses. The first process of a package and others, which confirm its findings, have the same ones. What was there before
// one of the others has begun is neither renamed nor linked by its TestMain, and neither removed nor changed after the tests.

package os

import (
	"runtime"
	"syscall"
	"unsafe"
)

// macemcBegan is when the process began, by the clock of files. System calls that ask for the time get that of the test.
var macemcBegan = func() int64 {
	var st syscall.Stat_t
	if syscall.Stat("/proc/self", &st) != nil {
		return 0
	}
	return st.Ctim.Nano()
}()

// macemcSparing is whether the process is one of the others, and macemcHasTested whether its tests have ended.
var macemcSparing, macemcHasTested bool

// macemcSpared lists what such a process has removed before.
var macemcSpared *macemcSparedFile

type macemcSparedFile struct {
	name string
	next *macemcSparedFile
}

func macemc_testSpares() { macemcSparing = true }

func macemc_testSparesNow() { macemcHasTested = true }

// macemcSpares is called before a file or folder is removed or changed, and reports whether it stays as it is. moves means that it is renamed
// or linked.
//
//go:norace
func macemcSpares(name string, moves bool) bool {
	if _, _, _, run := macemcFileClock(); !macemcSparing || run != 0 {
		return false
	}
	name = macemcAbsolute(name)
	born := macemcBorn(name)
	switch old := born != 0 && born < macemcBegan; {
	case old && (moves || macemcHasTested):
		return true
	case macemcHasTested:
		for f := macemcSpared; f != nil; f = f.next {
			if f.name == name {
				return true
			}
		}
	case old:
		macemcSpared = &macemcSparedFile{name, macemcSpared}
	}
	return false
}

// macemcBorn returns when a file was created, in nanoseconds since 1970; 0 means that this is unknown.
func macemcBorn(name string) int64 {
	const (
		btime    = 0x800
		noFollow = 0x100
	)
	var statx uintptr
	switch runtime.GOARCH {
	case "amd64":
		statx = 332
	case "arm64", "riscv64", "loong64":
		statx = 291
	}
	path, err := syscall.BytePtrFromString(name)
	if err != nil || statx == 0 {
		return 0
	}
	folder := -100
	var st struct {
		mask uint32
		_    [76]byte
		sec  int64
		nsec uint32
		_    [164]byte
	}
	_, _, failed := syscall.Syscall6(statx, uintptr(folder), uintptr(unsafe.Pointer(path)), noFollow, btime,
		uintptr(unsafe.Pointer(&st)), 0)
	if failed != 0 || st.mask&btime == 0 {
		return 0
	}
	return st.sec*1e9 + int64(st.nsec)
}
